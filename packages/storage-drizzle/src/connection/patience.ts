/** How long the statements of a transaction may take that is not somebody's request. */
export interface Patience {
  /** Begins the transaction. */
  readonly settings: string
  /** Seconds that our own driver waits for the answer of each statement; 0: for ever. A host's driver does anyway. */
  readonly timeoutS: number
}

/** A migration takes as long as it takes. */
export const MIGRATION: Patience = patience(0)

/** What looks after tables, as retention: 10 minutes a statement. */
export const MAINTENANCE: Patience = patience(10 * 60)

function patience(seconds: number): Patience {
  return {
    settings:
      `set local statement_timeout = '${seconds}s'; set local lock_timeout = '${seconds}s'; ` +
      'set local idle_in_transaction_session_timeout = 0',
    timeoutS: seconds,
  }
}
