import type { PageRequest } from '../lib/page.ts'
import type { TraceContext } from '../lib/trace-context.ts'
import type { ProgressChange } from '../model/progress.ts'
import type { Proposal, Quotation, QuotationFilter, StepStatus } from '../model/quotation.ts'
import type { NewQuotation } from './quotations.ts'

/** A quotation as the host's tables have it, whole. */
export interface HostQuotation extends Omit<Quotation, 'metadata'> {
  /** Default: null. */
  readonly metadata?: Quotation['metadata']
  /** Who may read it: it is compared here, on every way in. */
  readonly organization_id: string
  /** The steps that have begun, in any order. The others are pending. */
  readonly steps: readonly StepStatus[]
  readonly proposal: Omit<Proposal, 'quotation_id'> | null
  /** The trace that `insert` was given, for a host that keeps it: later reports then belong to it, too. */
  readonly trace?: TraceContext | null
}

/** What a report changes. Fields that are absent stay as they are. */
export interface QuotationChange extends Omit<ProgressChange, 'event'> {
  readonly quotation_id: string
  readonly organization_id: string
  /** When: `updated_at` of the quotation, of its step and of its proposal. */
  readonly at: Date
}

/**
 * Quotations and proposals in tables of the host, which must be in the database of the storage. `Transaction` is the
 * host's own: drizzle's `tx`, or the `sql` of `sql.begin` (postgres.js).
 *
 * What a method throws is logged and answered with SERVICE_UNAVAILABLE, unless it is an IntegrationError: `insert` may
 * refuse a quote with one.
 */
export interface HostQuotations<Transaction = unknown> {
  /** Runs `work` in one transaction of the host: ours writes in it, too, so that both are committed or neither. */
  transaction(work: (transaction: Transaction) => Promise<void>): Promise<unknown>
  /** Writes a quote that is being accepted: `queued`, with no step begun. Its `id` is the quotation's. */
  insert(quotation: NewQuotation, transaction: Transaction): Promise<void>
  /** Writes what a report changes: see the fields of QuotationChange. */
  update(change: QuotationChange, transaction: Transaction): Promise<void>
  /** Those of the quotations that there are, of whatever organization; in the transaction, where there is one. */
  find(ids: readonly string[], transaction?: Transaction): Promise<readonly HostQuotation[]>
  /** The quotation, and nobody else changes it before the transaction ends (`for update`). */
  lock(id: string, transaction: Transaction): Promise<HostQuotation | null>
  /** The quotation of a proposal. */
  findByProposal(proposalId: string, transaction?: Transaction): Promise<HostQuotation | null>
  /**
   * Quotations that are queued or running and were last updated before `silentSince`: they fail with PIPELINE_TIMEOUT.
   * Without this method runs are never given up.
   */
  findStalled?(silentSince: Date, limit: number): Promise<readonly string[]>
  /**
   * Deletes a quotation with its steps and its proposal, for `quotations.erase`. One that is not
   * there is passed over.
   * @returns the ids of its requirements files, as `insert` was given them: they are deleted from the file storage. Without
   * this method only what we keep of a quotation is erased, and the result says that the rest is left to you.
   */
  erase?(organizationId: string, id: string, transaction: Transaction): Promise<readonly string[]>
  /**
   * The quotations of an organization that the filter lets through, at most `page.limit`: the newest first, by `created_at`
   * and then `id`, those after `page.after` (`(created_at, id) < (after.created_at, after.id)`). Without this method there
   * is no `GET /v1/integrations/quotations`.
   */
  list?(organizationId: string, filter: QuotationFilter, page: PageRequest): Promise<readonly HostQuotation[]>
}
