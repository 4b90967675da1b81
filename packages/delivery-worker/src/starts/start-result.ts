/** The result of one call of the pipeline hook. */
export type StartAttemptResult =
  | { readonly kind: 'started' }
  /** `retryAt` is null after the last attempt: the quotation has failed. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly retryAt: Date | null }
  /** The quote was cancelled: the start was aborted, or `cancel` has been called. */
  | { readonly kind: 'cancelled' }
  /** The worker is stopping: the order stays leased, and the attempt does not count. */
  | { readonly kind: 'broken_off' }
