import { type Integrations, type QuotationReporter, STEPS, type Step } from '@quickquote/core'

/** A quote of a test. Its pipeline is stepped by hand, as the host's own pipeline would report it. */
export interface TestQuote {
  readonly id: string
  /**
   * Reports that the steps up to `step` have finished, and without `step` that the whole run has. A quote that was not
   * handed to the pipeline hook yet is handed over first. Steps that had finished already stay as they are.
   * @param proposal what the proposal step comes with, if it is among them
   * @throws Error when the hook threw, or was never called; IntegrationError STATE_CONFLICT when the run has failed
   */
  complete(step?: Step, proposal?: Parameters<QuotationReporter['proposalReady']>[0]): Promise<void>
  /** Reports that the run has failed, for good. Throws what `complete` throws. */
  fail(failure?: { step?: Step; errorCode?: string }): Promise<void>
}

/** @param handOver calls the pipeline hook for the quote unless that was done */
export function createTestQuote(
  integrations: Integrations,
  id: string,
  handOver: (quotationId: string) => Promise<void>,
): TestQuote {
  const report = integrations.pipeline(id)
  return {
    id,
    async complete(step, proposal) {
      await handOver(id)
      const last = step ?? 'proposal'
      for (const each of STEPS.slice(0, STEPS.indexOf(last) + 1)) {
        if (each === 'proposal') await report.proposalReady(proposal)
        else await report.stepCompleted(each)
      }
      if (step === undefined) await report.completed()
    },
    async fail(failure) {
      await handOver(id)
      await report.failed(failure)
    },
  }
}
