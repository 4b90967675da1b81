/** The event types of quotations (specification, "Event catalog"). They are stable; there may be more to come. */
export const QUOTATION_EVENT_TYPES = [
  'quotation.requirement_analysis.completed',
  'quotation.functional_specification.completed',
  'quotation.work_breakdown.completed',
  'quotation.effort_estimation.completed',
  'quotation.proposal.completed',
  'quotation.completed',
  'quotation.failed',
] as const

export type QuotationEventType = (typeof QUOTATION_EVENT_TYPES)[number]

/** What every event has, whatever it tells of. */
interface Envelope<Type extends string, Data> {
  /** `evt_` and a uuid. A delivery may come more than once: deduplicate on this. */
  readonly id: string
  readonly type: Type
  /** When the event happened: ISO 8601, UTC. */
  readonly created_at: string
  readonly organization_id: string
  readonly data: Data
}

interface QuotationData {
  readonly quotation_id: string
  /** How the quotation was started: through the partner API, or in the web app. */
  readonly generation_source: 'api_key' | 'ui'
}

interface CompletedData<Step extends string, ProposalId> extends QuotationData {
  readonly proposal_id: ProposalId
  readonly step: Step
  readonly status: 'completed'
  readonly error_code: null
}

interface FailedData extends QuotationData {
  readonly proposal_id: string | null
  /** The step that failed; `unknown` when that is not known. */
  readonly step: AnalysisStep | 'proposal' | 'unknown'
  readonly status: 'failed'
  /** As the pipeline gave it. */
  readonly error_code: string | null
}

type AnalysisStep =
  | 'requirement_analysis'
  | 'functional_specification'
  | 'work_breakdown'
  | 'effort_estimation'

/** A step before the proposal finished. */
type AnalysisEvent = {
  [Step in AnalysisStep]: Envelope<`quotation.${Step}.completed`, CompletedData<Step, string | null>>
}[AnalysisStep]

/** The events of quotations: `type` tells which one it is, and what is in `data`. */
export type QuotationEvent =
  | AnalysisEvent
  | Envelope<'quotation.proposal.completed', CompletedData<'proposal', string>>
  | Envelope<'quotation.completed', CompletedData<'proposal', string>>
  | Envelope<'quotation.failed', FailedData>

/** An event of the product beside quotations, such as `project.created`. Its `type` is none of {@link QUOTATION_EVENT_TYPES}. */
export type OtherEvent = Envelope<string, Readonly<Record<string, unknown>>>

/**
 * The body of a delivery (specification, "Payload"): identifiers and status; read the rest through the API.
 *
 * New fields and new types of events may come. Ask {@link isQuotationEvent} first, then look at `type`: it
 * tells what is in `data`. Ignore what you do not know, and answer it with a 2xx.
 */
export type WebhookPayload = QuotationEvent | OtherEvent

/** Whether it is one of the events of {@link QUOTATION_EVENT_TYPES}. It looks at the type alone. */
export function isQuotationEvent(event: WebhookPayload): event is QuotationEvent {
  return QUOTATION_EVENT_TYPES.some((type) => type === event.type)
}
