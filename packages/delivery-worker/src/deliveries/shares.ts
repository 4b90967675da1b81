import type { ClaimedDelivery, SettledAttempt } from '@quickquote/core/internal'
import type { Unbegun } from './held-deliveries.ts'

/**
 * How many deliveries may be leased to an endpoint. Few, because it may hang with all of them; more while it answers
 * quickly, so that a few busy endpoints fill a worker.
 */
export interface Shares {
  /** `leases`: all that the worker holds now, by endpoint, those whose outcomes wait to be recorded included. */
  claimed(claimed: readonly ClaimedDelivery[], leases: ReadonlyMap<string, number>): void
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

/** Of an endpoint that has filled the smallest one. */
interface Share {
  readonly limit: number
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

  function shareOf(limit: number): Share {
    return { limit, busyAt: performance.now(), wasFull: false, quick: 0 }
  }

  return {
    claimed(claimed, leases) {
      for (const { endpoint } of claimed) {
        const held = leases.get(endpoint.id) ?? 0
        if (held < perEndpoint) continue
        const share = shares.get(endpoint.id) ?? shareOf(perEndpoint)
        share.busyAt = performance.now()
        share.wasFull ||= held >= share.limit
        shares.set(endpoint.id, share)
      }
    },
    ended(endpointId, attempt) {
      const share = shares.get(endpointId)
      if (share === undefined || attempt.status === 'unbegun') return
      if (attempt.status !== 'succeeded' || attempt.duration_ms > QUICK_MS) {
        shares.delete(endpointId)
        return
      }
      share.quick += 1
      const enough = share.limit === perEndpoint ? PROVEN : share.limit
      if (share.wasFull && share.quick >= enough) {
        shares.set(endpointId, shareOf(Math.min(share.limit * 2, most)))
      }
    },
    limits() {
      const found = new Map<string, number>()
      const since = performance.now() - KEPT_MS
      for (const [endpointId, { busyAt, limit }] of shares) {
        if (busyAt <= since) shares.delete(endpointId)
        else if (limit > perEndpoint) found.set(endpointId, limit)
      }
      return found
    },
  }
}
