/** Replaces erased texts. It cannot be mistaken for the body of an event, which is a JSON object. */
export const ERASED = '[erased]'

/** The member who requested a change, for the audit log. Default: the service itself. */
export interface RequestedBy {
  readonly by?: string
}

/** Data that only the host can erase, because it keeps it and has no method for erasing it. */
export type LeftToHost = 'quotations' | 'files'

/** The result of erasing a quotation. Counts are 0 if it had been erased before. */
export interface ErasedQuotation {
  readonly quotation_id: string
  /** Events with erased bodies. Their ids, types and times are kept. */
  readonly events: number
  /** Pending deliveries that were dropped. */
  readonly deliveries: number
  /** Attempts with erased responses. */
  readonly attempts: number
  /** Files to delete: at once, or by a worker if that fails. */
  readonly files: number
  readonly left_to_host: readonly LeftToHost[]
}

/** The progress of erasing an organization. */
export interface Erasure {
  /**
   * `erasing`, then `sweeping`: nothing is left, but a transaction that began before may still add something, which is
   * erased, too. `erased` once all of these have ended.
   */
  readonly status: 'erasing' | 'sweeping' | 'erased'
  /** Removed rows, by table. */
  readonly removed: Readonly<Record<string, number>>
  readonly left_to_host: readonly LeftToHost[]
  readonly started_at: Date
  readonly erased_at: Date | null
}
