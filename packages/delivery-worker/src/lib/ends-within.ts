import { setTimeout as sleep } from 'node:timers/promises'

/** Whether a promise settles in time. Leaves no timer behind. */
export async function endsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const ended = new AbortController()
  const timeout = sleep(ms, false, { signal: ended.signal }).catch(() => true)
  try {
    return await Promise.race([promise.then(() => true), timeout])
  } finally {
    ended.abort()
  }
}
