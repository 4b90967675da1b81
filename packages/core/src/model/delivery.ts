import { type Static, Type } from '@sinclair/typebox'
import { defaultsOf, MAX_TIMER_MS, type OptionTable } from '../lib/option-check.ts'
import {
  NullableInteger,
  NullableString,
  NullableTimestamp,
  NullableUuid,
  OneOf,
  Timestamp,
  Uuid,
} from '../lib/schema.ts'

/**
 * How an attempt ended: `succeeded` (2xx); `failed` (a retry is due); `exhausted` (the last attempt failed); `rejected`
 * (410, or an address that may not be called); `interrupted` (the process died while sending: the outcome is unknown).
 */
export const ATTEMPT_STATUSES = ['succeeded', 'failed', 'exhausted', 'rejected', 'interrupted'] as const
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number]

const QuotationName = Type.String({
  description: 'Only when the quotation can be found; `[erased]` once it was erased.',
})

/** One attempt to deliver one event to one endpoint (specification, "Delivery attempt"). */
export const DeliveryAttempt = Type.Object(
  {
    id: Uuid,
    event_id: Type.String(),
    event_type: Type.String(),
    delivery_id: Uuid,
    endpoint_id: Uuid,
    endpoint_name: Type.Optional(Type.String({ description: 'The name today, of a deleted endpoint too.' })),
    attempt: Type.Integer({ description: '1 for the first.' }),
    status: OneOf(ATTEMPT_STATUSES),
    http_status: NullableInteger,
    error: NullableString,
    duration_ms: NullableInteger,
    quotation_id: NullableUuid,
    quotation_name: Type.Optional(QuotationName),
    is_test: Type.Boolean(),
    created_at: Timestamp,
    next_attempt_at: NullableTimestamp,
  },
  { title: 'DeliveryAttempt' },
)
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

/** An attempt with what was sent and what came back. */
export const DeliveryAttemptDetails = Type.Composite(
  [
    DeliveryAttempt,
    Type.Object({
      request_headers: Type.Unsafe<Record<string, string> | null>({
        type: ['object', 'null'],
        additionalProperties: { type: 'string' },
        description:
          "The signatures are left out; the value of each header of the endpoint's own is `…`. Null when nothing was sent.",
      }),
      response_body: Type.Unsafe<string | null>({
        ...NullableString,
        description: 'The beginning of what the receiver answered, at most 1,024 bytes.',
      }),
      first_byte_ms: Type.Unsafe<number | null>({
        ...NullableInteger,
        description: 'How long the receiver took to begin its answer.',
      }),
    }),
  ],
  { title: 'DeliveryAttemptDetails' },
)
export type DeliveryAttemptDetails = Static<typeof DeliveryAttemptDetails>

/**
 * Where a delivery stands: `pending` (its next attempt is to come), `sending`, `parked` (its endpoint was disabled or
 * deleted), `succeeded`, or `failed` (given up).
 */
