import type { Static } from '@sinclair/typebox'
import { CENTURY_MS, defaultsOf, type OptionsOf, type OptionTable, TIMER } from '../lib/option-check.ts'
import { described, Nullable, OneOf, Timestamp, Uuid } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import { NullableCheckKind } from './receiver-check.ts'

/**
 * The result of an attempt: `succeeded` (2xx); `failed` (a retry is due); `exhausted` (the last attempt failed);
 * `rejected` (410, or an address that must not be called); `interrupted` (the process died while sending: the outcome
 * is unknown).
 */
export const ATTEMPT_STATUSES = ['succeeded', 'failed', 'exhausted', 'rejected', 'interrupted'] as const
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number]

const EndpointName = Type.Optional(
  Type.String({ description: 'The current name. Deleted endpoints keep theirs.' }),
)
const QuotationName = Type.Optional(
  Type.String({
    description: 'Present only if the quotation can be found. `[erased]` once it has been erased.',
  }),
)

/** One attempt to deliver one event to one endpoint (specification, "Delivery attempt"). */
export const DeliveryAttempt = Type.Object(
  {
    id: Uuid,
    event_id: Type.String(),
    event_type: Type.String(),
    delivery_id: Uuid,
    endpoint_id: Uuid,
    endpoint_name: EndpointName,
    attempt: Type.Integer({ description: '1 for the first.' }),
    url: Nullable(
      Type.String(),
      'The URL to which it was sent, without its query. Null if the attempt was interrupted: it may not have been sent.',
    ),
    status: OneOf(ATTEMPT_STATUSES),
    http_status: Nullable(Type.Integer()),
    error: Nullable(Type.String()),
    duration_ms: Nullable(Type.Integer()),
    quotation_id: Nullable(Uuid),
    quotation_name: QuotationName,
    is_test: Type.Boolean(),
    check_kind: NullableCheckKind,
    created_at: Timestamp,
    next_attempt_at: Nullable(Timestamp),
  },
  { title: 'DeliveryAttempt' },
)
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

/** An attempt with its request and its response. */
export const DeliveryAttemptDetails = Type.Composite(
  [
    DeliveryAttempt,
    Type.Object({
      request_headers: Type.Unsafe<Record<string, string> | null>({
        type: ['object', 'null'],
        additionalProperties: { type: 'string' },
        description:
          "Without the signatures. The value of each header of the endpoint's own is `…`. Null if nothing was sent.",
      }),
      response_body: Nullable(
        Type.String(),
        'The beginning of the response body, at most 1,024 bytes. Null for viewers, if the application hides bodies from them.',
      ),
      response_headers: Type.Unsafe<Record<string, string> | null>({
        type: ['object', 'null'],
        additionalProperties: { type: 'string' },
        description:
          'Those that help to find a mistake, such as `server`, `location` or `www-authenticate`, of a response that was no success. Otherwise null.',
      }),
      first_byte_ms: Nullable(Type.Integer(), 'Milliseconds until the first byte of the response.'),
    }),
  ],
  { title: 'DeliveryAttemptDetails' },
)
export type DeliveryAttemptDetails = Static<typeof DeliveryAttemptDetails>

/**
 * The state of a delivery: `pending` (waiting for its next attempt), `sending`, `parked` (its endpoint is disabled or
 * deleted), `succeeded`, or `failed` (given up).
 */
