import type { WebhookHeaderNames } from '@quickquote/webhook-signature'
import type { DeliveryPolicy } from './delivery.ts'
import { eventIdOf } from './webhook-event.ts'

/** Unix time in whole seconds: what is signed, and what the timestamp header says. */
export function signingTime(attemptedAt: Date): number {
  return Math.floor(attemptedAt.getTime() / 1000)
}

/** The headers of the Standard Webhooks specification. */
export const STANDARD_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const

/** What an attempt sends (specification, "Delivery headers"), but for the signatures and the name of the client. */
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
