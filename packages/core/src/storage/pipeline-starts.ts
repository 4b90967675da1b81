import type { TraceContext } from '../lib/trace-context.ts'
import type { Idempotency } from '../model/idempotency.ts'
import type { Quote } from '../model/quote-pipeline.ts'
import type { Acceptance, NewQuotation } from './quotations.ts'

/** An order to start the pipeline of a quote, or to cancel it, leased by a worker. */
export interface ClaimedStart {
  readonly quote: Quote
  /** The method of the pipeline to call. */
  readonly hook: 'start' | 'cancel'
  /** 1 for the first call. It fences the lease. */
  readonly attempt: number
  /** The trace of the request that started the quote. */
  readonly trace: TraceContext | null
}

export interface PipelineStartStorage {
  /**
   * The counterpart of `quotations.accept` for quotations in the host's own tables: writes the order to start with the
   * quote in it, the idempotency key, and takes over the files. All or nothing.
   */
  order(quotation: NewQuotation, idempotency: Idempotency | null): Promise<Acceptance>
  /** `held`: quotation ids, as in `deliveries.round`. */
  claim(round: {
    workerId: string
    limit: number
    held?: readonly string[] | undefined
    now: Date
  }): Promise<{ claimed: ClaimedStart[]; nextDueAt: Date | null }>
  /** The counterpart of `quotations.cancelStart` for quotations in the host's own tables. */
  orderCancel(quote: Quote, now: Date): Promise<void>
  /** The starts that this worker has leased and whose quotes were cancelled meanwhile. */
  findCancelled(workerId: string): Promise<ReadonlySet<string>>
  /**
   * Ends the order (`retryAt` null) or schedules the next call. The order of a quote that was cancelled meanwhile
   * becomes one to cancel, due now. Does nothing if the lease was lost.
   */
  recordCall(made: {
    workerId: string
    quotationId: string
    attempt: number
    retryAt: Date | null
  }): Promise<void>
  /** Returns an order whose call was never made: it does not count as an attempt. Does nothing if the lease was lost. */
  release(start: { workerId: string; quotationId: string; attempt: number }): Promise<void>
}
