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
  /** All, with their endpoints. */
  readonly #leases = new Labels()
  /** Those in flight, with their organizations. */
  readonly #inFlight = new Labels()

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
    return this.#inFlight.counts
  }

  /** Outcomes to record included. */
  leasesOf(endpointId: string): number {
    return this.#leases.counts.get(endpointId) ?? 0
  }

  /** All except those whose outcomes are being recorded. */
  leasesByEndpoint(recorded: readonly SettledAttempt[]): ReadonlyMap<string, number> {
    const left = new Map(this.#leases.counts)
    for (const { delivery } of recorded) add(left, delivery.endpoint.id, -1)
    return left
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

/** Leases, each with a label, and how many have the same one: counting them anew for each round is slow. */
class Labels {
  readonly counts = new Map<string, number>()
  readonly #labels = new Map<Lease, string>()

  get size(): number {
    return this.#labels.size
  }

  keys(): Iterable<Lease> {
    return this.#labels.keys()
  }

  set(lease: Lease, label: string): void {
    this.delete(lease)
    this.#labels.set(lease, label)
    add(this.counts, label, 1)
  }

  delete(lease: Lease): void {
    const label = this.#labels.get(lease)
    if (label === undefined) return
    this.#labels.delete(lease)
    add(this.counts, label, -1)
  }
}

function add(counts: Map<string, number>, label: string, difference: number): void {
  const count = (counts.get(label) ?? 0) + difference
  if (count === 0) counts.delete(label)
  else counts.set(label, count)
}
