/** How many deliveries a round may claim. */
export interface ClaimSize {
  /** `free`: places of this worker. */
  of(free: number): number
  /** `limit`: how many the round could have claimed; `isMore`: others are due. */
  claimed(claim: { claims: number; limit: number; isMore: boolean }): void
}

/** While places are scarce, so many deliveries may wait for a socket: enough for its rounds to be large. */
const WAITING = 128

/** However many wait: they may wait for a receiver that hangs, and what a round finds may be for others. */
const LEAST = 64

/** How long places count as scarce after a round that found less than half of what it could have claimed. */
const SCARCE_MS = 1000

/**
 * The places of an endpoint are for all workers. Beside others, a worker that fills them with deliveries which then wait for a
 * socket sends no more, but each round has to pass over many endpoints without a place: four workers spent a fifth more
 * time on a delivery. So while it finds little of what is due, it claims only what it will soon send. Alone it claims
 * all it can, which makes rounds large.
 * @param waiting how many deliveries wait for a socket
 */
export function createClaimSize(isAlone: () => boolean, waiting: () => number): ClaimSize {
  let scarceUntil = Number.NEGATIVE_INFINITY
  return {
    of: (free) =>
      isAlone() || performance.now() > scarceUntil
        ? free
        : Math.min(free, Math.max(LEAST, WAITING - waiting())),
    claimed({ claims, limit, isMore }) {
      if (isMore && claims < limit / 2) scarceUntil = performance.now() + SCARCE_MS
    },
  }
}
