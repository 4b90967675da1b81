import type { Logger } from './logger.ts'

/** Whether the database is unavailable, as opposed to one failed call. The storage marks its errors. */
export function isOutage(error: unknown): boolean {
  return error instanceof Error && 'isOutage' in error && error.isOutage === true
}

/** These make no query, or report failures themselves: the clock and the doctor. */
const NOT_WATCHED = new Set<PropertyKey>(['close', 'listen', 'within', 'clock', 'inspection'])

/** Connections recover one by one: the outage is over once none has failed for this long. */
const QUIET_MS = 1000

/**
 * Wraps a storage: logs one line per process when its database becomes unavailable, and one when it is back. Callers do
 * not log errors for which `isOutage` is true.
 */
export function logOutages<Storage extends object>(storage: Storage, logger: Logger): Storage {
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

  function watched<T extends object>(part: T): T {
    const ports = new Map<object, object>()
    return new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (NOT_WATCHED.has(name)) return value
        if (typeof value === 'object' && value !== null) {
          if (!ports.has(value)) ports.set(value, watched(value))
          return ports.get(value)
        }
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          const begunAt = performance.now()
          const result: unknown = Reflect.apply(value, target, given)
          if (result instanceof Promise) {
            result.then(
              () => answered(begunAt),
              (error) => failed(error, begunAt),
            )
          }
          return result
        }
      },
    })
  }

  return watched(storage)
}
