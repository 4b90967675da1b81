import type { PageRequest } from '../lib/page.ts'
import type { TenantLookup } from '../lib/tenancy.ts'
import type { TraceContext } from '../lib/trace-context.ts'
import type { Idempotency } from '../model/idempotency.ts'
import type { Progress, ProgressChange } from '../model/progress.ts'
import type { PipelineStatus, Proposal, Quotation, QuotationFilter } from '../model/quotation.ts'
import type { Quote } from '../model/quote-pipeline.ts'

/** A quotation on its way in. */
export interface NewQuotation extends Quote {
  readonly api_key_id: string | null
  readonly created_at: Date
  /** Of the request that started it. */
  readonly trace: TraceContext | null
}

/** What became of a quotation on its way in; anything but `accepted` wrote nothing. */
export type Acceptance =
  | { readonly kind: 'accepted' }
  /** The same request was accepted before, under the same idempotency key. */
  | { readonly kind: 'repeated'; readonly quotation_id: string }
  /** Another request was accepted under the key. */
  | { readonly kind: 'key_reused' }
  /** A request is being accepted under the key right now. */
  | { readonly kind: 'key_in_use' }

/** Quotations, their progress and their proposals: the part that `quotations` of a host replaces (host-quotations.ts). */
export interface QuotationStorage {
  /**
   * Writes the quotation, the order to start its pipeline, and what is to be remembered of its idempotency key; takes its
   * files over from the uploads. All or nothing.
   */
  accept(quotation: NewQuotation, idempotency: Idempotency | null): Promise<Acceptance>
  /** Quotations that have neither ended nor been reported on since. */
  findStalled(silentSince: Date, limit: number): Promise<string[]>
  find(organizationId: string, id: string): Promise<TenantLookup<Quotation>>
  /** The newest first; undefined where the quotations of a host offer no list. */
  readonly list:
    | ((organizationId: string, filter: QuotationFilter, page: PageRequest) => Promise<Quotation[]>)
    | undefined
  findPipelineStatus(organizationId: string, quotationId: string): Promise<TenantLookup<PipelineStatus>>
  /** `null` when the quotation is there and has no proposal yet. */
  findProposalOf(organizationId: string, quotationId: string): Promise<TenantLookup<Proposal | null>>
  findProposal(organizationId: string, id: string): Promise<TenantLookup<Proposal>>
  /** Reads where a quotation stands and locks it until the transaction ends. Called by the pipeline, which is trusted: no organization id. `trace` is the one it was accepted with. */
  lockProgress(quotationId: string): Promise<(Progress & { readonly trace: TraceContext | null }) | null>
  /** The names of those quotations of the organization that can be found. */
  findNames(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  saveProgress(organizationId: string, quotationId: string, change: ProgressChange, now: Date): Promise<void>
  /** When a quotation was accepted, which nobody else changes before the transaction ends. */
  lockForErasing(
    organizationId: string,
    quotationId: string,
  ): Promise<TenantLookup<{ readonly created_at: Date }>>
  /**
   * Deletes a quotation that was locked, with its steps and its proposal.
   * @returns the ids of its requirements files, whose bytes are still there; null: only the host can delete it
   */
  erase(organizationId: string, quotationId: string): Promise<readonly string[] | null>
}
