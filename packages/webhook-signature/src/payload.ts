/** The event types of quotations (specification, "Event catalog"). They are stable; new ones may be added. */
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

/** The fields of every event. */
interface Envelope<Type extends string, Data> {
  /** `evt_` and a UUID. Deliveries may be repeated: deduplicate by this. */
  readonly id: string
  readonly type: Type
  /** The time of the event: ISO 8601, UTC. */
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
  /** The failed step; `unknown` if not known. */
  readonly step: AnalysisStep | 'proposal' | 'unknown'
  readonly status: 'failed'
  /** The error code of the pipeline. */
  readonly error_code: string | null
}

type AnalysisStep =
  | 'requirement_analysis'
  | 'functional_specification'
  | 'work_breakdown'
  | 'effort_estimation'

/** A step before the proposal has finished. */
type AnalysisEvent = {
  [Step in AnalysisStep]: Envelope<`quotation.${Step}.completed`, CompletedData<Step, string | null>>
}[AnalysisStep]

/** A quotation event. `type` determines the fields of `data`. */
export type QuotationEvent =
  | AnalysisEvent
  | Envelope<'quotation.proposal.completed', CompletedData<'proposal', string>>
  | Envelope<'quotation.completed', CompletedData<'proposal', string>>
  | Envelope<'quotation.failed', FailedData>

/** Another event of the product, such as `project.created`. Its `type` is not in {@link QUOTATION_EVENT_TYPES}. */
export type OtherEvent = Envelope<string, Readonly<Record<string, unknown>>>

/**
 * The body of a delivery (specification, "Payload"): ids and status. Read the rest through the API.
 *
 * New fields and event types may be added. Call {@link isQuotationEvent} first, then switch on `type`, which determines
 * `data`. Ignore unknown events, and respond with 2xx.
 */
export type WebhookPayload = QuotationEvent | OtherEvent

/** Whether its type is in {@link QUOTATION_EVENT_TYPES}. Checks only the type. */
export function isQuotationEvent(event: WebhookPayload): event is QuotationEvent {
  return QUOTATION_EVENT_TYPES.some((type) => type === event.type)
}
