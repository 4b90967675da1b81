/**
 * What the workers of this process were told that they hold. A claim whose answer was lost may have leased more than
 * that, which nobody would ever send: after an error the next claims give back what is leased and not in here.
 */
export interface HeldLeases {
  add(workerId: string, ids: readonly string[]): void
  remove(workerId: string, ids: readonly string[]): void
  /** Runs a claim. It is handed what is held when there is a doubt, and undefined when there is none. */
  claiming<T>(workerId: string, claim: (held: readonly string[] | undefined) => Promise<T>): Promise<T>
}

/** A statement whose connection broke may still be under way, and commit later: the doubt lasts longer than that. */
const DOUBT_MS = 60_000

export function createHeldLeases(): HeldLeases {
  const held = new Map<string, Set<string>>()
  const doubtUntil = new Map<string, number>()

  return {
    add(workerId, ids) {
      const leases = held.get(workerId) ?? new Set()
      for (const id of ids) leases.add(id)
      if (leases.size > 0) held.set(workerId, leases)
    },
    remove(workerId, ids) {
      const leases = held.get(workerId)
      for (const id of ids) leases?.delete(id)
      if (leases?.size === 0) held.delete(workerId)
    },
    async claiming(workerId, claim) {
      const until = doubtUntil.get(workerId)
      const isInDoubt = until !== undefined && performance.now() < until
      if (!isInDoubt) doubtUntil.delete(workerId)
      try {
        return await claim(isInDoubt ? [...(held.get(workerId) ?? [])] : undefined)
      } catch (error) {
        doubtUntil.set(workerId, performance.now() + DOUBT_MS)
        throw error
      }
    },
  }
}
