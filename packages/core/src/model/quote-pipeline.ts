import { defaultsOf, MAX_TIMER_MS, type OptionTable } from '../lib/option-check.ts'
import type { PipelineStatus, Proposal, QuotationFile, Source, Step } from './quotation.ts'

/** A quote as it is handed to the pipeline. */
export interface Quote {
  /** The quotation id: use it as the idempotency key, since a start is delivered at least once. */
  readonly id: string
  readonly organization_id: string
  readonly name: string
  readonly description: string
  readonly config_id: string | null
  readonly source: Source
  readonly requirementsText: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly files: readonly QuotationFile[]
}

/** The proposal of a quotation, as the pipeline made it. */
export type ReportedProposal = Pick<Proposal, 'id' | 'name' | 'document_id'>

/**
 * How a pipeline tells its progress. Every report writes the quotation, the event and its deliveries in one
 * transaction. A repeated report changes nothing and emits nothing; one that comes before an earlier step of the pipeline
 * has finished is refused.
 *
 * Every method throws `IntegrationError`: QUOTATION_NOT_FOUND for an unknown quotation, STATE_CONFLICT for a report
 * that is out of turn, VALIDATION_FAILED for a value that is not allowed.
 */
export interface QuotationReporter {
  stepStarted(step: Step): Promise<void>
  /** Emits `quotation.<step>.completed`. `proposal` is the same as `proposalReady()`. */
  stepCompleted(step: Step): Promise<void>
  /**
   * Finishes the proposal step and emits `quotation.proposal.completed`, with or without a document. Repeat it with a
   * `documentId` (a uuid) to attach the document later; that emits nothing. `name` follows the rules for names of quotations.
   * @returns the proposal, with the id that partners ask for it by
   */
  proposalReady(proposal?: { name?: string; documentId?: string }): Promise<ReportedProposal>
  /** The run succeeded: emits `quotation.completed`. Refused while a step has not finished. */
  completed(): Promise<void>
  /**
   * The run failed, for good: emits `quotation.failed`. Without `step`, the running step is the one that failed.
   * `errorCode` is one line of at most 128 characters.
   */
  failed(failure?: { step?: Step; errorCode?: string }): Promise<void>
}

/** The host's quote pipeline: the one hook that a host must write. */
export interface QuotePipeline {
  /**
   * Takes a quote over. Called at least once for each accepted quote, by whichever worker is alive. When it resolves,
   * the order to start is done: resolve early when the pipeline keeps a queue of its own, and at the end of the run
   * when it keeps none (a crash then starts the run again). When it throws it is called again, with backoff, and after
   * the last try the quotation fails with PIPELINE_START_FAILED.
   * @param context `signal` aborts when the worker stops, and when the call
   * has taken `start.callTimeoutMs`; `report` tells progress; `readFile` streams one of
   * `quote.files`
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
   * The steps that your pipeline has, in the order of `STEPS`, the last of them `proposal`. Others are never reported, send
   * nothing, and count as done once a later one has begun. Default: all five.
   */
  readonly steps?: readonly Step[]
  /**
   * Signs a short-lived HTTPS link to the document of a proposal. When it throws or hangs the client gets 503, and when it
   * answers anything else than an HTTPS `url` and a time in `expires_at`, 500.
   */
  signDocumentUrl(document: {
    document_id: string
    proposal_id: string
    organization_id: string
  }): Promise<{ url: string; expires_at: Date }>
  /**
   * Replaces the step list that the reporter keeps, for a host that has a status service of its own. When it throws or
   * hangs the client gets 503, and when it answers no status of that very quotation, 500.
   */
  status?(quotationId: string): Promise<PipelineStatus>
}

/** How starts are retried, all of it options of the host. */
export interface StartPolicy {
  /** Calls of `start` before the quotation fails with PIPELINE_START_FAILED. Default 6. */
  readonly maxAttempts: number
  /** Milliseconds after the first failed call; each further wait is twice as long. Default 2,000. */
  readonly backoffMs: number
  /** Starts that one worker has under way at once. Default 10. */
  readonly concurrency: number
  /**
   * Milliseconds that one call of `start` may take: then its signal is aborted, and the call counts as one that threw. A
   * pipeline that runs to its end inside the call needs as much. Default an hour.
   */
  readonly callTimeoutMs: number
  /** Milliseconds without any report after which a run fails with PIPELINE_TIMEOUT. Default 24 hours. */
  readonly timeoutMs: number
}

export const START_OPTIONS: OptionTable<StartPolicy> = {
  maxAttempts: { default: 6, min: 1 },
  backoffMs: { default: 2000, min: 0 },
  concurrency: { default: 10, min: 1 },
  callTimeoutMs: { default: 60 * 60 * 1000, min: 1, max: MAX_TIMER_MS },
  timeoutMs: { default: 24 * 60 * 60 * 1000, min: 1 },
}
export const DEFAULT_START_POLICY: StartPolicy = defaultsOf(START_OPTIONS)
