import type { Found, PageRequest } from '../lib/page.ts'
import type {
  AttemptStatus,
  Delivery,
  DeliveryAttempt,
  DeliveryAttemptDetails,
  DeliveryHour,
  EndpointStatistics,
} from '../model/delivery.ts'
import type { AttemptsListed, Undelivered } from '../model/delivery-log-query.ts'

/** A stored attempt, without names. `event_id` is the uuid. */
export type StoredAttempt = Omit<DeliveryAttempt, 'quotation_name' | 'endpoint_name'>

export type StoredAttemptDetails = StoredAttempt &
  Pick<DeliveryAttemptDetails, 'response_body' | 'response_headers' | 'first_byte_ms'> & {
    readonly event_sequence: number | null
    /** The endpoint's own headers that were sent; null: none. */
    readonly header_names: readonly string[] | null
  }

export interface StoredDelivery
  extends Omit<Delivery, 'quotation_name' | 'endpoint_name' | 'request_body' | 'attempts'> {
  readonly attempts: readonly StoredAttemptDetails[]
}

/** Which event a delivery brings to which endpoint. */
export type DeliveryIdentity = Pick<
  StoredDelivery,
  'id' | 'event_id' | 'event_type' | 'endpoint_id' | 'quotation_id' | 'is_test'
>

/** Filters of attempts; null: any. */
export interface AttemptFilter {
  readonly endpoint_id: string | null
  readonly event_type: string | null
  /** The uuid. */
  readonly event_id: string | null
  readonly quotation_ids: readonly string[] | null
  /** Both inclusive; 0: no response. */
  readonly http_status: { readonly from: number; readonly to: number } | null
  /** `latest`: only the newest attempt of each delivery. */
  readonly attempts: AttemptsListed
  readonly status: AttemptStatus | null
  readonly undelivered: Undelivered | null
  /** Inclusive. */
  readonly since: Date | null
  /** Exclusive. */
  readonly until: Date | null
}

export interface DeliveryLogStorage {
  /** Newest first. */
  listAttempts(
    organizationId: string,
    filter: AttemptFilter,
    page: PageRequest,
  ): Promise<Found<StoredAttempt>>
  find(organizationId: string, id: string): Promise<StoredDelivery | null>
  /** The same without its state and attempts, for fewer statements. */
  identify(organizationId: string, id: string): Promise<DeliveryIdentity | null>
  /** The body of an event; null if no longer kept. `eventId` is the uuid. */
  findBody(organizationId: string, eventId: string): Promise<string | null>
  /** Counts attempts per hour, without tests and without empty hours, oldest first. */
  countByHour(
    organizationId: string,
    filter: { endpoint_id: string | null; since: Date; until: Date },
  ): Promise<DeliveryHour[]>
  /** Of the newest `limit` attempts at an endpoint. */
  statistics(organizationId: string, endpointId: string, limit: number): Promise<EndpointStatistics>
  /**
   * Creates a new delivery of the same event to the same endpoint, and drops the old one if it is pending.
   * @returns its id, and the body of the event; null if the old one is being sent, or its event is no longer kept
   */
  resend(
    organizationId: string,
    delivery: Pick<StoredDelivery, 'id' | 'event_id' | 'endpoint_id'>,
    now: Date,
  ): Promise<{ readonly id: string; readonly body: string } | null>
}
