import type { ClaimedDelivery, SettledAttempt, UnbegunDelivery } from '@quickquote/core/internal'

/** A delivery without an attempt, for the worker to return. */
export interface Unbegun {
  readonly status: 'unbegun'
  readonly delivery: ClaimedDelivery
  /** It is not due before. Default: as before. */
  readonly due_at: Date | undefined
}

export function unbegun(delivery: ClaimedDelivery, due_at?: Date): Unbegun {
  return { status: 'unbegun', delivery, due_at }
}

export function returned({ delivery: { id, attempt }, due_at }: Unbegun): UnbegunDelivery {
  return { id, attempt, due_at }
}

/**
 * The deliveries of a worker, from their claim until the database has their outcome, or has them back. Not by their ids:
 * a worker that was declared dead may hold a delivery twice, with different attempts.
 */
export class HeldDeliveries {
  /** Outcomes to record. */
  readonly settled: SettledAttempt[] = []
  /** Deliveries to give back. */
  readonly unbegun: Unbegun[] = []
  readonly #leases = new Set<ClaimedDelivery>()
  readonly #inFlight = new Set<ClaimedDelivery>()

  get size(): number {
    return this.#leases.size
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  ids(): string[] {
    return Array.from(this.#leases, ({ id }) => id)
  }

  inFlightByOrganization(): ReadonlyMap<string, number> {
    return counts(this.#inFlight, ({ organization_id }) => organization_id)
  }

  /** All except those whose outcomes are being recorded. */
  leasesByEndpoint(recorded: readonly SettledAttempt[]): ReadonlyMap<string, number> {
    const left = new Set(this.#leases)
    for (const { delivery } of recorded) left.delete(delivery)
    return counts(left, ({ endpoint }) => endpoint.id)
  }

  claimed(deliveries: readonly ClaimedDelivery[]): void {
    for (const delivery of deliveries) this.#leases.add(delivery)
  }

  begun(delivery: ClaimedDelivery): void {
    this.#inFlight.add(delivery)
  }

  ended(attempt: SettledAttempt | Unbegun): void {
    this.#inFlight.delete(attempt.delivery)
    if (attempt.status === 'unbegun') this.unbegun.push(attempt)
    else this.settled.push(attempt)
  }

  /** The database has the first of `settled`. */
  recorded(first: readonly SettledAttempt[]): void {
    for (const { delivery } of first) this.#leases.delete(delivery)
    this.settled.splice(0, first.length)
  }

  /** The database has the first of `unbegun`. */
  givenBack(first: readonly Unbegun[]): void {
    for (const { delivery } of first) this.#leases.delete(delivery)
    this.unbegun.splice(0, first.length)
  }
}

/** How many have each key. */
function counts<T>(values: Iterable<T>, keyOf: (value: T) => string): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const value of values) {
    const key = keyOf(value)
    found.set(key, (found.get(key) ?? 0) + 1)
  }
  return found
}
