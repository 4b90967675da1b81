import type { SettledAttempt } from '@quickquote/core/internal'
import type { Unbegun } from './dispatch.ts'

/**
 * How many deliveries may be in flight to an endpoint. Few, because it may hang with all of them; more while it answers
 * quickly, so that a few busy endpoints fill a worker.
 */
export interface Shares {
  began(endpointId: string): void
  ended(endpointId: string, attempt: SettledAttempt | Unbegun): void
  /** Of the endpoints that may have more than `perEndpoint`. */
  limits(): ReadonlyMap<string, number>
}

/** A slower answer makes the share of its endpoint small again, as a failure does. */
const QUICK_MS = 100

/** Quick answers without another kind between them before a share grows at all. From then on, one share of them doubles it. */
const PROVEN = 128

/** An endpoint that has not filled the smallest share for so long starts again. */
const KEPT_MS = 10_000

interface Share {
  limit: number
  inFlight: number
  /** When the smallest share was full, on the monotonic clock. */
  busyAt: number
  /** Whether all of it was in use since it last grew. */
  wasFull: boolean
  /** Quick answers since it last grew. */
  quick: number
}

export function createShares({
  perEndpoint,
  perEndpointWhileQuick: most,
}: {
  perEndpoint: number
  perEndpointWhileQuick: number
}): Shares {
  const shares = new Map<string, Share>()

  function shareOf(endpointId: string): Share {
    const share = shares.get(endpointId) ?? {
      limit: perEndpoint,
      inFlight: 0,
      quick: 0,
      busyAt: Number.NEGATIVE_INFINITY,
      wasFull: false,
    }
    shares.set(endpointId, share)
    return share
  }

  function grow(share: Share): void {
    share.quick += 1
    if (!share.wasFull || share.quick < (share.limit === perEndpoint ? PROVEN : share.limit)) return
    Object.assign(share, { limit: Math.min(share.limit * 2, most), wasFull: false, quick: 0 })
  }

  return {
    began(endpointId) {
      const share = shareOf(endpointId)
      share.inFlight += 1
      if (share.inFlight >= perEndpoint) share.busyAt = performance.now()
      if (share.inFlight >= share.limit) share.wasFull = true
    },
    ended(endpointId, attempt) {
      const share = shareOf(endpointId)
      share.inFlight -= 1
      if (attempt.status === 'succeeded' && attempt.duration_ms <= QUICK_MS) grow(share)
      else if (attempt.status !== 'unbegun')
        Object.assign(share, { limit: perEndpoint, wasFull: false, quick: 0 })
    },
    limits() {
      const found = new Map<string, number>()
      const since = performance.now() - KEPT_MS
      for (const [endpointId, share] of shares) {
        const isBusy = share.busyAt > since
        if (isBusy && share.limit > perEndpoint) found.set(endpointId, share.limit)
        else if (!isBusy && share.inFlight === 0) shares.delete(endpointId)
      }
      return found
    },
  }
}
