import type { EncryptedSecret } from '../lib/keyring.ts'
import type { Settlement } from '../model/delivery.ts'
import type { Ordering } from '../model/webhook-endpoint.ts'
import type { RecordedEvent } from '../model/webhook-event.ts'

/** What a worker needs to send one delivery. */
export interface ClaimedDelivery {
  readonly id: string
  readonly organization_id: string
  readonly event_id: string
  readonly event_type: string
  /** The number of the event within its quotation; null without one. */
  readonly event_sequence: number | null
  readonly quotation_id: string | null
  /** The serialized event: these bytes are sent. */
  readonly body: string
  /** The number of this attempt, 1 for the first. It fences the lease: an outcome counts only while the row still has it. */
  readonly attempt: number
  readonly is_test: boolean
  /** Deliveries of later events of its quotation to the endpoint wait until this one has ended. */
  readonly is_in_order: boolean
  readonly endpoint: {
    readonly id: string
    readonly url: string
    readonly ordering: Ordering
    readonly secret: EncryptedSecret
    /** The secret before the last rotation, while that one is to sign too. */
    readonly previousSecret: EncryptedSecret | null
    /** The headers of its own; null: it has none. */
    readonly headers: EncryptedSecret | null
    /** Grows with every change of the endpoint, so that what was derived from it can be cached. */
    readonly version: number
  }
}

/** An attempt that was made, and what becomes of its delivery. */
export interface SettledAttempt extends Settlement {
  readonly id: string
  readonly delivery: ClaimedDelivery
  readonly duration_ms: number
  /** The headers of the endpoint's own that were sent. */
  readonly header_names: readonly string[]
  /** The beginning of the answer, without the values of those headers; null when there was none. */
  readonly response_body: string | null
  readonly first_byte_ms: number | null
  readonly created_at: Date
}

/** A delivery whose attempt was not begun. */
export interface UnbegunDelivery extends Pick<ClaimedDelivery, 'id' | 'attempt'> {
  /** It is not due before then. Default: when it was. */
  readonly due_at?: Date
}

/** What one round of a worker tells the next. The worker keeps it, hands it to each round, and leaves it to the storage. */
export interface RoundMemory {
  /** Where the next walk over the endpoints begins: after this one; null: at the first. */
  walkAfter: string | null
  /** The oldest due deliveries were not enough for the last round, and there are more behind them. */
  isShort: boolean
  /** When the oldest delivery was due that the last round saw; null: there is no backlog. */
  oldestDueAt: Date | null
  /** When a round last looked at all that is due, by the monotonic clock in milliseconds. */
  lookedFullyAt: number
  /** Ended deliveries that others wait for, whose endpoint somebody was claiming of when they ended. */
  unreleased: readonly SettledAttempt[]
}

/** Of a worker that has made no round yet. */
export function createRoundMemory(): RoundMemory {
  return {
    walkAfter: null,
    isShort: false,
    oldestDueAt: null,
    lookedFullyAt: Number.NEGATIVE_INFINITY,
    unreleased: [],
  }
}

export interface EventStorage {
  /** Writes an event, numbered within its quotation, and one delivery for each endpoint that subscribes to it, is enabled, and whose trigger mode fits; wakes the workers when that is committed. */
  record(event: RecordedEvent): Promise<void>
}

export interface DeliveryStorage {
  /**
   * One round of a worker: records what was attempted (each outcome only while its lease is held), then leases up to
   * `limit` due deliveries, never more than `perEndpoint` of one endpoint over all workers. No organization gets more than four
   * times the places that are left free, with what it has under way at this worker (`underWay`, by organization), so that
   * those whose endpoints hang leave some to others.
   *
   * `held`: all leases that the worker knows of, when an answer of a round may have been lost: what else is leased to it is
   * given back first. `memory`: of its rounds before; without it each round begins anew.
   * @returns what was leased, and when the next delivery is due that could not be (null: none is waiting)
   */
  settleAndClaim(round: {
    workerId: string
    settled: readonly SettledAttempt[]
    limit: number
    perEndpoint: number
    underWay?: ReadonlyMap<string, number>
    held?: readonly string[] | undefined
    memory?: RoundMemory
    now: Date
  }): Promise<{ claimed: ClaimedDelivery[]; nextDueAt: Date | null }>
  /** Gives leases back whose attempt was never begun: the attempt does not count. Those that were lost are passed over. */
  release(workerId: string, deliveries: readonly UnbegunDelivery[]): Promise<void>
}
