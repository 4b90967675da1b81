import type { Static } from '@sinclair/typebox'
import { described, Nullable, OneOf, Uuid } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import type { EventDefinition } from './event-definition.ts'
import { SOURCES, STEPS, type Step } from './quotation.ts'

/** `data` of a quotation event (specification, "Payload"): ids and status, never the content of a proposal. */
export const QuotationEventData = Type.Object(
  {
    quotation_id: described(Uuid, 'The quotation.'),
    proposal_id: Nullable(Uuid, 'Its proposal, once there is one.'),
    step: OneOf([...STEPS, 'unknown'], {
      description: 'The step; for a failure, the failed step or `unknown`.',
    }),
    status: OneOf(['completed', 'failed'], { description: '`failed` for `quotation.failed` alone.' }),
    error_code: Nullable(Type.String(), 'The reason for the failure, if known.'),
    generation_source: OneOf(SOURCES, {
      description: 'Whether a partner or the web app started the quotation.',
    }),
  },
  { title: 'QuotationEventData' },
)
export type QuotationEventData = Static<typeof QuotationEventData>

export type QuotationEventType = `quotation.${Step}.completed` | 'quotation.completed' | 'quotation.failed'

/** `data` of a sample event, with ids that belong to nothing. */
function example(step: Step, fields: Partial<QuotationEventData> = {}): QuotationEventData {
  return {
    quotation_id: '0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d',
    proposal_id: step === 'proposal' ? '0197a2f9-1d2e-7c4b-8e63-4a7f9b2c3d5e' : null,
    step,
    status: 'completed',
    error_code: null,
    generation_source: 'api_key',
    ...fields,
  }
}

/** The quotation events (specification, "Event catalog"). Their types are stable. */
export const QUOTATION_EVENTS: Readonly<
  Record<QuotationEventType, EventDefinition<typeof QuotationEventData>>
> = {
  'quotation.requirement_analysis.completed': {
    description: 'The requirement analysis step finished.',
    data: QuotationEventData,
    example: example('requirement_analysis'),
  },
  'quotation.functional_specification.completed': {
    description: 'The functional specification step finished.',
    data: QuotationEventData,
    example: example('functional_specification'),
  },
  'quotation.work_breakdown.completed': {
    description: 'The work breakdown step finished.',
    data: QuotationEventData,
    example: example('work_breakdown'),
  },
  'quotation.effort_estimation.completed': {
    description: 'The effort estimation step finished.',
    data: QuotationEventData,
    example: example('effort_estimation'),
  },
  'quotation.proposal.completed': {
    description: 'The proposal is ready.',
    data: QuotationEventData,
    example: example('proposal'),
  },
  'quotation.completed': {
    description: 'The whole Quick Quote succeeded.',
    data: QuotationEventData,
    example: example('proposal'),
  },
  'quotation.failed': {
    description: 'The run failed. No further events follow for this run.',
    data: QuotationEventData,
    example: example('work_breakdown', { status: 'failed', error_code: 'MODEL_TIMEOUT' }),
  },
}

/** The event types of the specification. `settings.events.types` also has the host's. */
export const EVENT_TYPES = Object.keys(QUOTATION_EVENTS) as readonly QuotationEventType[]
