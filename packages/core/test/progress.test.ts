import { STEPS, type Step } from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import { decide, type Progress, type ProgressChange, type Report } from '../src/model/progress.ts'
import { EVENT_TYPES } from '../src/model/quotation-events.ts'

const QUEUED: Progress = {
  quotation_id: '0192f0c4-0000-7000-8000-000000000001',
  organization_id: '0192f0c4-0000-7000-8000-000000000002',
  name: 'Customer portal',
  source: 'api_key',
  status: 'queued',
  error_code: null,
  steps: [],
  proposal: null,
  updated_at: new Date(0),
}

const stepStarted = (step: Step): Report => ({ kind: 'step_started', step })
const stepCompleted = (step: Step): Report =>
  step === 'proposal' ? { kind: 'proposal_ready', proposalId: 'p-1' } : { kind: 'step_completed', step }

/** Applies a change like a storage, in memory. */
function applied(progress: Progress, change: ProgressChange): Progress {
  const { step, proposal } = change
  return {
    ...progress,
    status: change.status,
    steps: step ? [...progress.steps.filter((each) => each.step !== step.step), step] : progress.steps,
    proposal: proposal ?? progress.proposal,
  }
}

function after(progress: Progress, ...reports: Report[]): Progress {
  return reports.reduce((current, report) => {
    const decision = decide(current, report)
    if (decision.kind === 'refused') throw new Error(decision.reason)
    return decision.kind === 'changed' ? applied(current, decision.change) : current
  }, progress)
}

const ALL_STEPS: Report[] = STEPS.map(stepCompleted)

it('every event type of the catalog is emitted by a run that completes, or by one that fails', () => {
  const emitted = new Set<string>()
  for (const run of [[...ALL_STEPS, { kind: 'completed' }], [{ kind: 'failed' }]] as Report[][]) {
    run.reduce((progress, report) => {
      const decision = decide(progress, report)
      if (decision.kind !== 'changed') return expect.fail(decision.kind)
      if (decision.change.event !== undefined) emitted.add(decision.change.event.type)
      return applied(progress, decision.change)
    }, QUEUED)
  }
  expect([...emitted]).toEqual(EVENT_TYPES)
})

describe('a report about a step', () => {
  it('moves a queued quotation to running', () => {
    expect(decide(QUEUED, stepStarted('requirement_analysis'))).toEqual({
      kind: 'changed',
      change: {
        status: 'running',
        step: { step: 'requirement_analysis', status: 'running', error_code: null },
      },
    })
  })

  it('emits the event of a completed step, and sets the processed step', () => {
    const decision = decide(QUEUED, stepCompleted('requirement_analysis'))
    expect(decision).toMatchObject({
      kind: 'changed',
      change: {
        processed_step: 'requirement_analysis',
        event: { type: 'quotation.requirement_analysis.completed', step: 'requirement_analysis' },
      },
    })
  })

  it.each(STEPS)('changes nothing if %s is reported twice', (step) => {
    const done = after(QUEUED, ...ALL_STEPS.slice(0, STEPS.indexOf(step) + 1))
    expect(decide(done, stepCompleted(step)).kind).toBe('unchanged')
    expect(decide(done, stepStarted(step))).toEqual({ kind: 'unchanged' })
  })

  it.each(STEPS.slice(1))('is refused if %s comes before the previous step', (step) => {
    for (const report of [stepStarted(step), stepCompleted(step)]) {
      expect(decide(QUEUED, report)).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('requirement_analysis'),
      })
    }
  })

  it('is refused after the end of the run, unless repeated', () => {
    const failed = after(QUEUED, stepCompleted('requirement_analysis'), { kind: 'failed' })
    expect(decide(failed, stepStarted('functional_specification')).kind).toBe('refused')
    expect(decide(failed, stepCompleted('requirement_analysis')).kind).toBe('unchanged')
  })
})

