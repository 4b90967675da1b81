import DataLoader from 'dataloader'

/** More look-ups are split into several statements, and so over several connections. */
const MOST_AT_ONCE = 100

/**
 * Combines look-ups from the same turn of the event loop into one statement: under load, separate statements would be
 * most of the cost of a short request. Nothing is cached: each look-up sees the database after its call. A failed
 * statement fails all its look-ups.
 * @param find leaves missing ones out of the map
 */
export function batched<T>(
  find: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (key: string) => Promise<T | undefined> {
  const loader = new DataLoader<string, T | undefined>(
    async (keys) => {
      const found = await find(keys)
      return keys.map((key) => found.get(key))
    },
    { cache: false, batchScheduleFn: setImmediate, maxBatchSize: MOST_AT_ONCE },
  )
  return (key) => loader.load(key)
}
