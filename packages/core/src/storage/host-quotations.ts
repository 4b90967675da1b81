import type { PageRequest } from '../lib/page.ts'
import type { TraceContext } from '../lib/trace-context.ts'
import type { ProgressChange } from '../model/progress.ts'
import type { Proposal, Quotation, QuotationFilter, StepStatus } from '../model/quotation.ts'
import type { Quote } from '../model/quote-pipeline.ts'
import type { NewQuotation } from './quotations.ts'

/** A complete quotation from the host's tables. */
export interface HostQuotation extends Omit<Quotation, 'external_id' | 'metadata'> {
  /** Default: null. */
  readonly external_id?: Quotation['external_id']
  /** Default: null. */
  readonly metadata?: Quotation['metadata']
  /** The tenant. It is compared here on every access. */
  readonly organization_id: string
  /** The steps that have begun, in any order. All others are pending. */
  readonly steps: readonly StepStatus[]
  readonly proposal: Omit<Proposal, 'quotation_id'> | null
  /** The trace that was passed to `insert`, if the host stores it. Later reports then join it. */
  readonly trace?: TraceContext | null
}

/** The changes of a report. Absent fields stay as they are. */
export interface QuotationChange extends Omit<ProgressChange, 'event'> {
  readonly quotation_id: string
  readonly organization_id: string
  /** The new `updated_at` of the quotation, its step and its proposal. Later than the one before. */
  readonly at: Date
}

/**
 * Quotations and proposals in tables of the host, in the database of the storage. `Transaction` is the host's own:
 * drizzle's `tx`, or the `sql` of `sql.begin` (postgres.js).
 *
 * An error is logged and answered with SERVICE_UNAVAILABLE, unless it is an IntegrationError: `insert` may refuse a
 * quote with one.
 */
export interface HostQuotations<Transaction = unknown> {
  /** Runs `work` in a transaction of your own. Our writes join it, so that both commit or neither does. */
  transaction(work: (transaction: Transaction) => Promise<void>): Promise<unknown>
  /** Inserts an accepted quote as `queued`, with the `id` of the quotation and no steps. */
  insert(quotation: NewQuotation, transaction: Transaction): Promise<void>
  /** Writes the changes of a report: the fields of QuotationChange. */
  update(change: QuotationChange, transaction: Transaction): Promise<void>
  /** Returns the quotations with these IDs that exist, of any organization. Runs in the transaction if one is given. */
  find(ids: readonly string[], transaction?: Transaction): Promise<readonly HostQuotation[]>
  /** Returns the quotation and locks it until the transaction ends (`for update`). */
  lock(id: string, transaction: Transaction): Promise<HostQuotation | null>
  /** Returns the quotation of a proposal. */
  findByProposal(proposalId: string, transaction?: Transaction): Promise<HostQuotation | null>
  /**
   * Returns queued and running quotations last updated before `silentSince`; they fail with PIPELINE_TIMEOUT. Without
   * this method, runs never time out.
   */
  findStalled?(silentSince: Date, limit: number): Promise<readonly string[]>
  /**
   * Returns the `updated_at` of these quotations. Called twice a second while requests wait for one to change
   * (`GET /v1/integrations/quotations/:id?wait=20`). Without this method, those are answered at once.
   */
  findUpdatedAt?(ids: readonly string[]): Promise<readonly Pick<HostQuotation, 'id' | 'updated_at'>[]>
  /**
   * Deletes a quotation with its steps and proposal, if it exists, for `quotations.erase`.
   * @returns the ids of its requirements files, as passed to `insert`: they are deleted from the file storage. Without
   * this method, only our own data is erased, and the result reports the rest as left to you.
   */
  erase?(organizationId: string, id: string, transaction: Transaction): Promise<readonly string[]>
  /**
   * Cancels a quotation. `update` has already written `failed` and `CANCELLED` in this transaction.
   * @returns the quote as passed to `insert`, for `pipeline.cancel`. Without this method,
   * `POST /v1/integrations/quotations/:id/cancel` does not exist.
   */
  cancel?(organizationId: string, id: string, transaction: Transaction): Promise<Quote>
  /**
   * Lists at most `page.limit` matching quotations of an organization, newest first by `(created_at, id)`, starting
   * after `page.after`. Without this method, `GET /v1/integrations/quotations` does not exist.
   */
  list?(organizationId: string, filter: QuotationFilter, page: PageRequest): Promise<readonly HostQuotation[]>
}
