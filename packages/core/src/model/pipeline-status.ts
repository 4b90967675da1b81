import { type PipelineStatus, type Quotation, STEPS, type StepStatus } from './quotation.ts'

/**
 * The progress of a quotation, from the steps that have begun; all others are pending. A step that the pipeline does
 * not have is completed once a later one has begun.
 */
export function pipelineStatusOf(
  quotation: Pick<Quotation, 'id' | 'status' | 'processed_step' | 'error_code' | 'updated_at'>,
  begun: readonly StepStatus[],
): PipelineStatus {
  const { id, status, processed_step, error_code, updated_at } = quotation
  const last = Math.max(...begun.map(({ step }) => STEPS.indexOf(step)))
  const steps = STEPS.map((step, index): StepStatus => {
    const { status, started_at, completed_at, error_code } =
      begun.find((each) => each.step === step) ?? (index < last ? SKIPPED : PENDING)
    return { step, status, started_at, completed_at, error_code }
  })
  const completed = steps.filter((step) => step.status === 'completed').length
  return {
    quotation_id: id,
    status,
    processed_step,
    progress: { completed, total: STEPS.length },
    steps,
    error_code,
    updated_at,
  }
}

const SKIPPED = { status: 'completed', started_at: null, completed_at: null, error_code: null } as const
const PENDING = { status: 'pending', started_at: null, completed_at: null, error_code: null } as const
