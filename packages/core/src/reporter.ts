import { v7 as uuidv7 } from 'uuid'
import { IntegrationError } from './errors.ts'
import type { EventCatalog } from './event-catalog.ts'
import { decide, type Progress, type ProgressChange, type Report } from './progress.ts'
import type { QuotationEventData, QuotationEventType } from './quotation-events.ts'
import type { QuotationReporter } from './quote-pipeline.ts'
import type { Settings } from './settings.ts'
import type { Storage } from './storage.ts'
import type { TraceContext } from './trace-context.ts'
import { createWebhookEvent, type RecordedEvent } from './webhook-event.ts'

/** Makes the reporter of one quotation: see QuotationReporter. */
export function createReporter(
  { storage, settings }: { storage: Storage; settings: Pick<Settings, 'events' | 'now'> },
  quotationId: string,
): QuotationReporter {
  async function apply(report: Report): Promise<void> {
    await storage.transaction(async (transaction) => {
      const progress = await transaction.lockProgress(quotationId)
      if (progress === null) throw new IntegrationError('QUOTATION_NOT_FOUND')
      const decision = decide(progress, report)
      if (decision.kind === 'refused') throw new IntegrationError('STATE_CONFLICT', decision.reason)
      if (decision.kind === 'unchanged') return
      const at = settings.now()
      await transaction.saveProgress(progress.organization_id, quotationId, decision.change, at)
      const event = eventOf(settings.events, progress, decision.change, at)
      if (event !== null) await transaction.recordEvent(event)
    })
  }

  const proposalReady: QuotationReporter['proposalReady'] = (proposal = {}) =>
    apply({ kind: 'proposal_ready', proposalId: uuidv7(), ...proposal })

  return {
    stepStarted: (step) => apply({ kind: 'step_started', step }),
    stepCompleted: (step) =>
      step === 'proposal' ? proposalReady() : apply({ kind: 'step_completed', step }),
    proposalReady,
    completed: () => apply({ kind: 'completed' }),
    failed: (failure = {}) => apply({ kind: 'failed', ...failure }),
  }
}

function eventOf(
  catalog: EventCatalog,
  progress: Progress & { readonly trace: TraceContext | null },
  change: ProgressChange,
  now: Date,
): RecordedEvent | null {
  if (change.event === undefined) return null
  const { kind, step } = change.event
  const type: QuotationEventType =
    kind === 'step_completed' ? (`quotation.${step}.completed` as QuotationEventType) : `quotation.${kind}`
  const data: QuotationEventData = {
    quotation_id: progress.quotation_id,
    proposal_id: change.proposal?.id ?? progress.proposal?.id ?? null,
    step,
    status: kind === 'failed' ? 'failed' : 'completed',
    error_code: change.error_code ?? null,
    generation_source: progress.source,
  }
  return createWebhookEvent(catalog, {
    type,
    organizationId: progress.organization_id,
    generationSource: progress.source,
    data,
    now,
    trace: progress.trace,
  })
}
