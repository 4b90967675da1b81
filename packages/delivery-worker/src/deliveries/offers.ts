import {
  type ClaimedDelivery,
  type DeliveryRound,
  type DeliveryRoundResult,
  FEW,
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

/** With more leases than that, rounds pass over the worker's own leases when they count. */
const FEW_LEASES = 2 * FEW

export function createOffers(options: OffersOptions): Offers {
  const { workerId, perEndpoint, concurrency, now, lifeSigns, held, mayTake, take, look } = options
  const claiming = createClaiming(() => held.ids())
  /** With their organizations. */
  const open = new Map<Places, string>()
  const places = () => open.size * FEW
  /** A round is running that would overlook what is leased meanwhile. */
  let isCounted = false
  /** The last round claimed something, so that the next one may claim more at once; or counting leases is slow. */
  let isBusy = false

  function since(): Date | undefined {
    const times = [...open.keys()].map(({ at }) => at.getTime())
    return times.length === 0 ? undefined : new Date(Math.min(...times))
  }

  /** Its endpoints are hardly busy, and no other event of it is being recorded: with more, rounds are cheaper. */
  function isQuiet(organizationId: string): boolean {
    const inFlight = held.inFlightByOrganization().get(organizationId) ?? 0
    return inFlight < perEndpoint / 2 && ![...open.values()].includes(organizationId)
  }

  return {
    places,
    offer(organizationId) {
      if (isCounted || isBusy || held.size + places() >= FEW_LEASES) return undefined
      if (concurrency - held.inFlight - places() < 2 * FEW || !isQuiet(organizationId)) return undefined
      if (claiming.isInDoubt() || !lifeSigns.isFresh() || !mayTake()) return undefined
      const mayBegin = lifeSigns.holding()
      const offered: Places = {
        workerId,
        perEndpoint,
        at: now(),
        count: FEW,
        end(leased) {
          open.delete(offered)
          if (leased === 'unknown') {
            claiming.doubt()
            look()
          } else take(leased, mayBegin)
        },
      }
      open.set(offered, organizationId)
      return offered
    },
    async round(settled, run) {
      isCounted = open.size === 0 && (isBusy || held.size >= FEW_LEASES)
      try {
        const result = await claiming.run((ids) => {
          if (ids !== undefined) return run({ held: ids, offeredAt: since() })
          return run(isCounted ? { leases: held.leasesByEndpoint(settled) } : {})
        })
        isBusy = result.isSlow || result.claimed.length > 0
        return result
      } finally {
        isCounted = false
      }
    },
  }
}
