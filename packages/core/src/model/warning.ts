import type { ApiKey } from './api-key.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'

export const WARNING_KINDS = ['endpoint_failing', 'deliveries_exhausted', 'api_key_expiring'] as const
export type WarningKind = (typeof WARNING_KINDS)[number]

export type WarnedEndpoint = Pick<WebhookEndpoint, 'id' | 'organization_id' | 'name'>

/** The API key of a warning. If it was rolled, `replaced_by` is the new key. */
export type ExpiringApiKey = Pick<
  ApiKey,
  'id' | 'organization_id' | 'owner_id' | 'name' | 'masked_key' | 'replaced_by'
>

/** Every delivery to an endpoint has failed for `warnAfterMs`. */
export interface EndpointFailingWarning {
  /** Stays the same when the hook is called again. */
  readonly id: string
  readonly endpoint: WarnedEndpoint
  /** The first failure since the last success. */
  readonly failingSince: Date
  /** When the endpoint will be disabled unless a delivery succeeds. Null: never (`delivery.disableAfterMs` is 0). */
  readonly disablesAt: Date | null
  /** The newest change of the endpoint before the first failure, from the audit log. Null: none is known. */
  readonly changedBefore: WebhookEndpoint['health']['changed_before_failing']
}

/** Deliveries to an endpoint failed at their last attempt. */
export interface DeliveriesExhaustedWarning {
  /** Stays the same when the hook is called again. */
  readonly id: string
  readonly endpoint: WarnedEndpoint
  /** The number of deliveries, within an hour. */
  readonly count: number
  /** When the first of them failed. */
  readonly since: Date
  /** When the last of them failed. */
  readonly until: Date
}

/** An API key expires soon. */
export interface ApiKeyExpiringWarning {
  /** Stays the same when the hook is called again. */
  readonly id: string
  readonly apiKey: ExpiringApiKey
  readonly expiresAt: Date
  /** Days left when the warning was created, rounded up: 30, 7 or 1, or fewer if no worker was running then. */
  readonly daysLeft: number
}

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** Days before expiry at which the owner of a key is warned, ascending. */
export const KEY_WARNING_DAYS = [1, 7, 30] as const

/** How long before expiry responses carry the expiry. */
const KEY_NOTICE_MS = Math.max(...KEY_WARNING_DAYS) * DAY_MS

/** Whether the responses to requests with a key carry `X-API-Key-Expires-At`. */
export function isKeyExpiring(expiresAt: Date, now: Date): boolean {
  return expiresAt.getTime() - now.getTime() <= KEY_NOTICE_MS
}

/**
 * How long an endpoint has failed at each warning, descending: a day before it is disabled, and after `warnAfterMs`.
 * Empty: never.
 */
export function endpointWarnings(policy: { warnAfterMs: number; disableAfterMs: number }): readonly number[] {
  const { warnAfterMs, disableAfterMs } = policy
  if (warnAfterMs === 0) return []
  const lastMs = disableAfterMs - DAY_MS
  return lastMs > warnAfterMs ? [lastMs, warnAfterMs] : [warnAfterMs]
}

/** Calls of a failing hook, with a back-off of up to an hour: about a day. */
const WARNING_ATTEMPTS = 29

const FIRST_RETRY_MS = 60 * 1000

/** The time of the next call of a failed hook; null after the last one. */
export function nextWarningAt(attempt: number, now: Date): Date | null {
  if (attempt >= WARNING_ATTEMPTS) return null
  return new Date(now.getTime() + Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), HOUR_MS))
}
