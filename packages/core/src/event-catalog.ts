import { type Static, Type } from '@sinclair/typebox'
import { SOURCES, STEPS, type Step } from './quotation.ts'
import { NullableString, NullableUuid, OneOf, Timestamp, Uuid } from './schema.ts'

/** `data` of a quotation event (specification, "Payload"): identifiers and status, never the content of a proposal. */
export const QuotationEventData = Type.Object({
  quotation_id: Uuid,
  proposal_id: NullableUuid,
  step: OneOf([...STEPS, 'unknown'], {
    description: 'The step; for a failure the failed step, or `unknown`.',
  }),
  status: OneOf(['completed', 'failed']),
  error_code: NullableString,
  generation_source: OneOf(SOURCES),
})
export type QuotationEventData = Static<typeof QuotationEventData>

/** The envelope that is sent (specification, "Payload"). */
export const WebhookEvent = Type.Object(
  {
    id: Type.String({ pattern: '^evt_[0-9a-f-]{36}$', description: 'Unique per event; deduplicate on it.' }),
    type: Type.String(),
    created_at: Timestamp,
    organization_id: Uuid,
    data: QuotationEventData,
  },
  { title: 'WebhookEvent' },
)
export type WebhookEvent = Static<typeof WebhookEvent>

export type QuotationEventType = `quotation.${Step}.completed` | 'quotation.completed' | 'quotation.failed'

export interface EventDefinition {
  readonly type: QuotationEventType
  readonly description: string
}

/** The event catalog (specification, "Event catalog"). The type strings are stable. */
export const EVENT_CATALOG: readonly EventDefinition[] = [
  {
    type: 'quotation.requirement_analysis.completed',
    description: 'The requirement analysis step finished.',
  },
  {
    type: 'quotation.functional_specification.completed',
    description: 'The functional specification step finished.',
  },
  { type: 'quotation.work_breakdown.completed', description: 'The work breakdown step finished.' },
  { type: 'quotation.effort_estimation.completed', description: 'The effort estimation step finished.' },
  { type: 'quotation.proposal.completed', description: 'The proposal is ready.' },
  { type: 'quotation.completed', description: 'The whole Quick Quote succeeded.' },
  { type: 'quotation.failed', description: 'The run failed. Nothing more follows for this run.' },
]

/** An entry of the catalog, with what a receiver of the event would get. */
export const CatalogEntry = Type.Object(
  { type: Type.String(), description: Type.String(), example: WebhookEvent },
  { title: 'CatalogEntry' },
)
export type CatalogEntry = Static<typeof CatalogEntry>

export const EVENT_TYPES: readonly QuotationEventType[] = EVENT_CATALOG.map((event) => event.type)
