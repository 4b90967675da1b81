import { ConfigurationError } from '../lib/errors.ts'
import {
  CENTURY_DAYS,
  defaultsOf,
  type NumberOption,
  type OptionsOf,
  type OptionTable,
} from '../lib/option-check.ts'
import type { DeliveryPolicy } from './delivery.ts'

/** Every claim scans all days. */
const MOST_EVENT_DAYS = 366

/**
 * How long history is kept, in whole days. Quotations are the host's business data and are always kept.
 * @public: read by the generator of the reference
 */
export const RETENTION_OPTIONS = {
  /**
   * Days to keep events, deliveries and attempts. Removed a whole UTC day at a time. The minimum is a day longer than
   * the retries of `delivery` and `disableAfterMs`: 6 by default. Default 30, or the minimum if that is longer.
   */
  eventDays: { default: 30, min: 1, max: MOST_EVENT_DAYS },
  /** Days to keep audit log entries; 0: forever. Default 400. */
  auditDays: { default: 400, min: 0, max: CENTURY_DAYS },
  /** Days to keep requirements files after their quote has ended; 0: forever. Default 30. */
  fileDays: { default: 30, min: 0, max: CENTURY_DAYS },
} as const satisfies OptionTable
export type Retention = OptionsOf<typeof RETENTION_OPTIONS>
export const DEFAULT_RETENTION: Retention = defaultsOf(RETENTION_OPTIONS)

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Adds the minimum of `eventDays`: longer than the retries.
 * @throws ConfigurationError if deliveries are retried for longer than events can be kept
 */
export function retentionOptions(delivery: DeliveryPolicy): Record<keyof Retention, NumberOption> {
  const least = leastEventDays(delivery)
  if (least > MOST_EVENT_DAYS) {
    throw new ConfigurationError(
      `createIntegrations: with this delivery policy, events must be kept for ${least} days, but the limit is ` +
        `${MOST_EVENT_DAYS}. Shorten the retries of delivery, or delivery.disableAfterMs.`,
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

/** From the first attempt to the last, if every receiver asks for the longest wait. */
function longestRetriesMs(delivery: DeliveryPolicy): number {
  const { maxAttempts, timeoutMs, backoffMs, backoffFactor, jitter, maxRetryAfterMs } = delivery
  let totalMs = maxAttempts * timeoutMs
  for (let retry = 0; retry < maxAttempts - 1; retry += 1) {
    totalMs += Math.max(backoffMs * backoffFactor ** retry * (1 + jitter), maxRetryAfterMs)
  }
  return totalMs
}

/** The start of the first UTC day that is kept completely. */
export function keptSince(now: Date, days: number): Date {
  return new Date(Math.floor(now.getTime() / DAY_MS - days) * DAY_MS)
}
