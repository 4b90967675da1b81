import type { DeliveryPolicy } from './delivery.ts'
import type { DeliveryFailure, DeliveryFailureCode } from './delivery-failure.ts'

export interface HttpResponse {
  readonly kind: 'response'
  readonly statusCode: number
  /** null: no readable wish. */
  readonly retryAfterMs: number | null
  /** The head arrived, but the body broke off, did not end in time, or contradicts its length. */
  readonly incomplete?: DeliveryFailure
}

export type Outcome = HttpResponse | DeliveryFailure | { readonly kind: 'blocked'; readonly error: string }

/** The consequence of an outcome, as recorded. */
export type Settlement = Success | Rejection | Exhaustion | Retry

interface Success {
  readonly status: 'succeeded'
  readonly http_status: number
  readonly error: null
  readonly error_code: null
  readonly next_attempt_at: null
  readonly paused_until: null
}

interface Failure {
  readonly http_status: number | null
  readonly error: string
  /** For logs and metrics: a status (`503`) or a stable word (`timeout`). */
  readonly error_code: string
  readonly next_attempt_at: Date | null
  /** The receiver wants no delivery to its endpoint before this time. */
  readonly paused_until: Date | null
}

interface Rejection extends Failure {
  readonly status: 'rejected'
  readonly next_attempt_at: null
  readonly paused_until: null
}

/** It was the last attempt. */
interface Exhaustion extends Failure {
  readonly status: 'exhausted'
  readonly next_attempt_at: null
}

interface Retry extends Failure {
  readonly status: 'failed'
  readonly next_attempt_at: Date
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
  if (outcome.kind === 'response' && isSuccess(outcome)) {
    const { statusCode } = outcome
    return { status: 'succeeded', http_status: statusCode, error: null, error_code: null, ...NOTHING_LATER }
  }
  const http_status = outcome.kind === 'response' ? outcome.statusCode : null
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

const NOTHING_LATER = { next_attempt_at: null, paused_until: null } as const

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
  if (outcome.statusCode !== 429 && outcome.statusCode !== 503) return null
  return Math.min(outcome.retryAfterMs, policy.maxRetryAfterMs)
}

function isSuccess({ statusCode, incomplete }: HttpResponse): boolean {
  return isSuccessful(statusCode) && incomplete === undefined
}

function isSuccessful(status: number): boolean {
  return status >= 200 && status < 300
}

/** A successful status says nothing about a failure. */
function errorCodeOf(outcome: Outcome): string {
  if (outcome.kind === 'blocked') return 'address_blocked' satisfies DeliveryFailureCode
  if (outcome.kind === 'error') return outcome.code
  const { statusCode, incomplete } = outcome
  return incomplete !== undefined && isSuccessful(statusCode) ? incomplete.code : String(statusCode)
}

function describeResponse({ statusCode, incomplete }: HttpResponse): string {
  const status = describeStatus(statusCode)
  return incomplete === undefined ? status : `${status.slice(0, -1)}, but ${incomplete.error}.`
}

function describeStatus(status: number): string {
  if (status === 410) return 'The receiver answered 410 Gone: it does not want this event.'
  if (status >= 300 && status < 400) return `The receiver answered ${status}: redirects are not followed.`
  return `The receiver answered ${status}.`
}
