import { v7 as uuidv7 } from 'uuid'
import { type QuotationEventData, type QuotationEventType, WebhookEvent } from './event-catalog.ts'
import { validate } from './validator.ts'

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

/** What happened, and to whom. */
export interface NewEvent {
  readonly type: QuotationEventType
  readonly organizationId: string
  readonly data: QuotationEventData
  readonly now: Date
}

/** Builds the envelope. Only the fields of the catalog get in. */
export function buildWebhookEvent({ type, organizationId, data, now }: NewEvent, id: string): WebhookEvent {
  return {
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
}

/**
 * Makes the event and its bytes. They are held to the schema that the catalog documents.
 * @throws IntegrationError VALIDATION_FAILED when the pipeline reported something that the schema does not allow
 */
export function createWebhookEvent(event: NewEvent): RecordedEvent {
  const id = uuidv7()
  const body = JSON.stringify(buildWebhookEvent(event, id))
  validate(WebhookEvent, JSON.parse(body))
  return {
    id,
    organization_id: event.organizationId,
    type: event.type,
    quotation_id: event.data.quotation_id,
    generation_source: event.data.generation_source,
    created_at: event.now,
    body,
  }
}
