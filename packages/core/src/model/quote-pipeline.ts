import {
  CENTURY_MS,
  defaultsOf,
  MOST_AT_ONCE,
  type OptionsOf,
  type OptionTable,
  TIMER,
} from '../lib/option-check.ts'
import type { PipelineStatus, Proposal, QuotationFile, Source, Step } from './quotation.ts'

/** A quote, as the pipeline receives it. */
export interface Quote {
  /** The quotation id. Use it as the idempotency key: `start` is called at least once. */
  readonly id: string
  readonly organization_id: string
  readonly name: string
  readonly description: string
  readonly config_id: string | null
  /** The partner's own ID. */
  readonly external_id: string | null
  readonly source: Source
  readonly requirementsText: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly files: readonly QuotationFile[]
}

/** The proposal that the pipeline reported. */
export type ReportedProposal = Pick<Proposal, 'id' | 'name' | 'document_id'>

/**
 * Reports the progress of one run. Each report writes the quotation, the event and its deliveries in one transaction. A
 * repeated report changes nothing and emits nothing; a report is refused until the steps before it have finished.
 *
 * Every method throws `IntegrationError`: QUOTATION_NOT_FOUND for an unknown quotation, STATE_CONFLICT for a report out
 * of order, VALIDATION_FAILED for an invalid value.
 */
export interface QuotationReporter {
  stepStarted(step: Step): Promise<void>
  /** Emits `quotation.<step>.completed`. `proposal` is the same as `proposalReady()`. */
  stepCompleted(step: Step): Promise<void>
  /**
   * Finishes the proposal step and emits `quotation.proposal.completed`. To attach the document later, call it again
   * with a `documentId` (a UUID); that emits nothing. `name` follows the rules for quotation names.
   * @returns the proposal, with the id that partners use
   * @throws IntegrationError VALIDATION_FAILED for an invalid or unknown field, such as `document_id`
   */
  proposalReady(proposal?: { name?: string; documentId?: string }): Promise<ReportedProposal>
  /** The run succeeded: emits `quotation.completed`. Refused until every step has finished. */
  completed(): Promise<void>
  /**
   * The run failed permanently: emits `quotation.failed`. `step` defaults to the running step. `errorCode` is one line
   * of at most 128 characters.
   */
  failed(failure?: { step?: Step; errorCode?: string }): Promise<void>
}

/** The host's quote pipeline, the one required hook. */
export interface QuotePipeline {
  /**
   * Takes over a quote. Workers call it at least once for each accepted quote. Once it resolves, it is not called again
   * for this quote: resolve early if your pipeline has its own queue, otherwise at the end of the run, so that a run is
   * repeated after a crash. If it throws, it is called again with back-off; after the last attempt the quotation fails
   * with PIPELINE_START_FAILED.
   * @param context `signal` aborts when the worker stops, `start.callTimeoutMs` has passed or the quote is cancelled;
   * `report` reports progress; `readFile` streams one of `quote.files`
   */
  start(
    quote: Quote,
    context: {
      signal: AbortSignal
      report: QuotationReporter
      readFile: (file: QuotationFile) => AsyncIterable<Uint8Array>
    },
  ): Promise<void>
  /**
   * Called after a quote that `start` was called for has been cancelled: stop its run. Its reports are refused from then
   * on. Called at least once, after a `start` in progress has ended or `hookTimeoutMs` after its `signal` has aborted; if
   * it throws or takes longer than `hookTimeoutMs`, again with the back-off and the attempts of `start`. Without it, a run
   * notices only that its reports are refused.
   * @param quote as `start` received it
   */
  cancel?(quote: Quote): Promise<void>
  /**
   * The steps of your pipeline, in the order of `STEPS`, ending with `proposal`. Other steps are never reported and
   * emit nothing. Default: all five.
   */
  readonly steps?: readonly Step[]
  /**
   * Signs a short-lived HTTPS link to a proposal's document. Clients get 503 if it throws or times out, and 500 if it
   * returns anything but an HTTPS `url` and an `expires_at` date.
   */
  signDocumentUrl(document: {
    document_id: string
    proposal_id: string
    organization_id: string
  }): Promise<{ url: string; expires_at: Date }>
  /**
   * Returns the status from your own status service instead of the reports. Clients get 503 if it throws or times out,
   * and 500 if it returns anything but the status of this quotation.
   */
  status?(quotationId: string): Promise<PipelineStatus>
}

/** How starts are retried. */
export const START_OPTIONS = {
  /** Calls of `start` before the quotation fails with PIPELINE_START_FAILED. Default 6. */
  maxAttempts: { default: 6, min: 1 },
  /** Milliseconds before the first retry. Each further wait is twice as long. Default 2,000. */
  backoffMs: { default: 2000, min: 0 },
  /** Concurrent starts per worker. Default 10. */
  concurrency: { default: 10, min: 1, max: MOST_AT_ONCE },
  /**
   * Milliseconds for one call of `start`. After that its signal aborts and the call counts as failed. Raise it if a run
   * takes longer inside the call. Default an hour.
   */
  callTimeoutMs: { default: 60 * 60 * 1000, ...TIMER },
  /** Milliseconds without a report after which a run fails with PIPELINE_TIMEOUT. Default 24 hours. */
  timeoutMs: { default: 24 * 60 * 60 * 1000, min: 1, max: CENTURY_MS },
} as const satisfies OptionTable
export type StartPolicy = OptionsOf<typeof START_OPTIONS>
export const DEFAULT_START_POLICY: StartPolicy = defaultsOf(START_OPTIONS)
