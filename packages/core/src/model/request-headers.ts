import type { WebhookHeaderNames } from '@quickquote/webhook-signature'
import { eventIdOf } from './webhook-event.ts'

/** Unix time in whole seconds: what is signed, and what the timestamp header says. */
export function signingTime(attemptedAt: Date): number {
  return Math.floor(attemptedAt.getTime() / 1000)
}

/** What an attempt sends (specification, "Delivery headers"), but for the signatures and the name of the client. */
export function requestHeaders(
  names: WebhookHeaderNames,
  attempt: { event_id: string; event_type: string; created_at: Date },
): Record<string, string> {
  return {
    [names.contentType]: 'application/json',
    [names.eventId]: eventIdOf(attempt.event_id),
    [names.eventType]: attempt.event_type,
    [names.timestamp]: String(signingTime(attempt.created_at)),
  }
}
