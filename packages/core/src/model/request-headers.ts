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
  return {
    [names.contentType]: 'application/json',
    [names.eventId]: id,
    [names.eventType]: attempt.event_type,
    ...(attempt.event_sequence !== null && { [names.eventSequence]: String(attempt.event_sequence) }),
    [names.timestamp]: timestamp,
    ...(standardWebhooks && { [STANDARD_HEADERS.id]: id, [STANDARD_HEADERS.timestamp]: timestamp }),
  }
}
