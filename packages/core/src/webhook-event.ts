import { v7 as uuidv7 } from 'uuid'
import type { QuotationEventData, QuotationEventType, WebhookEvent } from './event-catalog.ts'

/** An event as it is recorded: the body is serialized here, once, and every attempt to every endpoint sends these bytes. */
export interface RecordedEvent {
  /** The uuid behind `evt_`. Version 7: it tells the day of the event. */
  readonly id: string
  readonly organization_id: string
  readonly type: string
  readonly quotation_id: string | null
  /** Decides, with the trigger mode, which endpoints are notified. */
  readonly generation_source: QuotationEventData['generation_source']
  readonly created_at: Date
  readonly body: string
}

/** The id of an event as receivers see it. */
export function eventIdOf(uuid: string): string {
  return `evt_${uuid}`
}

/** Makes the event and its bytes. */
export function createWebhookEvent(input: {
  type: QuotationEventType
  organizationId: string
  data: QuotationEventData
  now: Date
}): RecordedEvent {
  const id = uuidv7()
  const { type, organizationId, data, now } = input
  const event: WebhookEvent = {
    id: eventIdOf(id),
    type,
    created_at: now,
    organization_id: organizationId,
    data: {
      quotation_id: data.quotation_id,
      proposal_id: data.proposal_id,
      step: data.step,
      status: data.status,
      error_code: data.error_code,
      generation_source: data.generation_source,
    },
  }
  return {
    id,
    organization_id: organizationId,
    type,
    quotation_id: data.quotation_id,
    generation_source: data.generation_source,
    created_at: now,
    body: JSON.stringify(event),
  }
}
