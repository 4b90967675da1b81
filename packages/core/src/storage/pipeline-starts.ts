import type { TraceContext } from '../lib/trace-context.ts'
import type { Idempotency } from '../model/idempotency.ts'
import type { Quote } from '../model/quote-pipeline.ts'
import type { Acceptance, NewQuotation } from './quotations.ts'

/** An order to start the pipeline of a quote, leased by a worker. */
export interface ClaimedStart {
  readonly quote: Quote
  /** 1 for the first call. It fences the lease. */
  readonly attempt: number
  /** Of the request that started the quote. */
  readonly trace: TraceContext | null
}

export interface PipelineStartStorage {
  /**
   * What `quotations.accept` writes beside the quotation, for one that the host keeps in tables of its own: the order to start,
   * with the quote in it; what is to be remembered of its idempotency key; its files are taken over. All or nothing.
   */
  order(quotation: NewQuotation, idempotency: Idempotency | null): Promise<Acceptance>
  /** `held`: as in `deliveries.settleAndClaim`, the ids of quotations. */
  claim(round: {
    workerId: string
    limit: number
    held?: readonly string[] | undefined
    now: Date
  }): Promise<{ claimed: ClaimedStart[]; nextDueAt: Date | null }>
  /** Ends the order (`retryAt` null) or sets when it is due again; nothing happens when the lease was lost. */
  settle(settled: {
    workerId: string
    quotationId: string
    attempt: number
    retryAt: Date | null
  }): Promise<void>
  /** Gives an order back whose call was never made: the try does not count. Nothing happens when the lease was lost. */
  release(start: { workerId: string; quotationId: string; attempt: number }): Promise<void>
}
