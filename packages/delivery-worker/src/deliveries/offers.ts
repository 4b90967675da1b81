import {
  type ClaimedDelivery,
  type DeliveryRound,
  type DeliveryRoundResult,
  FEW,
  MOST_OF_FREE,
  type Places,
  type SettledAttempt,
} from '@quickquote/core/internal'
import { createClaiming } from '../lib/claiming.ts'
import type { LifeSigns } from '../upkeep/heartbeat.ts'
import type { HeldDeliveries } from './held-deliveries.ts'

/** The places that a worker keeps free for deliveries which are leased as their event is recorded, without a round. */
export interface Offers {
  /** Places for the deliveries of an organization's event, while little happens. */
  offer(organizationId: string): Places | undefined
  /** In all open offers. */
  places(): number
  /** Runs a round with what the worker knows of its leases, now that some come without one. */
  round(
    settled: readonly SettledAttempt[],
    run: (known: Pick<DeliveryRound, 'leases' | 'held' | 'offeredAt'>) => Promise<DeliveryRoundResult>,
  ): Promise<DeliveryRoundResult>
}

export interface OffersOptions {
  readonly workerId: string
  readonly perEndpoint: number
  readonly concurrency: number
  readonly now: () => Date
  readonly lifeSigns: LifeSigns
  readonly held: Omit<HeldDeliveries, 'settled' | 'unbegun'>
  readonly mayTake: () => boolean
  readonly take: (leased: readonly ClaimedDelivery[], mayBegin: () => boolean) => void
  /** Begins a round. */
  readonly look: () => void
}

/** With more leases than that, rounds are cheaper. They then pass over the worker's own leases when they count. */
const FEW_LEASES = 2 * FEW

export function createOffers(options: OffersOptions): Offers {
  const { workerId, perEndpoint, concurrency, now, lifeSigns, held, mayTake, take, look } = options
  const claiming = createClaiming(() => held.ids())
  const open = new Set<Places>()
  const places = () => open.size * FEW
  /** A round is running that would overlook what is leased meanwhile. */
  let isCounted = false
  let isSlow = false

  function since(): Date | undefined {
    const times = [...open].map(({ at }) => at.getTime())
    return times.length === 0 ? undefined : new Date(Math.min(...times))
  }

  /** As a round would, it leaves enough places for other organizations. */
  function hasPlacesFor(organizationId: string): boolean {
    const wanted = places() + FEW
    const taken = (held.inFlightByOrganization().get(organizationId) ?? 0) + wanted
    return taken <= MOST_OF_FREE * (concurrency - held.inFlight - wanted)
  }

  return {
    places,
    offer(organizationId) {
      if (isCounted || isSlow || held.size + places() >= FEW_LEASES) return undefined
      if (claiming.isInDoubt() || !lifeSigns.isFresh() || !mayTake()) return undefined
      if (!hasPlacesFor(organizationId)) return undefined
      const mayBegin = lifeSigns.holding()
      const offered: Places = {
        ...{ workerId, perEndpoint, at: now(), count: FEW },
        end(leased) {
          open.delete(offered)
          if (leased === 'unknown') {
            claiming.doubt()
            look()
          } else take(leased, mayBegin)
        },
      }
      open.add(offered)
      return offered
    },
    async round(settled, run) {
      isCounted = open.size === 0 && (held.size > FEW_LEASES || isSlow)
      try {
        const result = await claiming.run((ids) => {
          if (ids !== undefined) return run({ held: ids, offeredAt: since() })
          return run(isCounted ? { leases: held.leasesByEndpoint(settled) } : {})
        })
        isSlow = result.isSlow
        return result
      } finally {
        isCounted = false
      }
    },
  }
}
