/**
 * What this worker was told that it holds. A claim whose answer was lost may have leased more than that, which nobody would
 * ever send: after an error the next claims give back what is leased and not in here.
 */
export interface HeldLeases {
  add(ids: readonly string[]): void
  remove(ids: readonly string[]): void
  /** Runs a claim. It is handed what is held when there is a doubt, and undefined when there is none. */
  claiming<T>(claim: (held: readonly string[] | undefined) => Promise<T>): Promise<T>
}

/** A statement whose connection broke may still be under way, and commit later: the doubt lasts longer than that. */
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
