import type { Logger } from './logger.ts'

/** Whether the database is unavailable, as opposed to one failed call. The storage marks its errors. */
export function isOutage(error: unknown): boolean {
  return error instanceof Error && 'isOutage' in error && error.isOutage === true
}

/** Notified of each call of the storage. Times are of `performance.now()`. */
export interface CallWatcher {
  answered(begunAt: number): void
  failed(error: unknown, begunAt: number): void
}

/** Connections recover one by one: the outage is over once none has failed for this long. */
const QUIET_MS = 1000

/**
 * Logs one line per process when its database becomes unavailable, and one when it is back. Callers do not log errors
 * for which `isOutage` is true.
 */
export function outageLog(logger: Logger): CallWatcher {
  let since: number | undefined
  let failedAt = 0
  /** The start of the newest successful call. */
  let answeredFrom = 0
  let quiet: NodeJS.Timeout | undefined

  function failed(error: unknown, begunAt: number): void {
    // A call that hung during an outage and fails after it does not start a new one.
    if (!isOutage(error) || (since === undefined && begunAt < answeredFrom)) return
    failedAt = performance.now()
    clearTimeout(quiet)
    quiet = undefined
    if (since !== undefined) return
    since = failedAt
    logger.error(
      { err: error },
      'the database is unreachable: requests get 503, and workers retry; check that it is running and reachable',
    )
  }

  function answered(begunAt: number): void {
    answeredFrom = Math.max(answeredFrom, begunAt)
    if (since === undefined || begunAt < failedAt) return
    quiet ??= setTimeout(over, QUIET_MS).unref()
  }

  /** A warning, so that logs of warnings and errors show the end, too. */
  function over(): void {
    logger.warn({ away_ms: Math.round(failedAt - (since ?? failedAt)) }, 'the database is reachable again')
    since = undefined
    quiet = undefined
  }

  return { answered, failed }
}
