import type { EncryptedSecret } from '../lib/keyring.ts'
import type { CheckKind } from '../model/receiver-check.ts'
import type { Settlement } from '../model/settle.ts'
import type { RecordedEvent } from '../model/webhook-event.ts'

/** Everything a worker needs to send a delivery. */
export interface ClaimedDelivery {
  readonly id: string
  readonly organization_id: string
  readonly event_id: string
  readonly event_type: string
  /** The number of the event within its quotation, if it has one. */
  readonly event_sequence: number | null
  readonly quotation_id: string | null
  /** The serialized event, sent as it is. */
  readonly body: string
  /** The number of this attempt, from 1. It fences the lease: an outcome counts only while the row still has it. */
  readonly attempt: number
  /** When it was claimed, by the clock of the claim. */
  readonly leased_at: Date
  readonly is_test: boolean
  /** null: not part of a receiver check. */
  readonly check_kind: CheckKind | null
  readonly endpoint: {
    readonly id: string
    readonly url: string
    readonly secret: EncryptedSecret
    /** Earlier secrets whose overlap lasts, newest first. */
    readonly previousSecrets: readonly EncryptedSecret[]
    /** The endpoint's own headers; null: none. */
    readonly headers: EncryptedSecret | null
    /** Grows with every change of the endpoint, as a cache key. */
    readonly version: number
  }
}

/** A completed attempt, and its consequence for the delivery. */
export type SettledAttempt = Settlement & {
  readonly id: string
  readonly delivery: ClaimedDelivery
  readonly duration_ms: number
  /** The names of the endpoint's own headers that were sent. */
  readonly header_names: readonly string[]
  /** The beginning of the response, without the values of those headers; null: no response. */
  readonly response_body: string | null
  /** Of a failure: see `response-sample.ts` of the worker. */
  readonly response_headers: Readonly<Record<string, string>> | null
  readonly first_byte_ms: number | null
  readonly created_at: Date
}

/** A delivery whose attempt did not begin. */
export interface UnbegunDelivery extends Pick<ClaimedDelivery, 'id' | 'attempt'> {
  /** It is not due before. Default: as before. */
  readonly due_at?: Date | undefined
}

/** What a round leaves for the next one of its worker. Only the storage reads it. */
export interface RoundMemory {
  readonly state: unknown
}

/** Due deliveries that need no look at fairness, and no more are leased to a worker as one event is recorded. */
export const FEW = 8

/** No organization has more than this multiple of the free places of a worker. */
export const MOST_OF_FREE = 4

export interface DeliveryRound {
  readonly workerId: string
  readonly settled: readonly SettledAttempt[]
  readonly limit: number
  readonly perEndpoint: number
  /** Of endpoints that may have more in flight than `perEndpoint`. Default: none. */
  readonly limits?: ReadonlyMap<string, number>
  readonly now: Date
  /** The deliveries in flight at this worker, by organization. Default: none. */
  readonly underWay?: ReadonlyMap<string, number>
  /**
   * How many leases the worker holds, by endpoint, without those of `settled`. Without it they are counted in the
   * database, for a worker that is not certain of them.
   */
  readonly leases?: ReadonlyMap<string, number> | undefined
  /** All leases the worker knows of, if the result of a round may have been lost: any others are returned first. */
  readonly held?: readonly string[] | undefined
  /** Since when places are offered: leases from then on may not be known yet, so they are not returned. */
  readonly offeredAt?: Date | undefined
  /** From its previous round; without it, a round starts from scratch. */
  readonly memory?: RoundMemory | undefined
}

export interface DeliveryRoundResult {
  /** The leased deliveries. */
  readonly claimed: ClaimedDelivery[]
  /** When the next delivery is due that could not be leased, or the next pause ends; null: none. */
  readonly nextDueAt: Date | null
  /** Deliveries wait for `catchUp`. */
  readonly isCatchingUp: boolean
  /** The indexes have many dead entries, so that nothing should be counted in them more often than needed. */
  readonly isSlow: boolean
  readonly memory: RoundMemory
}

export interface EventStorage {
  /**
   * Writes an event, numbered within its quotation, and a delivery for each enabled endpoint with a matching
   * subscription and trigger mode. Wakes the workers on commit.
   */
  record(event: RecordedEvent): Promise<void>
}

export interface DeliveryStorage {
  /**
   * One round of a worker: records completed attempts (each only while its lease is held), then leases up to `limit`
   * due deliveries, at most `perEndpoint` per endpoint over all workers, or as `limits` says. Including its deliveries
   * in flight at this worker, no organization gets more than four times the free places that remain, so that hanging
   * endpoints leave some to others.
   */
  round(wanted: DeliveryRound): Promise<DeliveryRoundResult>
  /**
   * Repairs order: makes deliveries due that wait for no other. Each round does this for the deliveries that it ends;
   * this repairs the others, such as those that waited for a delivery which somebody removed.
   */
  releaseWaiting(now: Date): Promise<void>
  /**
   * Lets waiting deliveries follow a change of their endpoint, at most `limit` (default 2,000), all or nothing: see
   * WebhookEndpointStorage.update.
   * @returns whether there may be more to do now
   */
  catchUp(now: Date, limit?: number): Promise<boolean>
  /** Gives leases back whose attempt was never begun: the attempt does not count. Those that were lost are passed over. */
  release(workerId: string, deliveries: readonly UnbegunDelivery[]): Promise<void>
}
