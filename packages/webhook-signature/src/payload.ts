/** The event types of quotations (specification, "Event catalog"). They are stable. */
export type QuotationEventType =
  | 'quotation.requirement_analysis.completed'
  | 'quotation.functional_specification.completed'
  | 'quotation.work_breakdown.completed'
  | 'quotation.effort_estimation.completed'
  | 'quotation.proposal.completed'
  | 'quotation.completed'
  | 'quotation.failed'

/**
 * The body of a delivery (specification, "Payload"): identifiers and status; read the rest through the API.
 *
 * New fields and new domains of events (`project.*`) may come: ignore what you do not know, and look at `type` before
 * you read `data`, which is described here for the `quotation` events.
 */
export interface WebhookPayload {
  /** `evt_` and a uuid. A delivery may come more than once: deduplicate on this. */
  readonly id: string
  readonly type: QuotationEventType | (string & {})
  /** When the event happened: ISO 8601, UTC. */
  readonly created_at: string
  readonly organization_id: string
  readonly data: {
    readonly quotation_id: string
    readonly proposal_id: string | null
    /** The step that finished or failed; `proposal` for `quotation.completed`; `unknown` when the failed step is not known. */
    readonly step: string
    readonly status: 'completed' | 'failed'
    /** May be set on failure. */
    readonly error_code: string | null
    /** How the quotation was started: through the partner API, or in the web app. */
    readonly generation_source: 'api_key' | 'ui'
  }
}
