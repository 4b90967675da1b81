/** Runs a claim. Passes the held leases while there is doubt, otherwise undefined. */
export type Claiming = <T>(claim: (held: readonly string[] | undefined) => Promise<T>) => Promise<T>

/** A statement whose connection broke may still commit. The doubt lasts longer than that. */
const DOUBT_MS = 60_000

/**
 * A claim whose result was lost may hold leases that nobody would send: after an error, the next claims return all
 * leases that this worker does not know of.
 * @param held the IDs of those that it knows of
 */
export function createClaiming(held: () => readonly string[]): Claiming {
  let doubtUntil = Number.NEGATIVE_INFINITY
  return async (claim) => {
    try {
      return await claim(performance.now() < doubtUntil ? held() : undefined)
    } catch (error) {
      doubtUntil = performance.now() + DOUBT_MS
      throw error
    }
  }
}
