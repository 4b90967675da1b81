/** Runs claims whose result may be lost. */
export interface Claiming {
  /** Passes the held leases while there is doubt, otherwise undefined. */
  run<T>(claim: (held: readonly string[] | undefined) => Promise<T>): Promise<T>
  /** The result of another claim was lost. */
  doubt(): void
  isInDoubt(): boolean
}

/** A statement whose connection broke may still commit. The doubt lasts longer than that. */
const DOUBT_MS = 60_000

/**
 * A claim whose result was lost may hold leases that nobody would send: after an error, the next claims return all
 * leases that this worker does not know of.
 * @param held the IDs of those that it knows of
 */
export function createClaiming(held: () => readonly string[]): Claiming {
  let doubtUntil = Number.NEGATIVE_INFINITY
  const isInDoubt = () => performance.now() < doubtUntil
  const doubt = () => {
    doubtUntil = performance.now() + DOUBT_MS
  }
  return {
    doubt,
    isInDoubt,
    async run(claim) {
      try {
        return await claim(isInDoubt() ? held() : undefined)
      } catch (error) {
        doubt()
        throw error
      }
    },
  }
}
