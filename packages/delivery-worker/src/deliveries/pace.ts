import { rarely } from '../lib/rarely.ts'

/** When a delivery loop makes its next round, unless something wakes it earlier. */
export interface Pace {
  /**
   * Milliseconds until the round after a claim. `limit`: how many it could have claimed of the worker's `free` places;
   * `settled`: outcomes it recorded.
   */
  afterClaim(claim: {
    claims: number
    limit: number
    free: number
    settled: number
    nextDueAt: Date | null
  }): number
  /** Milliseconds for which the outcome of an attempt may wait for others. */
  batchMs(): number
  /** Notes the duration of a round. */
  took(ms: number): void
  /** Forgets that other workers were claiming. */
  reset(): void
}

/** The first wait if another worker is claiming at this moment. It doubles up to the poll interval. */
const CONTENDED_MS = 5

/**
 * Outcomes wait no longer than this, or than twice the last round: a slow database gets larger batches instead of more
 * statements.
 */
const BATCH_MS = 4
const LONGEST_BATCH_MS = 50

export function createPace(pollIntervalMs: number, now: () => Date): Pace {
  let contendedMs = CONTENDED_MS
  let batchMs = BATCH_MS
  return {
    afterClaim({ claims, limit, free, settled, nextDueAt }) {
      if (claims > 0) contendedMs = CONTENDED_MS
      // There is no room until an attempt ends, and that starts a round.
      if (claims === free) return rarely(pollIntervalMs)
      // More would have waited for a socket.
      if (claims === limit) return batchMs
      if (nextDueAt === null) return rarely(pollIntervalMs)
      const waitMs = nextDueAt.getTime() - now().getTime()
      if (waitMs > 0) return Math.min(waitMs, rarely(pollIntervalMs))
      // If it did not take more places than it had just freed, the others are not for what is due: outcomes free the next ones.
      if (claims > 0) return claims > settled && limit === free ? 0 : batchMs
      contendedMs = Math.min(contendedMs * 2, pollIntervalMs)
      return contendedMs * Math.random()
    },
    batchMs: () => batchMs,
    took(ms) {
      batchMs = Math.min(Math.max(2 * ms, BATCH_MS), LONGEST_BATCH_MS)
    },
    reset() {
      contendedMs = CONTENDED_MS
    },
  }
}
