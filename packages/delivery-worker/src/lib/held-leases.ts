/**
 * The leases that this worker knows of. A claim whose result was lost may hold more, which nobody would send: after an
 * error, the next claims return all leases that are not known here.
 */
export interface HeldLeases {
  add(ids: readonly string[]): void
  remove(ids: readonly string[]): void
  /** Runs a claim. Passes the known leases while there is doubt, otherwise undefined. */
  claiming<T>(claim: (held: readonly string[] | undefined) => Promise<T>): Promise<T>
}

/** A statement whose connection broke may still commit. The doubt lasts longer than that. */
const DOUBT_MS = 60_000

export function createHeldLeases(): HeldLeases {
  const held = new Set<string>()
  let doubtUntil = Number.NEGATIVE_INFINITY

  return {
    add(ids) {
      for (const id of ids) held.add(id)
    },
    remove(ids) {
      for (const id of ids) held.delete(id)
    },
    async claiming(claim) {
      try {
        return await claim(performance.now() < doubtUntil ? [...held] : undefined)
      } catch (error) {
        doubtUntil = performance.now() + DOUBT_MS
        throw error
      }
    },
  }
}
