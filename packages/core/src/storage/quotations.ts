import type { PageRequest } from '../lib/page.ts'
import type { TenantLookup } from '../lib/tenancy.ts'
import type { TraceContext } from '../lib/trace-context.ts'
import type { Idempotency } from '../model/idempotency.ts'
import type { Progress, ProgressChange } from '../model/progress.ts'
import type { PipelineStatus, Proposal, Quotation, QuotationFilter } from '../model/quotation.ts'
import type { Quote } from '../model/quote-pipeline.ts'
import type { RecordedEvent } from '../model/webhook-event.ts'

/** A quotation being accepted. */
export interface NewQuotation extends Quote {
  readonly api_key_id: string | null
  readonly created_at: Date
  /** The trace of the request that started it. */
  readonly trace: TraceContext | null
}

/** The result of accepting a quotation. Only `accepted` wrote anything. */
export type Acceptance =
  | { readonly kind: 'accepted' }
  /** The same request was already accepted with this idempotency key. */
  | { readonly kind: 'repeated'; readonly quotation_id: string }
  /** Another request was accepted with this key. */
  | { readonly kind: 'key_reused' }
  /** A request with this key is being accepted right now. */
  | { readonly kind: 'key_in_use' }

/** A quotation as somebody has read it. */
export interface SeenQuotation extends Pick<Quotation, 'id' | 'updated_at'> {
  readonly organization_id: string
}

/** Quotations, their progress and their proposals. A host may replace this part (host-quotations.ts). */
export interface QuotationStorage {
  /**
   * Writes the quotation, the order to start its pipeline and its idempotency key, and takes over its files. All or
   * nothing.
   */
  accept(quotation: NewQuotation, idempotency: Idempotency | null): Promise<Acceptance>
  /** Open quotations without a report since then. */
  findStalled(silentSince: Date, limit: number): Promise<string[]>
  find(organizationId: string, id: string): Promise<TenantLookup<Quotation>>
  /** Newest first; undefined if the host's own quotations have no list. */
  readonly list:
    | ((organizationId: string, filter: QuotationFilter, page: PageRequest) => Promise<Quotation[]>)
    | undefined
  /**
   * The indices of quotations that have been updated, or deleted, since they were read. Undefined if the host's own
   * quotations cannot say so.
   */
  readonly findChanged: ((quotations: readonly SeenQuotation[]) => Promise<ReadonlySet<number>>) | undefined
  findPipelineStatus(organizationId: string, quotationId: string): Promise<TenantLookup<PipelineStatus>>
  /** `null` if the quotation exists but has no proposal yet. */
  findProposalOf(organizationId: string, quotationId: string): Promise<TenantLookup<Proposal | null>>
  findProposal(organizationId: string, id: string): Promise<TenantLookup<Proposal>>
  /**
   * Reads the progress and locks it until the transaction ends. Called by the pipeline, which is trusted: no
   * organization id. `trace` is from its acceptance.
   */
  lockProgress(quotationId: string): Promise<(Progress & { readonly trace: TraceContext | null }) | null>
  /** The names of the organization's quotations that can be found. */
  findNames(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Saves what a report changes. Records its event, if any, with its deliveries: all of it in one statement, so that no
   * half of it is left if the transaction has ended meanwhile.
   */
  saveProgress(
    organizationId: string,
    quotationId: string,
    change: ProgressChange,
    now: Date,
    event?: RecordedEvent,
  ): Promise<void>
  /**
   * For a quotation that was cancelled in this transaction: removes its order to start, or, if it was handed over,
   * orders the call of `pipeline.cancel`. Undefined if the host's own quotations have no `cancel`.
   */
  readonly cancelStart:
    | ((organizationId: string, quotationId: string, now: Date) => Promise<void>)
    | undefined
  /** When a quotation was accepted. Locks it until the transaction ends. */
  lockForErasing(
    organizationId: string,
    quotationId: string,
  ): Promise<TenantLookup<{ readonly created_at: Date }>>
  /**
   * Deletes a locked quotation with its steps and proposal.
   * @returns the ids of its requirements files, whose bytes still exist; null: only the host can delete it
   */
  erase(organizationId: string, quotationId: string): Promise<readonly string[] | null>
}