const DELIVERY_STATUSES = ['pending', 'sending', 'parked', 'succeeded', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** The delivery of an event to one endpoint, with all attempts. */
export const Delivery = Type.Object(
  {
    id: Uuid,
    event_id: Type.String(),
    event_type: Type.String(),
    endpoint_id: Uuid,
    endpoint_name: EndpointName,
    status: OneOf(DELIVERY_STATUSES),
    quotation_id: Nullable(Uuid),
    quotation_name: QuotationName,
    is_test: Type.Boolean(),
    next_attempt_at: Nullable(Timestamp),
    resent_as: Nullable(
      Uuid,
      'The newest delivery that a resend of this one created, for as long as the audit log keeps the resend.',
    ),
    resent_from: Nullable(
      Uuid,
      'The delivery whose resend created this one, for as long as the audit log keeps the resend.',
    ),
    request_body: Nullable(
      Type.String(),
      'The exact bytes that each attempt sends. Null once the event is no longer kept; `[erased]` once its quotation has been erased; null for viewers, if the application hides bodies from them.',
    ),
    attempts: Type.Array(DeliveryAttemptDetails, { description: 'Oldest first.' }),
  },
  { title: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>

/** The attempts of one hour, without tests. */
export const DeliveryHour = Type.Object(
  {
    hour: described(Timestamp, 'The start of the hour.'),
    delivered: Type.Integer({ description: 'Successful attempts.' }),
    failed: Type.Integer({ description: 'Failed attempts.' }),
    given_up: Type.Integer({ description: 'Failed attempts that were the last of their delivery.' }),
  },
  { title: 'DeliveryHour' },
)
export type DeliveryHour = Static<typeof DeliveryHour>

/** How an endpoint answered its newest 1,000 attempts. */
export const EndpointStatistics = Type.Object(
  {
    attempts: Type.Integer({ description: 'Attempts, without tests.' }),
    median_ms: Nullable(Type.Integer()),
    p95_ms: Nullable(Type.Integer()),
    failures: Type.Object(
      {
        timeout: Type.Integer({ description: 'No response in time.' }),
        tls: Type.Integer({ description: 'The certificate or the TLS handshake.' }),
        refused: Type.Integer({ description: 'The connection was refused.' }),
        client_error: Type.Integer({ description: '4xx.' }),
        server_error: Type.Integer({ description: '5xx.' }),
        other: Type.Integer({ description: 'All others, such as DNS errors and redirects.' }),
      },
      { description: 'Failed attempts by reason.' },
    ),
  },
  { title: 'EndpointStatistics' },
)
export type EndpointStatistics = Static<typeof EndpointStatistics>

/** How webhooks are delivered (specification, "Delivery behavior"). */
export const DELIVERY_OPTIONS = {
  /** Attempts per event and endpoint. Default 8. */
  maxAttempts: { default: 8, min: 1, max: 1_000_000 },
  /** Milliseconds for one attempt, from the DNS lookup to the end of the response body. Default 10,000. */
  timeoutMs: { default: 10_000, ...TIMER },
  /** Milliseconds before the first retry. Each further wait is `backoffFactor` times longer. Default 10,000. */
  backoffMs: { default: 10_000, min: 0 },
  /** Factor by which each wait grows. Default 4. */
  backoffFactor: { default: 4, min: 1, fraction: true },
  /** Random variation of each wait, as a share of it, up or down. Default 0.2. */
  jitter: { default: 0.2, min: 0, max: 1, fraction: true },
  /** Longest `Retry-After` that is honored, in milliseconds. Default 12 hours. */
  maxRetryAfterMs: { default: 12 * 60 * 60 * 1000, min: 0 },
  /** Bytes of a decoded response body to read. Default 16 KiB. */
  maxResponseBytes: { default: 16 * 1024, min: 0 },
  /**
   * Raw bytes of a response to read, including headers, chunk extensions, trailers and informational responses. Default
   * 256 KiB.
   */
  maxRawResponseBytes: { default: 256 * 1024, min: 1 },
  /**
   * Milliseconds for which all deliveries to an endpoint must have failed before it is disabled; 0: never. Default 5
   * days.
   */
  disableAfterMs: { default: 5 * 24 * 60 * 60 * 1000, min: 0 },
  /**
   * Milliseconds for which all deliveries to an endpoint must have failed before `onEndpointFailing` is called; 0:
   * never. Default 6 hours.
   */
  warnAfterMs: { default: 6 * 60 * 60 * 1000, min: 0, max: CENTURY_MS },
  /** Concurrent deliveries to one endpoint over all workers, including tests. Default 8. */
  perEndpoint: { default: 8, min: 1 },
  /**
   * The same while the endpoint answers within 100 ms: until its first slower or failed answer. Default 64, or
   * `perEndpoint` if you set that.
   */
  perEndpointWhileQuick: { default: 64, min: 1 },
  /**
   * Also signs for Standard Webhooks receivers: adds `webhook-id`, `webhook-timestamp` and `webhook-signature`. Default
   * false.
   */
  standardWebhooks: { default: false },
  /**
   * Whether calls within your own transaction (`within`) send a `NOTIFY` that wakes the workers. While one commits,
   * PostgreSQL lets no other transaction with a `NOTIFY` commit in the whole server, and it cannot be prepared (two-phase
   * commit). With false, workers find such work when they poll. Default true.
   */
  notify: { default: true },
  /**
   * Milliseconds between polls of a worker, for work that no notification announced. Default 5,000; 250 with `notify:
   * false`.
   */
  pollMs: { default: 5000, ...TIMER },
} as const satisfies OptionTable
export type DeliveryPolicy = OptionsOf<typeof DELIVERY_OPTIONS>
export const DEFAULT_DELIVERY_POLICY: DeliveryPolicy = defaultsOf(DELIVERY_OPTIONS)
