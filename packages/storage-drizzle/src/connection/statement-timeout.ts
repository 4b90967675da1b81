/** How long each statement of a transaction may take that is not somebody's request. */
export interface StatementTimeout {
  /** Begins the transaction. */
  readonly settings: string
  /** Seconds that our own driver waits for the answer of each statement; 0: for ever. A host's driver does anyway. */
  readonly seconds: number
}

/** A migration takes as long as it takes. */
export const MIGRATION: StatementTimeout = statementTimeout(0)

/** What looks after tables, as retention: 10 minutes a statement. */
export const MAINTENANCE: StatementTimeout = statementTimeout(10 * 60)

function statementTimeout(seconds: number): StatementTimeout {
  return {
    settings:
      `set local statement_timeout = '${seconds}s'; set local lock_timeout = '${seconds}s'; ` +
      'set local idle_in_transaction_session_timeout = 0',
    seconds,
  }
}
