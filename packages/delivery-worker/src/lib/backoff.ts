import type { Logger } from '@quickquote/core'
import { isOutage } from '@quickquote/core/internal'

/** Counts consecutive failures, mostly of the database, and the waits between them. */
export interface Backoff {
  /**
   * Returns the milliseconds to wait before the next attempt. Logs the first failure of a series, unless the database is down:
   * that is logged once for everything.
   */
  failed(error: unknown): number
  /** Ends the series of failures. */
  succeeded(): void
  /** Milliseconds since the first failure of the series; 0 without failures. */
  failingForMs(): number
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5000

/**
 * @param what the failure, as a sentence for the log
 * @param longestWaitMs the maximum wait. Default 5,000
 */
export function createBackoff(logger: Logger, what: string, longestWaitMs = LONGEST_WAIT_MS): Backoff {
  let failures = 0
  let since = 0
  let isTold = false
  return {
    failed(error) {
      if (failures === 0) since = performance.now()
      if (!isTold && !isOutage(error)) {
        isTold = true
        logger.error({ err: error }, `${what}; trying again`)
      }
      failures += 1
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), longestWaitMs)
      // Jitter: workers that lost their database together must not all return at once.
      return waitMs * (0.5 + Math.random() / 2)
    },
    succeeded() {
      if (isTold) logger.info({ failures }, `${what}: recovered`)
      isTold = false
      failures = 0
    },
    failingForMs: () => (failures === 0 ? 0 : Math.round(performance.now() - since)),
  }
}
