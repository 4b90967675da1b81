import type { ErrorCode } from '../lib/errors.ts'
import {
  CANCELLED,
  hasEnded,
  type QuotationStatus,
  type Source,
  STEPS,
  type Step,
  type StepStatus,
} from './quotation.ts'
import type { QuotationEventType } from './quotation-events.ts'
import type { ReportedProposal } from './quote-pipeline.ts'

export type Report =
  | { readonly kind: 'step_started'; readonly step: Step }
  | { readonly kind: 'step_completed'; readonly step: Exclude<Step, 'proposal'> }
  | ProposalReport
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly step?: Step | undefined; readonly errorCode?: string | undefined }

export interface ProposalReport {
  readonly kind: 'proposal_ready'
  readonly proposalId: string
  readonly name?: string | undefined
  readonly documentId?: string | undefined
}

/** The state of a quotation before a report. Steps without an entry are pending. */
export interface Progress {
  readonly quotation_id: string
  readonly organization_id: string
  readonly name: string
  readonly source: Source
  readonly status: QuotationStatus
  readonly error_code: string | null
  readonly steps: readonly Pick<StepStatus, 'step' | 'status'>[]
  readonly proposal: ReportedProposal | null
  readonly updated_at: Date
}

/** The changes of a report. Absent fields stay as they are. */
export interface ProgressChange {
  readonly status: QuotationStatus
  readonly processed_step?: Step
  readonly error_code?: string | null
  readonly step?: {
    readonly step: Step
    readonly status: 'running' | 'completed' | 'failed'
    readonly error_code: string | null
  }
  readonly proposal?: ReportedProposal
  /** The emitted event. */
  readonly event?: { readonly type: QuotationEventType; readonly step: Step | 'unknown' }
}

export type Accepted =
  | { readonly kind: 'changed'; readonly change: ProgressChange }
  | { readonly kind: 'unchanged' }

export interface Refused {
  readonly kind: 'refused'
  readonly reason: string
  readonly code: ErrorCode
}

export type Decision = Accepted | Refused

const UNCHANGED: Accepted = { kind: 'unchanged' }

/**
 * Decides the effect of a report. A repeated report changes nothing; steps finish in order; nothing follows the end of
 * a run, except attaching a document to the proposal.
 * @param ofPipeline the steps of the pipeline, in order
 */
export function decide(progress: Progress, report: Report, ofPipeline: readonly Step[] = STEPS): Decision {
  switch (report.kind) {
    case 'step_started':
      return startStep(progress, report.step, ofPipeline)
    case 'step_completed':
      return completeStep(progress, report.step, ofPipeline)
    case 'proposal_ready':
      return decideProposal(progress, report, ofPipeline)
    case 'completed':
      return complete(progress, ofPipeline)
    case 'failed':
      return fail(progress, report)
  }
}

function startStep(progress: Progress, step: Step, ofPipeline: readonly Step[]): Decision {
  if (statusOf(progress, step) !== 'pending') return UNCHANGED
  return (
    refuseOutOfTurn(progress, step, ofPipeline) ??
    changed({ status: 'running', step: { step, status: 'running', error_code: null } })
  )
}

function completeStep(progress: Progress, step: Step, ofPipeline: readonly Step[]): Decision {
  if (statusOf(progress, step) === 'completed') return UNCHANGED
  return refuseOutOfTurn(progress, step, ofPipeline) ?? changed(completionOf(step))
}

function completionOf(step: Step): ProgressChange {
  return {
    status: 'running',
    processed_step: step,
    step: { step, status: 'completed', error_code: null },
    event: { type: `quotation.${step}.completed`, step },
  }
}

/** Like `decide`, with the proposal after the report. */
export function decideProposal(
  progress: Progress,
  report: ProposalReport,
  ofPipeline: readonly Step[] = STEPS,
): (Accepted & { readonly proposal: ReportedProposal }) | Refused {
  const { proposal: known } = progress
  if (known === null) {
    const proposal = {
      id: report.proposalId,
      name: report.name ?? progress.name,
      document_id: report.documentId ?? null,
    }
    const refusal = refuseOutOfTurn(progress, 'proposal', ofPipeline)
    return refusal ?? { ...changed({ ...completionOf('proposal'), proposal }), proposal }
  }
  if (report.documentId === undefined || report.documentId === known.document_id) {
    return { ...UNCHANGED, proposal: known }
  }
  if (known.document_id !== null) return refused('The proposal already has another document.')
  const proposal = { id: known.id, name: report.name ?? known.name, document_id: report.documentId }
  return { ...changed({ status: progress.status, proposal }), proposal }
}

function complete(progress: Progress, ofPipeline: readonly Step[]): Decision {
  if (progress.status === 'completed') return UNCHANGED
  if (progress.status === 'failed') return refused('The run has failed and can no longer complete.')
  const missing = ofPipeline.find((step) => statusOf(progress, step) !== 'completed')
  if (missing !== undefined)
    return refused(`The step ${missing} has not finished, so the run cannot complete yet.`)
  return changed({ status: 'completed', event: { type: 'quotation.completed', step: 'proposal' } })
}

function fail(progress: Progress, report: Extract<Report, { kind: 'failed' }>): Decision {
  if (progress.status === 'failed') return UNCHANGED
  if (progress.status === 'completed') return refused('The run has completed and can no longer fail.')
  const step = report.step ?? progress.steps.find((each) => each.status === 'running')?.step
  const errorCode = report.errorCode ?? null
  const isUnfinished = step !== undefined && statusOf(progress, step) !== 'completed'
  return changed({
    status: 'failed',
    error_code: errorCode,
    ...(isUnfinished && { step: { step, status: 'failed', error_code: errorCode } }),
    event: { type: 'quotation.failed', step: step ?? 'unknown' },
  })
}

/** A partner or the host cancels the quote. */
export function decideCancellation(progress: Progress): Decision {
  if (!hasEnded(progress)) return fail(progress, { kind: 'failed', errorCode: CANCELLED })
  if (progress.error_code === CANCELLED) return UNCHANGED
  return refused(`The run has ${progress.status}, so it cannot be cancelled.`, 'QUOTATION_ENDED')
}

function refuseOutOfTurn(progress: Progress, step: Step, ofPipeline: readonly Step[]): Refused | undefined {
  if (progress.status === 'completed' || progress.status === 'failed') {
    return refused(`The run has ${progress.status}, so no step can follow.`)
  }
  if (!ofPipeline.includes(step)) {
    return refused(`The pipeline has no step ${step}. pipeline.steps lists ${ofPipeline.join(', ')}.`)
  }
  const unfinished = ofPipeline
    .slice(0, ofPipeline.indexOf(step))
    .find((earlier) => statusOf(progress, earlier) !== 'completed')
  return unfinished === undefined
    ? undefined
    : refused(`The step ${unfinished} has not finished, so ${step} cannot come next.`)
}

function statusOf(progress: Progress, step: Step): StepStatus['status'] {
  return progress.steps.find((each) => each.step === step)?.status ?? 'pending'
}

function changed(change: ProgressChange): Accepted {
  return { kind: 'changed', change }
}

function refused(reason: string, code: ErrorCode = 'STATE_CONFLICT'): Refused {
  return { kind: 'refused', reason, code }
}
