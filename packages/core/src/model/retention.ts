import { ConfigurationError } from '../lib/errors.ts'
import { defaultsOf, type OptionTable } from '../lib/option-check.ts'
import type { DeliveryPolicy } from './delivery.ts'

/** How long history is kept, in whole days. Quotations are the host's business data: they are kept. */
export interface Retention {
  /**
   * Events, deliveries and delivery attempts. What is older goes a day (UTC) at a time, so it is kept for up to a day
   * longer. At most 366; at least a day longer than deliveries are retried and failing endpoints are watched: 6 unless
   * `delivery` says otherwise. Default 30, or that least if it is more.
   */
  readonly eventDays: number
  /** Entries of the audit log; 0: for ever. Default 400. */
  readonly auditDays: number
  /** Requirements files, counted from the end of their quote; 0: for ever. Default 30. */
  readonly fileDays: number
}

/** Every claim looks at all the days that there are. */
const MOST_EVENT_DAYS = 366
const MOST_DAYS = 36_500

export const RETENTION_OPTIONS: OptionTable<Retention> = {
  eventDays: { default: 30, min: 1, max: MOST_EVENT_DAYS },
  auditDays: { default: 400, min: 0, max: MOST_DAYS },
  fileDays: { default: 30, min: 0, max: MOST_DAYS },
}
export const DEFAULT_RETENTION: Retention = defaultsOf(RETENTION_OPTIONS)

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * With the days that events are kept at least: longer than they are retried.
 * @throws ConfigurationError when deliveries are retried for longer than events can be kept
 */
export function retentionOptions(delivery: DeliveryPolicy): OptionTable<Retention> {
  const least = leastEventDays(delivery)
  if (least > MOST_EVENT_DAYS) {
    throw new ConfigurationError(
      `createIntegrations: with this delivery policy events would have to be kept for ${least} days, and ` +
        `${MOST_EVENT_DAYS} is the most: retry, or watch failing endpoints, for a shorter time.`,
    )
  }
  const { eventDays } = RETENTION_OPTIONS
  return {
    ...RETENTION_OPTIONS,
    eventDays: { ...eventDays, default: Math.max(eventDays.default, least), min: least },
  }
}

function leastEventDays(delivery: DeliveryPolicy): number {
  return Math.ceil(Math.max(longestRetriesMs(delivery), delivery.disableAfterMs) / DAY_MS) + 1
}

/** From the first attempt to the last one, when every receiver asks for the longest wait. */
function longestRetriesMs(delivery: DeliveryPolicy): number {
  const { maxAttempts, timeoutMs, backoffMs, backoffFactor, jitter, maxRetryAfterMs } = delivery
  let totalMs = maxAttempts * timeoutMs
  for (let retry = 0; retry < maxAttempts - 1; retry += 1) {
    totalMs += Math.max(backoffMs * backoffFactor ** retry * (1 + jitter), maxRetryAfterMs)
  }
  return totalMs
}

/** The beginning of the first day (UTC) of which all is kept. */
export function keptSince(now: Date, days: number): Date {
  return new Date(Math.floor(now.getTime() / DAY_MS - days) * DAY_MS)
}
