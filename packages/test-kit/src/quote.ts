import { type Integrations, type QuotationReporter, STEPS, type Step } from '@quickquote/core'

/** A quote of a test. The test reports its progress in place of the host's pipeline. */
export interface TestQuote {
  readonly id: string
  /**
   * Reports that the steps up to `step`, or without `step` the whole run, have finished. First calls the pipeline hook
   * if that has not happened yet. Finished steps are unchanged.
   * @param proposal the report of the proposal step, if included
   * @throws Error if the hook threw or was never called, or, with a `step`, completed the quote itself; IntegrationError
   * STATE_CONFLICT if the run has failed
   */
  complete(step?: Step, proposal?: Parameters<QuotationReporter['proposalReady']>[0]): Promise<void>
  /**
   * Cancels it, like its partner. If the pipeline hook has been called, `kit.deliver()` calls `pipeline.cancel`.
   * @throws IntegrationError QUOTATION_ENDED if it ended otherwise
   */
  cancel(): Promise<void>
  /** Reports that the run has failed permanently. Throws like `complete`. */
  fail(failure?: { step?: Step; errorCode?: string }): Promise<void>
}

/**
 * Calls the pipeline hook for the quote, unless already done.
 * @returns whether the hook completed the quote
 */
export type HandOver = (quotationId: string) => Promise<{ readonly isCompleted: boolean }>

export function createTestQuote(
  integrations: Integrations,
  organizationId: string,
  id: string,
  handOver: HandOver,
): TestQuote {
  const report = integrations.pipeline(id)
  return {
    id,
    async complete(step, proposal) {
      const { isCompleted } = await handOver(id)
      if (isCompleted && step !== undefined) throw completedByStart(id)
      const last = step ?? 'proposal'
      for (const each of STEPS.slice(0, STEPS.indexOf(last) + 1)) {
        if (each === 'proposal') await report.proposalReady(proposal)
        else await report.stepCompleted(each)
      }
      if (step === undefined) await report.completed()
    },
    async cancel() {
      const { quotations } = integrations
      if (quotations.cancel === undefined)
        throw new Error('These integrations cannot cancel: `quotations` has no `cancel`.')
      await quotations.cancel(organizationId, id)
    },
    async fail(failure) {
      const { isCompleted } = await handOver(id)
      if (isCompleted) throw completedByStart(id)
      await report.failed(failure)
    },
  }
}

function completedByStart(id: string): Error {
  return new Error(
    `Your pipeline.start completed quote ${id} itself, so a test cannot step it or fail it. In tests, pass a pipeline ` +
      'whose start only takes the quote over, or call complete() without a step.',
  )
}
