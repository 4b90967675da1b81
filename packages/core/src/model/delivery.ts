import type { Static } from '@sinclair/typebox'
import { defaultsOf, MAX_TIMER_MS, type OptionsOf, type OptionTable } from '../lib/option-check.ts'
import { described, Nullable, OneOf, Timestamp, Uuid } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import type { DeliveryFailure, DeliveryFailureCode } from './delivery-failure.ts'
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
  maxAttempts: { default: 8, min: 1 },
  /** Milliseconds for one attempt, from the DNS lookup to the end of the response body. Default 10,000. */
  timeoutMs: { default: 10_000, min: 1, max: MAX_TIMER_MS },
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
  warnAfterMs: { default: 6 * 60 * 60 * 1000, min: 0 },
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
  /** Milliseconds between polls of a worker, for work that no notification announced. Default 5,000; 250 with `notify: false`. */
  pollMs: { default: 5000, min: 1, max: MAX_TIMER_MS },
} as const satisfies OptionTable
export type DeliveryPolicy = OptionsOf<typeof DELIVERY_OPTIONS>
export const DEFAULT_DELIVERY_POLICY: DeliveryPolicy = defaultsOf(DELIVERY_OPTIONS)

export interface HttpResponse {
  readonly kind: 'response'
  readonly httpStatus: number
  /** null: no readable wish. */
  readonly retryAfterMs: number | null
  /** The head arrived, but the body broke off, did not end in time, or contradicts its length. */
  readonly incomplete?: DeliveryFailure
}

export type Outcome = HttpResponse | DeliveryFailure | { readonly kind: 'blocked'; readonly error: string }

/** The consequence of an outcome, as recorded. `next_attempt_at` is set exactly if `status` is `failed`. */
export interface Settlement {
  readonly status: Exclude<AttemptStatus, 'interrupted'>
  readonly http_status: number | null
  readonly error: string | null
  /** The failure, for logs and metrics: a status (`503`) or a stable word (`timeout`). null: no failure. */
  readonly error_code: string | null
  readonly next_attempt_at: Date | null
  /** The receiver wants no delivery to its endpoint before this time. */
  readonly paused_until: Date | null
}

interface SettleContext {
  /** 1 for the first attempt. */
  readonly attempt: number
  readonly isTest: boolean
  readonly now: Date
  readonly policy: DeliveryPolicy
  /** From 0 to 1, for the jitter. */
  readonly random: number
}

/**
 * Decides the consequence of an outcome (specification, "Delivery behavior"): a complete 2xx succeeds; 410 or a blocked
 * address ends the delivery; anything else is retried until no attempts are left. A 429, or a 503 with `Retry-After`,
 * also pauses the endpoint. A test has one attempt, and pauses nothing.
 */
export function settle(outcome: Outcome, context: SettleContext): Settlement {
  const http_status = outcome.kind === 'response' ? outcome.httpStatus : null
  if (outcome.kind === 'response' && isSuccess(outcome)) {
    return { status: 'succeeded', http_status, error: null, error_code: null, ...NOTHING_LATER }
  }
  const error = outcome.kind === 'response' ? describeResponse(outcome) : outcome.error
  const failure = { http_status, error, error_code: errorCodeOf(outcome) }
  if (http_status === 410 || outcome.kind === 'blocked') {
    return { status: 'rejected', ...failure, ...NOTHING_LATER }
  }
  if (context.isTest) return { status: 'exhausted', ...failure, ...NOTHING_LATER }
  const backoffMs = backoff(context)
  const askedMs = retryAfter(outcome, context.policy)
  const pauseMs = askedMs ?? (http_status === 429 ? backoffMs : null)
  const paused_until = pauseMs === null ? null : after(context.now, pauseMs)
  if (context.attempt >= context.policy.maxAttempts) {
    return { status: 'exhausted', ...failure, next_attempt_at: null, paused_until }
  }
  const next_attempt_at = after(context.now, Math.max(backoffMs, askedMs ?? 0))
  return { status: 'failed', ...failure, next_attempt_at, paused_until }
}

const NOTHING_LATER = { next_attempt_at: null, paused_until: null }

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms)
}

function backoff({ attempt, policy, random }: SettleContext): number {
  const waitMs = policy.backoffMs * policy.backoffFactor ** (attempt - 1)
  return Math.round(waitMs * (1 + policy.jitter * (2 * random - 1)))
}

/** `Retry-After` means "call again later" only with 429 and 503. null: no such request. */
function retryAfter(outcome: Outcome, policy: DeliveryPolicy): number | null {
  if (outcome.kind !== 'response' || outcome.retryAfterMs === null) return null
  if (outcome.httpStatus !== 429 && outcome.httpStatus !== 503) return null
  return Math.min(outcome.retryAfterMs, policy.maxRetryAfterMs)
}

function isSuccess({ httpStatus, incomplete }: HttpResponse): boolean {
  return isSuccessful(httpStatus) && incomplete === undefined
}

function isSuccessful(status: number): boolean {
  return status >= 200 && status < 300
}

/** A successful status says nothing about a failure. */
function errorCodeOf(outcome: Outcome): string {
  if (outcome.kind === 'blocked') return 'address_blocked' satisfies DeliveryFailureCode
  if (outcome.kind === 'error') return outcome.code
  const { httpStatus, incomplete } = outcome
  return incomplete !== undefined && isSuccessful(httpStatus) ? incomplete.code : String(httpStatus)
}

function describeResponse({ httpStatus, incomplete }: HttpResponse): string {
  const status = describeStatus(httpStatus)
  return incomplete === undefined ? status : `${status.slice(0, -1)}, but ${incomplete.error}.`
}

function describeStatus(status: number): string {
  if (status === 410) return 'The receiver answered 410 Gone: it does not want this event.'
  if (status >= 300 && status < 400) return `The receiver answered ${status}: redirects are not followed.`
  return `The receiver answered ${status}.`
}
