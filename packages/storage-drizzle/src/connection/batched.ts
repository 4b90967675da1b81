import DataLoader from 'dataloader'
import { isRefusedRow } from './storage-error.ts'

/** More look-ups are split into several statements, and so over several connections. */
const MOST_AT_ONCE = 100

/** Fewer, because each row may hold the text of a request. */
const MOST_INSERTED = 20

/**
 * Combines look-ups from the same turn of the event loop into one statement: under load, separate statements would be
 * most of the cost of a short request. Nothing is cached: each look-up sees the database after its call. A failed
 * statement fails all its look-ups.
 * @param find leaves missing ones out of the map
 */
export function batched<T>(
  find: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (key: string) => Promise<T | undefined> {
  let loader: DataLoader<string, T | undefined> | undefined
  const create = () =>
    new DataLoader<string, T | undefined>(
      async (keys) => {
        const found = await find(keys)
        return keys.map((key) => found.get(key))
      },
      { cache: false, batchScheduleFn: setImmediate, maxBatchSize: MOST_AT_ONCE },
    )
  return (key) => {
    // At the first call: every transaction has its ports, and few of them are called.
    loader ??= create()
    return loader.load(key)
  }
}

/**
 * Combines inserts from the same turn of the event loop into one statement: under load, a commit is most of the cost of
 * a short insert. If PostgreSQL refuses a row, each is inserted by itself, so that none fails because of another. Any
 * other error, after which the rows may be there, fails them all.
 */
export function batchedInserts<T extends object>(
  insert: (rows: readonly T[]) => Promise<void>,
): (row: T) => Promise<void> {
  let loader: DataLoader<T, void> | undefined
  const create = () =>
    new DataLoader<T, void>(
      async (rows) => {
        try {
          await insert(rows)
          return rows.map(() => undefined)
        } catch (error) {
          if (rows.length === 1 || !isRefusedRow(error)) throw error
          return Promise.all(rows.map((row) => insert([row]).catch((refused: Error) => refused)))
        }
      },
      { cache: false, batchScheduleFn: setImmediate, maxBatchSize: MOST_INSERTED },
    )
  return (row) => {
    loader ??= create()
    return loader.load(row)
  }
}
