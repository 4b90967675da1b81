import type { PageRequest } from '../lib/page.ts'
import type {
  AttemptStatus,
  Delivery,
  DeliveryAttempt,
  DeliveryAttemptDetails,
  DeliveryHour,
  Undelivered,
} from '../model/delivery.ts'

/** An attempt as it is stored: names are resolved later. `event_id` is the uuid. */
export type StoredAttempt = Omit<DeliveryAttempt, 'quotation_name' | 'endpoint_name'>

export type StoredAttemptDetails = StoredAttempt &
  Pick<DeliveryAttemptDetails, 'response_body' | 'first_byte_ms'> & {
    readonly event_sequence: number | null
    /** The headers of the endpoint's own that were sent; null: none. */
    readonly header_names: readonly string[] | null
  }

/** A delivery as it is stored. */
export interface StoredDelivery
  extends Omit<Delivery, 'quotation_name' | 'endpoint_name' | 'request_body' | 'attempts'> {
  readonly attempts: readonly StoredAttemptDetails[]
}

/** Which attempts are wanted; null: any. */
export interface AttemptFilter {
  readonly endpoint_id: string | null
  readonly event_type: string | null
  readonly status: AttemptStatus | null
  readonly undelivered: Undelivered | null
  /** Inclusive. */
  readonly since: Date | null
  /** Exclusive. */
  readonly until: Date | null
}

/** What was sent. */
export interface DeliveryLogStorage {
  /** The newest first. */
  listAttempts(organizationId: string, filter: AttemptFilter, page: PageRequest): Promise<StoredAttempt[]>
  find(organizationId: string, id: string): Promise<StoredDelivery | null>
  /** What is sent of an event; null when it is no longer kept. `eventId` is the uuid. */
  findBody(organizationId: string, eventId: string): Promise<string | null>
  /** Counts attempts by the hour they were made in, tests left out; hours without any are left out too. The oldest first. */
  countByHour(
    organizationId: string,
    filter: { endpoint_id: string | null; since: Date; until: Date },
  ): Promise<DeliveryHour[]>
  /**
   * Starts a new delivery of the same event to the same endpoint, in place of the one given if that has not ended.
   * @returns its id; null when that one is being sent, or its event is no longer kept
   */
  resend(
    organizationId: string,
    delivery: Pick<StoredDelivery, 'id' | 'event_id' | 'endpoint_id'>,
    now: Date,
  ): Promise<string | null>
}
