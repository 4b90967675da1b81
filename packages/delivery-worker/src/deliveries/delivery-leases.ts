import type { ClaimedDelivery } from '@quickquote/core/internal'
import { createHeldLeases } from '../lib/held-leases.ts'
import { createTally, type Tally } from '../lib/tally.ts'

export type LeasedDelivery = Pick<ClaimedDelivery, 'id' | 'endpoint'>

/** The leases that this worker holds: see HeldLeases. */
export interface DeliveryLeases {
  add(deliveries: readonly LeasedDelivery[]): void
  remove(deliveries: readonly LeasedDelivery[]): void
  /** Runs a claim that also ends the leases on `ending`. */
  claiming<T>(ending: readonly LeasedDelivery[], claim: (known: KnownLeases) => Promise<T>): Promise<T>
}

/** What a claim may rely on. */
interface KnownLeases {
  /** In case of doubt: all of them, by id. */
  readonly held?: readonly string[]
  /** Otherwise: how many are left, by endpoint. */
  readonly leases?: ReadonlyMap<string, number>
}

export function createDeliveryLeases(): DeliveryLeases {
  const held = createHeldLeases()
  const perEndpoint = createTally()

  function count(leases: Tally, deliveries: readonly LeasedDelivery[], by: 1 | -1): void {
    for (const { endpoint } of deliveries) leases.change(endpoint.id, by)
  }

  function without(ending: readonly LeasedDelivery[]): ReadonlyMap<string, number> {
    const left = createTally(perEndpoint.byKey)
    count(left, ending, -1)
    return left.byKey
  }

  return {
    add(deliveries) {
      held.add(deliveries.map(({ id }) => id))
      count(perEndpoint, deliveries, 1)
    },
    remove(deliveries) {
      held.remove(deliveries.map(({ id }) => id))
      count(perEndpoint, deliveries, -1)
    },
    claiming: (ending, claim) =>
      held.claiming((ids) => claim(ids === undefined ? { leases: without(ending) } : { held: ids })),
  }
}
