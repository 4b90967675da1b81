import DataLoader from 'dataloader'

/** More look-ups than these are shared out to several statements, and so to several connections. */
const MOST_AT_ONCE = 100

/**
 * Makes look-ups that are asked for in the same turn of the event loop in one statement: with many requests under way, a
 * statement for each is most of what a short request costs. Nothing is kept: each look-up sees what is in the database
 * after it was asked for. A statement that fails fails for all who wait for it.
 * @param find what it does not find is not in the map
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
