import type { ClaimedDelivery, SettledAttempt, UnbegunDelivery } from '@quickquote/core/internal'
import type { Unbegun } from './dispatch.ts'

/** A worker that was declared dead may hold a delivery twice, with different attempts. */
type Lease = `${string} ${number}`

/** The deliveries of a worker, from their claim until the database has their outcome, or has them back. */
export class HeldDeliveries {
  /** Outcomes to record. */
  readonly settled: SettledAttempt[] = []
  /** Deliveries to give back. */
  readonly unbegun: UnbegunDelivery[] = []
  /** The endpoints of all. */
  readonly #leases = new Map<Lease, string>()
  /** The organizations of those in flight. */
  readonly #inFlight = new Map<Lease, string>()

  get size(): number {
    return this.#leases.size
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  ids(): string[] {
    return [...this.#leases.keys()].map((lease) => lease.slice(0, lease.indexOf(' ')))
  }

  inFlightByOrganization(): ReadonlyMap<string, number> {
    return counts(this.#inFlight.values())
  }

  /** All except those whose outcomes are being recorded. */
  leasesByEndpoint(recorded: readonly SettledAttempt[]): ReadonlyMap<string, number> {
    const left = new Map(this.#leases)
    for (const { delivery } of recorded) left.delete(leaseOf(delivery))
    return counts(left.values())
  }

  claimed(deliveries: readonly ClaimedDelivery[]): void {
    for (const delivery of deliveries) this.#leases.set(leaseOf(delivery), delivery.endpoint.id)
  }

  begun(delivery: ClaimedDelivery): void {
    this.#inFlight.set(leaseOf(delivery), delivery.organization_id)
  }

  ended(attempt: SettledAttempt | Unbegun): void {
    this.#inFlight.delete(leaseOf(attempt.delivery))
    if (attempt.status === 'unbegun') this.unbegun.push(attempt.delivery)
    else this.settled.push(attempt)
  }

  /** The database has the first of `settled`. */
  recorded(first: readonly SettledAttempt[]): void {
    for (const { delivery } of first) this.#leases.delete(leaseOf(delivery))
    this.settled.splice(0, first.length)
  }

  /** The database has the first of `unbegun`. */
  givenBack(first: readonly UnbegunDelivery[]): void {
    for (const delivery of first) this.#leases.delete(leaseOf(delivery))
    this.unbegun.splice(0, first.length)
  }
}

function leaseOf({ id, attempt }: UnbegunDelivery): Lease {
  return `${id} ${attempt}`
}

/** How often each occurs. */
function counts(values: Iterable<string>): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const value of values) found.set(value, (found.get(value) ?? 0) + 1)
  return found
}
