/** How many deliveries a round may claim. */
export interface ClaimSize {
  /** `free`: places of this worker. */
  of(free: number): number
  /** `limit`: how many the round could have claimed; `isMore`: others are due. */
  claimed(claim: { claims: number; limit: number; isMore: boolean }): void
}

/** How long places count as scarce after a round that found less than half of what it could have claimed. */
const SCARCE_MS = 1000

/**
 * The places of an endpoint are for all workers. Beside others, a worker that fills them with deliveries which then wait for a
 * socket sends no more, but each round has to pass over many endpoints without a place: four workers spent a fifth more
 * time on a delivery. So while it finds little of what is due, it claims only what it will soon send: half of its places may
 * wait for a socket. An eighth of them is always claimed, because those that wait may do so for a receiver that hangs. Alone it
 * claims all it can, which makes rounds large.
 */
export function createClaimSize({
  concurrency,
  isAlone,
  waiting,
}: {
  readonly concurrency: number
  readonly isAlone: () => boolean
  /** How many deliveries wait for a socket. */
  readonly waiting: () => number
}): ClaimSize {
  const mostWaiting = Math.ceil(concurrency / 2)
  const least = Math.ceil(concurrency / 8)
  let scarceUntil = Number.NEGATIVE_INFINITY
  return {
    of: (free) =>
      isAlone() || performance.now() > scarceUntil
        ? free
        : Math.min(free, Math.max(least, mostWaiting - waiting())),
    claimed({ claims, limit, isMore }) {
      if (isMore && claims < limit / 2) scarceUntil = performance.now() + SCARCE_MS
    },
  }
}