export const DELIVERY_STATUSES = ['pending', 'sending', 'parked', 'succeeded', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** An event on its way to one endpoint, with everything that was tried. */
export const Delivery = Type.Object(
  {
    id: Uuid,
    event_id: Type.String(),
    event_type: Type.String(),
    endpoint_id: Uuid,
    endpoint_name: Type.Optional(Type.String({ description: 'The name today, of a deleted endpoint too.' })),
    status: OneOf(DELIVERY_STATUSES),
    quotation_id: NullableUuid,
    quotation_name: Type.Optional(QuotationName),
    is_test: Type.Boolean(),
    next_attempt_at: NullableTimestamp,
    request_body: Type.Unsafe<string | null>({
      ...NullableString,
      description:
        'What every attempt sends, byte for byte. Null when the event is no longer kept; `[erased]` once its quotation was erased.',
    }),
    attempts: Type.Array(DeliveryAttemptDetails, { description: 'The first one first.' }),
  },
  { title: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>

/**
 * Events that never reached an endpoint, one row for each: its newest attempt. `retrying`: another attempt is to come;
 * `given_up`: none is; `all`: those, and what is parked.
 */
export const UNDELIVERED = ['all', 'retrying', 'given_up'] as const
export type Undelivered = (typeof UNDELIVERED)[number]

/** The attempts of one hour, tests left out. */
export const DeliveryHour = Type.Object(
  {
    hour: Type.Unsafe<Date>({ ...Timestamp, description: 'When it began.' }),
    delivered: Type.Integer({ description: 'Attempts that succeeded.' }),
    failed: Type.Integer({ description: 'Attempts that did not.' }),
  },
  { title: 'DeliveryHour' },
)
export type DeliveryHour = Static<typeof DeliveryHour>

/** How deliveries are made, all of it options of the host (specification, "Delivery behavior"). */
export interface DeliveryPolicy {
  /** Attempts of one event to one endpoint. Default 8. */
  readonly maxAttempts: number
  /** Milliseconds for one attempt: DNS, connect, TLS, request, headers and body together. Default 10,000. */
  readonly timeoutMs: number
  /** Milliseconds after the first failed attempt; each further wait is `backoffFactor` times longer. Default 10,000. */
  readonly backoffMs: number
  /** How many times longer each wait is than the one before. Default 4. */
  readonly backoffFactor: number
  /** Each wait is varied by up to this share, up or down. Default 0.2. */
  readonly jitter: number
  /** The longest `Retry-After` of a receiver that is honoured, in milliseconds. Default 12 hours. */
  readonly maxRetryAfterMs: number
  /** Bytes of the decoded response body that are read at most. Default 16 KiB. */
  readonly maxResponseBytes: number
  /**
   * Raw bytes of a response that are read at most: informational responses, headers, body, chunk extensions, trailers.
   * Default 256 KiB.
   */
  readonly maxRawResponseBytes: number
  /** An endpoint is disabled once all of its deliveries have failed for this long, in milliseconds; 0: never. Default 5 days. */
  readonly disableAfterMs: number
  /**
   * `onEndpointFailing` is called once all deliveries to an endpoint have failed for this long, in milliseconds, and a day
   * before it is disabled; 0: never. Default 6 hours.
   */
  readonly warnAfterMs: number
  /** Deliveries to one endpoint that may be under way at once, tests among them, over all workers. Default 8. */
  readonly perEndpoint: number
  /**
   * Whether webhooks are signed for receivers of the Standard Webhooks specification, too: `webhook-id`, `webhook-timestamp`
   * and `webhook-signature` beside our own headers. Default false.
   */
  readonly standardWebhooks: boolean
}

export const DELIVERY_OPTIONS: OptionTable<DeliveryPolicy> = {
  maxAttempts: { default: 8, min: 1 },
  timeoutMs: { default: 10_000, min: 1, max: MAX_TIMER_MS },
  backoffMs: { default: 10_000, min: 0 },
  backoffFactor: { default: 4, min: 1, fraction: true },
  jitter: { default: 0.2, min: 0, max: 1, fraction: true },
  maxRetryAfterMs: { default: 12 * 60 * 60 * 1000, min: 0 },
  maxResponseBytes: { default: 16 * 1024, min: 0 },
  maxRawResponseBytes: { default: 256 * 1024, min: 1 },
  disableAfterMs: { default: 5 * 24 * 60 * 60 * 1000, min: 0 },
  warnAfterMs: { default: 6 * 60 * 60 * 1000, min: 0 },
  perEndpoint: { default: 8, min: 1 },
  standardWebhooks: { default: false },
}
export const DEFAULT_DELIVERY_POLICY: DeliveryPolicy = defaultsOf(DELIVERY_OPTIONS)

/** What happened when an attempt was made. */
export type Outcome =
  | { readonly kind: 'response'; readonly httpStatus: number; readonly retryAfterMs: number | null }
  /** `code` names the kind of failure and never changes; `error` is for people. */
  | { readonly kind: 'error'; readonly code: string; readonly error: string }
  | { readonly kind: 'blocked'; readonly error: string }

/** What follows from an outcome, as it is recorded. `next_attempt_at` is set exactly when `status` is `failed`. */
export interface Settlement {
  readonly status: Exclude<AttemptStatus, 'interrupted'>
  readonly http_status: number | null
  readonly error: string | null
  /** What failed, for logs and metrics: a status (`503`), or a word that never changes (`timeout`). null: nothing. */
  readonly error_code: string | null
  readonly next_attempt_at: Date | null
}

/**
 * Decides what an outcome means (specification, "Delivery behavior"): 2xx succeeds; 410 and a blocked address end the
 * event for this endpoint; everything else is retried until the attempts are used up. A test has one attempt.
 * @param attempt 1 for the first attempt
 * @param random a number from 0 to 1, for the jitter
 */
export function settle(
  outcome: Outcome,
  context: { attempt: number; isTest: boolean; now: Date; policy: DeliveryPolicy; random: number },
): Settlement {
  const http_status = outcome.kind === 'response' ? outcome.httpStatus : null
  if (http_status !== null && http_status >= 200 && http_status < 300) {
    return { status: 'succeeded', http_status, error: null, error_code: null, next_attempt_at: null }
  }
  const error = outcome.kind === 'response' ? describeStatus(outcome.httpStatus) : outcome.error
  const failure = { http_status, error, error_code: errorCodeOf(outcome) }
  if (http_status === 410 || outcome.kind === 'blocked') {
    return { status: 'rejected', ...failure, next_attempt_at: null }
  }
  if (context.isTest || context.attempt >= context.policy.maxAttempts) {
    return { status: 'exhausted', ...failure, next_attempt_at: null }
  }
  const waitMs = Math.max(backoff(context), retryAfter(outcome, context.policy))
  return { status: 'failed', ...failure, next_attempt_at: new Date(context.now.getTime() + waitMs) }
}

function backoff({
  attempt,
  policy,
  random,
}: {
  attempt: number
  policy: DeliveryPolicy
  random: number
}): number {
  const waitMs = policy.backoffMs * policy.backoffFactor ** (attempt - 1)
  return Math.round(waitMs * (1 + policy.jitter * (2 * random - 1)))
}

/** Only 429 and 503 ask to be called later; a `Retry-After` elsewhere means something else. */
function retryAfter(outcome: Outcome, policy: DeliveryPolicy): number {
  if (outcome.kind !== 'response' || outcome.retryAfterMs === null) return 0
  if (outcome.httpStatus !== 429 && outcome.httpStatus !== 503) return 0
  return Math.min(outcome.retryAfterMs, policy.maxRetryAfterMs)
}

function errorCodeOf(outcome: Outcome): string {
  if (outcome.kind === 'blocked') return 'address_blocked'
  return outcome.kind === 'response' ? String(outcome.httpStatus) : outcome.code
}

function describeStatus(status: number): string {
  if (status === 410) return 'The receiver answered 410: it does not want this event.'
  if (status >= 300 && status < 400) return `The receiver answered ${status}: redirects are not followed.`
  return `The receiver answered ${status}.`
}
