/** Counts things in flight, in all and by key. */
export interface Tally {
  change(key: string, by: 1 | -1): void
  total(): number
  /** Without zeros. Changes with each call of `change`. */
  readonly byKey: ReadonlyMap<string, number>
}

export function createTally(known: ReadonlyMap<string, number> = new Map()): Tally {
  const byKey = new Map(known)
  let total = [...byKey.values()].reduce((sum, count) => sum + count, 0)
  return {
    change(key, by) {
      total += by
      const count = (byKey.get(key) ?? 0) + by
      if (count === 0) byKey.delete(key)
      else byKey.set(key, count)
    },
    total: () => total,
    byKey,
  }
}
