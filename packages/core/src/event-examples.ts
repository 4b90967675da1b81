import {
  type CatalogEntry,
  EVENT_CATALOG,
  type QuotationEventData,
  type QuotationEventType,
} from './event-catalog.ts'
import { STEPS } from './quotation.ts'
import { buildWebhookEvent } from './webhook-event.ts'

/** Ids that look like ours and belong to nothing. */
const SAMPLE = {
  eventId: '0197a2fa-3b4c-7d5e-8f60-718293a4b5c6',
  quotationId: '0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d',
  proposalId: '0197a2f9-1d2e-7c4b-8e63-4a7f9b2c3d5e',
  createdAt: new Date('2026-11-21T10:09:41.250Z'),
}

/** The catalog as an organization reads it (specification, `GET /events`): its own id, sample ids for the rest. */
export function eventCatalogOf(organizationId: string): CatalogEntry[] {
  return EVENT_CATALOG.map(({ type, description }) => ({
    type,
    description,
    example: buildWebhookEvent(
      { type, organizationId, data: sampleData(type), now: SAMPLE.createdAt },
      SAMPLE.eventId,
    ),
  }))
}

/** `data` of a sample event: of a quote that a partner started. */
export function sampleData(type: QuotationEventType): QuotationEventData {
  const isFailure = type === 'quotation.failed'
  const step =
    STEPS.find((each) => type === `quotation.${each}.completed`) ??
    (isFailure ? 'work_breakdown' : 'proposal')
  return {
    quotation_id: SAMPLE.quotationId,
    proposal_id: step === 'proposal' ? SAMPLE.proposalId : null,
    step,
    status: isFailure ? 'failed' : 'completed',
    error_code: isFailure ? 'MODEL_TIMEOUT' : null,
    generation_source: 'api_key',
  }
}
