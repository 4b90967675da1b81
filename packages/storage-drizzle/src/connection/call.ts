import type { CallWatcher, PortName, Storage } from '@quickquote/core/internal'
import { toStorageError, unanswered } from './storage-error.ts'

/** `port.method`. */
type CallName =
  | { [Port in PortName]: `${Port}.${keyof Storage[Port] & string}` }[PortName]
  | 'storage.transaction'
  | `database.${string}`

/**
 * Makes one call of a port: each method of the storage runs its statements in one.
 * @param name for the error
 * @throws StorageError for every error of PostgreSQL or its client
 */
export type Call = <T>(name: CallName, work: () => Promise<T>) => Promise<T>

/** The calls on connections that are not in a transaction. */
export interface Calls {
  /** Waits until the connections are ready, and has a timeout. Watched. */
  readonly call: Call
  /** The same without a timeout, for long statements. */
  readonly callUnhurried: Call
  /** The same as `call`, but not watched: its caller reports failures. */
  readonly callUnwatched: Call
  watch(watcher: CallWatcher): void
}

/** Without the rest: for a transaction, which has the timeout of the call that began it or is the host's. */
export const plainCall: Call = async (name, work) => {
  try {
    return await work()
  } catch (error) {
    throw toStorageError(name, error)
  }
}

/**
 * @param timeoutMs of a call, for each of two: until the connections are ready, and from then on. A call that times out
 * before they are ready is never made. Default: no timeout.
 */
export function createCalls(ready: () => Promise<void> = async () => {}, timeoutMs?: number): Calls {
  const watchers = new Set<CallWatcher>()

  const callUnwatched: Call = (name, work) =>
    plainCall(name, () => (timeoutMs === undefined ? ready().then(work) : inTime(work, timeoutMs)))

  async function watched<T>(work: () => Promise<T>): Promise<T> {
    const begunAt = performance.now()
    try {
      const result = await work()
      for (const { answered } of watchers) answered(begunAt)
      return result
    } catch (error) {
      for (const { failed } of watchers) failed(error, begunAt)
      throw error
    }
  }

  function inTime<T>(work: () => Promise<T>, ms: number): Promise<T> {
    return new Promise((resolve, reject) => {
      let isGivenUp = false
      const timer = setTimeout(() => {
        isGivenUp = true
        // Reads a response that arrived while the process was busy first.
        setImmediate(reject, unanswered(ms))
      }, ms)
      ready()
        .then(() => {
          if (isGivenUp) throw unanswered(ms)
          // A transaction measures from here on, too: neither is over before the other.
          timer.refresh()
          return work()
        })
        .then(resolve, reject)
        .finally(() => clearTimeout(timer))
    })
  }

  return {
    call: (name, work) => watched(() => callUnwatched(name, work)),
    callUnhurried: (name, work) => watched(() => plainCall(name, () => ready().then(work))),
    callUnwatched,
    watch: (watcher) => void watchers.add(watcher),
  }
}
