import type { WebhookHeaderNames } from '@quickquote/webhook-signature'
import type { DeliveryPolicy } from './delivery.ts'
import { eventIdOf } from './webhook-event.ts'

/** The signed Unix time of the timestamp header, in whole seconds. */
export function signingTime(attemptedAt: Date): number {
  return Math.floor(attemptedAt.getTime() / 1000)
}

/** The headers of the Standard Webhooks specification. */
export const STANDARD_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const

/** The headers of an attempt (specification, "Delivery headers"), without the signatures and the client's name. */
export function requestHeaders(
  names: WebhookHeaderNames,
  attempt: { event_id: string; event_type: string; event_sequence: number | null; created_at: Date },
  { standardWebhooks }: Pick<DeliveryPolicy, 'standardWebhooks'>,
): Record<string, string> {
  const id = eventIdOf(attempt.event_id)
  const timestamp = String(signingTime(attempt.created_at))
  const headers: Record<string, string> = {
    [names.contentType]: 'application/json',
    [names.eventId]: id,
    [names.eventType]: attempt.event_type,
    [names.timestamp]: timestamp,
  }
  if (attempt.event_sequence !== null) headers[names.eventSequence] = String(attempt.event_sequence)
  if (standardWebhooks) {
    headers[STANDARD_HEADERS.id] = id
    headers[STANDARD_HEADERS.timestamp] = timestamp
  }
  return headers
}