describe('the proposal', () => {
  const beforeProposal = after(QUEUED, ...ALL_STEPS.slice(0, -1))

  it('completes its step with or without a document', () => {
    for (const documentId of [undefined, 'd-1']) {
      expect(decide(beforeProposal, { kind: 'proposal_ready', proposalId: 'p-1', documentId })).toMatchObject(
        {
          kind: 'changed',
          change: {
            processed_step: 'proposal',
            proposal: { id: 'p-1', name: 'Customer portal', document_id: documentId ?? null },
            event: { type: 'quotation.proposal.completed', step: 'proposal' },
          },
        },
      )
    }
  })

  it('takes its document from a later report, which emits nothing and keeps the id', () => {
    for (const reports of [[], [{ kind: 'completed' }]] satisfies Report[][]) {
      const ready = after(beforeProposal, stepCompleted('proposal'), ...reports)
      const decision = decide(ready, { kind: 'proposal_ready', proposalId: 'p-2', documentId: 'd-1' })
      const proposal = { id: 'p-1', name: 'Customer portal', document_id: 'd-1' }
      expect(decision).toEqual({ kind: 'changed', change: { status: ready.status, proposal }, proposal })
    }
  })

  it('keeps its name if the later report has none', () => {
    const named = after(beforeProposal, { kind: 'proposal_ready', proposalId: 'p-1', name: 'Offer 7' })
    const decision = decide(named, { kind: 'proposal_ready', proposalId: 'p-2', documentId: 'd-1' })
    expect(decision).toMatchObject({ change: { proposal: { name: 'Offer 7', document_id: 'd-1' } } })
  })

  it('keeps its document: the same one changes nothing, another one is refused', () => {
    const attached = after(beforeProposal, { kind: 'proposal_ready', proposalId: 'p-1', documentId: 'd-1' })
    const repeat = (documentId: string) =>
      decide(attached, { kind: 'proposal_ready', proposalId: 'p-2', documentId })
    expect(repeat('d-1').kind).toBe('unchanged')
    expect(repeat('d-2').kind).toBe('refused')
  })
})

describe('the end of a run', () => {
  it('is refused while a step is missing', () => {
    const decision = decide(after(QUEUED, ...ALL_STEPS.slice(0, 3)), { kind: 'completed' })
    expect(decision).toMatchObject({ kind: 'refused', reason: expect.stringContaining('effort_estimation') })
  })

  it('emits quotation.completed with the step "proposal", once', () => {
    const ready = after(QUEUED, ...ALL_STEPS)
    expect(decide(ready, { kind: 'completed' })).toEqual({
      kind: 'changed',
      change: { status: 'completed', event: { type: 'quotation.completed', step: 'proposal' } },
    })
    expect(decide(after(ready, { kind: 'completed' }), { kind: 'completed' })).toEqual({ kind: 'unchanged' })
  })

  it('as a failure names the running step by default', () => {
    const running = after(
      QUEUED,
      stepCompleted('requirement_analysis'),
      stepStarted('functional_specification'),
    )
    expect(decide(running, { kind: 'failed', errorCode: 'MODEL_DOWN' })).toEqual({
      kind: 'changed',
      change: {
        status: 'failed',
        error_code: 'MODEL_DOWN',
        step: { step: 'functional_specification', status: 'failed', error_code: 'MODEL_DOWN' },
        event: { type: 'quotation.failed', step: 'functional_specification' },
      },
    })
  })

  it('as a failure says "unknown" when no step is known', () => {
    expect(decide(QUEUED, { kind: 'failed' })).toMatchObject({
      change: { event: { type: 'quotation.failed', step: 'unknown' } },
    })
  })

  it('is final', () => {
    const completed = after(QUEUED, ...ALL_STEPS, { kind: 'completed' })
    const failed = after(QUEUED, { kind: 'failed' })
    expect(decide(completed, { kind: 'failed' }).kind).toBe('refused')
    expect(decide(failed, { kind: 'completed' }).kind).toBe('refused')
    const failedAtTheEnd: Progress = { ...completed, status: 'failed' }
    expect(decide(failedAtTheEnd, { kind: 'completed' }).kind).toBe('refused')
    expect(decide({ ...QUEUED, status: 'completed' }, stepStarted('requirement_analysis')).kind).toBe(
      'refused',
    )
    const between = after(QUEUED, stepCompleted('requirement_analysis'))
    expect(decide(between, { kind: 'failed', step: 'requirement_analysis' })).toMatchObject({
      change: { event: { type: 'quotation.failed', step: 'requirement_analysis' } },
    })
    for (const report of [{ kind: 'failed' }, { kind: 'failed', step: 'requirement_analysis' }] as const)
      expect(decide(between, report)).not.toHaveProperty('change.step')
    expect(decide(failed, { kind: 'failed' }).kind).toBe('unchanged')
  })
})
