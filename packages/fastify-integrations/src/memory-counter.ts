import type { FastifyRateLimitStore } from '@fastify/rate-limit'

/** How many keys or addresses are counted at once. Beyond, the oldest window is forgotten. */
const MAX_WINDOWS = 100_000

/**
 * A store for @fastify/rate-limit that counts in this process. The library's own hands out the record that it goes on
 * counting in: requests that are counted in the same turn of the event loop then read each other's numbers.
 */
export function memoryCounter(): FastifyRateLimitStore {
  // In the order in which they end, for all of a store last equally long.
  const windows = new Map<string, { count: number; readonly endsAt: number }>()

  function windowOf(key: string, now: number, timeWindow: number) {
    for (const [ended, { endsAt }] of windows) {
      if (endsAt > now) break
      windows.delete(ended)
    }
    const known = windows.get(key)
    if (known !== undefined) return known
    const [oldest] = windows.keys()
    if (oldest !== undefined && windows.size >= MAX_WINDOWS) windows.delete(oldest)
    const begun = { count: 0, endsAt: now + timeWindow }
    windows.set(key, begun)
    return begun
  }

  const store: FastifyRateLimitStore = {
    incr(key, callback, timeWindow) {
      const now = performance.now()
      const window = windowOf(key, now, timeWindow)
      window.count += 1
      callback(null, { current: window.count, ttl: window.endsAt - now })
    },
    child: () => store,
  }
  return store
}
