import type { Logger } from '@quickquote/core'
import { isOutage } from '@quickquote/core/internal'

/** How long to wait after failures of the same thing, mostly the database's. It counts those that come in a row. */
export interface Backoff {
  /**
   * Tells how many milliseconds to wait before the next attempt. The first failure of a row is logged, unless the
   * database is away: that is told once for everything.
   */
  failed(error: unknown): number
  /** The row has ended: an attempt succeeded. */
  succeeded(): void
  /** Milliseconds since the row began; 0 when there is none. */
  failingForMs(): number
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5000

/**
 * @param what what failed, as a sentence for the log
 * @param longestWaitMs waits grow up to it. Default 5,000
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
      // Workers that lost their database together do not come back to it together.
      return waitMs * (0.5 + Math.random() / 2)
    },
    succeeded() {
      if (isTold) logger.info({ failures }, `${what}: that is over`)
      isTold = false
      failures = 0
    },
    failingForMs: () => (failures === 0 ? 0 : Math.round(performance.now() - since)),
  }
}
