import type { ApiKey } from './api-key.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'

/** Kinds of warnings to the host. */
export const WARNING_KINDS = ['endpoint_failing', 'deliveries_exhausted', 'api_key_expiring'] as const
export type WarningKind = (typeof WARNING_KINDS)[number]

/** The endpoint of a warning. */
export type WarnedEndpoint = Pick<WebhookEndpoint, 'id' | 'organization_id' | 'name'>

/** The API key of a warning. */
export type ExpiringApiKey = Pick<ApiKey, 'id' | 'organization_id' | 'owner_id' | 'name' | 'masked_key'>

/** Every delivery to an endpoint has failed for a while. */
export interface EndpointFailingWarning {
  /** Identifies the warning: it is the same when the hook is called again. */
  readonly id: string
  readonly endpoint: WarnedEndpoint
  /** The first failure after the last success. */
  readonly failingSince: Date
  /** When the endpoint is disabled unless a delivery succeeds. Null: never (`delivery.disableAfterMs` is 0). */
  readonly disablesAt: Date | null
}

/** Deliveries to an endpoint were given up after their last attempt. */
export interface DeliveriesExhaustedWarning {
  /** Identifies the warning: it is the same when the hook is called again. */
  readonly id: string
  readonly endpoint: WarnedEndpoint
  /** How many, within an hour. */
  readonly count: number
  /** When the first of them was given up. */
  readonly since: Date
  /** When the last of them was given up. */
  readonly until: Date
}

/** An API key expires soon. */
export interface ApiKeyExpiringWarning {
  /** Identifies the warning: it is the same when the hook is called again. */
  readonly id: string
  readonly apiKey: ExpiringApiKey
  readonly expiresAt: Date
  /** Days left when the warning was made, rounded up: 30, 7 or 1, and fewer if no worker was running at that time. */
  readonly daysLeft: number
}

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** Days before the expiry of a key at which its owner is warned, the fewest first. */
export const KEY_WARNING_DAYS = [1, 7, 30] as const

/** So long before it expires a key's responses carry its expiry. */
const KEY_NOTICE_MS = Math.max(...KEY_WARNING_DAYS) * DAY_MS

/** Whether the responses to requests with a key carry `X-API-Key-Expires-At`. */
export function isKeyExpiring(expiresAt: Date, now: Date): boolean {
  return expiresAt.getTime() - now.getTime() <= KEY_NOTICE_MS
}

/**
 * How long an endpoint has failed when its owner is warned, the longest first: a day before it is disabled, and after
 * `warnAfterMs`. Empty: never.
 */
export function endpointWarnings(policy: { warnAfterMs: number; disableAfterMs: number }): readonly number[] {
  const { warnAfterMs, disableAfterMs } = policy
  if (warnAfterMs === 0) return []
  const lastMs = disableAfterMs - DAY_MS
  return lastMs > warnAfterMs ? [lastMs, warnAfterMs] : [warnAfterMs]
}

/** A hook that throws or hangs is called so often, with waits that grow to an hour: for about a day. */
const WARNING_ATTEMPTS = 29

const FIRST_RETRY_MS = 60 * 1000

/** The time of the next call of a hook that failed; null after the last one. */
export function nextWarningAt(attempt: number, now: Date): Date | null {
  if (attempt >= WARNING_ATTEMPTS) return null
  return new Date(now.getTime() + Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), HOUR_MS))
}
