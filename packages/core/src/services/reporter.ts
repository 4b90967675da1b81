import { IntegrationError } from '../lib/errors.ts'
import { givenOptions } from '../lib/fields.ts'
import { newId } from '../lib/new-id.ts'
import { checkOptionNames } from '../lib/option-check.ts'
import { ONLY_KNOWN } from '../lib/page.ts'
import { Name, OneOf, schemaOf, Uuid } from '../lib/schema.ts'
import { isSameUuid } from '../lib/tenancy.ts'
import type { TraceContext } from '../lib/trace-context.ts'
import { Type } from '../lib/type.ts'
import { validate } from '../lib/validator.ts'
import type { EventCatalog } from '../model/event-catalog.ts'
import { ERROR_CODE_LENGTH, type Limits } from '../model/limits.ts'
import {
  type Accepted,
  decide,
  decideProposal,
  type Progress,
  type ProgressChange,
  type Refused,
  type Report,
} from '../model/progress.ts'
import { STEPS } from '../model/quotation.ts'
import type { QuotationEventData } from '../model/quotation-events.ts'
import type { QuotationReporter } from '../model/quote-pipeline.ts'
import { createWebhookEvent, type RecordedEvent } from '../model/webhook-event.ts'
import type { Context, Settings } from '../settings.ts'
import type { Storage } from '../storage/storage.ts'

export interface ReporterOptions {
  readonly organizationId?: string
}

export function createReporter(
  { storage, settings }: Context<'quotations'>,
  quotationId: string,
  options: ReporterOptions = {},
): QuotationReporter {
  checkOptionNames('pipeline', options, ['organizationId'])
  const { steps } = settings.pipeline

  async function apply<Decided extends Accepted>(decideOn: (progress: Progress) => Decided | Refused) {
    await settings.clock.ready()
    return storage.transaction((transaction) =>
      applyDecision(transaction, settings, quotationId, decideOn, options),
    )
  }

  const report = (report: Report) => apply((progress) => decide(progress, report, steps))

  const proposalReady: QuotationReporter['proposalReady'] = async (given = {}) => {
    const { name, documentId } = validate(proposalReport(settings.limits), givenOptions(given))
    await settings.clock.ready()
    const report = { kind: 'proposal_ready', proposalId: newId(settings.now()), name, documentId } as const
    const { proposal } = await apply((progress) => decideProposal(progress, report, steps))
    return proposal
  }

  return {
    async stepStarted(step) {
      validate(StepReport, { step })
      await report({ kind: 'step_started', step })
    },
    async stepCompleted(step) {
      validate(StepReport, { step })
      await (step === 'proposal' ? proposalReady() : report({ kind: 'step_completed', step }))
    },
    proposalReady,
    async completed() {
      await report({ kind: 'completed' })
    },
    async failed(failure = {}) {
      const { step, errorCode } = validate(FailureReport, givenOptions(failure))
      await report({ kind: 'failed', step, errorCode })
    },
  }
}

/**
 * Writes what a report changes, in a transaction, with its event.
 * @throws IntegrationError QUOTATION_NOT_FOUND, OTHER_ORGANIZATION, STATE_CONFLICT, QUOTATION_ENDED
 */
export async function applyDecision<Decided extends Accepted>(
  storage: Pick<Storage, 'quotations'>,
  settings: Settings,
  quotationId: string,
  decideOn: (progress: Progress) => Decided | Refused,
  { organizationId }: ReporterOptions = {},
): Promise<Decided> {
  const progress = await storage.quotations.lockProgress(quotationId)
  if (progress === null) throw new IntegrationError('QUOTATION_NOT_FOUND')
  if (organizationId !== undefined && !isSameUuid(progress.organization_id, organizationId)) {
    throw new IntegrationError('OTHER_ORGANIZATION')
  }
  const decision = decideOn(progress)
  if (decision.kind === 'refused') throw new IntegrationError(decision.code, decision.reason)
  if (decision.kind === 'unchanged') return decision
  const { change } = decision
  const now = settings.now()
  // Each report has its own, so that a client that knows the one before sees that something has changed.
  const at = new Date(Math.max(now.getTime(), progress.updated_at.getTime() + 1))
  const event = eventOf(settings.events, progress, change, now)
  await storage.quotations.saveProgress(progress.organization_id, quotationId, change, at, event)
  return decision
}

const StepReport = Type.Object({ step: OneOf(STEPS) })

const FailureReport = Type.Object(
  {
    step: Type.Optional(OneOf(STEPS)),
    errorCode: Type.Optional(Name({ minLength: 1, maxLength: ERROR_CODE_LENGTH })),
  },
  ONLY_KNOWN,
)

const proposalReport = schemaOf((limits: Limits) =>
  Type.Object(
    {
      name: Type.Optional(Name({ minLength: 1, maxLength: limits.nameLength })),
      documentId: Type.Optional(Uuid),
    },
    ONLY_KNOWN,
  ),
)

function eventOf(
  catalog: EventCatalog,
  progress: Progress & { readonly trace: TraceContext | null },
  change: ProgressChange,
  now: Date,
): RecordedEvent | undefined {
  if (change.event === undefined) return undefined
  const { type, step } = change.event
  const data: QuotationEventData = {
    quotation_id: progress.quotation_id,
    proposal_id: change.proposal?.id ?? progress.proposal?.id ?? null,
    step,
    status: type === 'quotation.failed' ? 'failed' : 'completed',
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
