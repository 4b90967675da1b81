/** The timeout of each statement in a transaction that serves no request. */
export interface StatementTimeout {
  /** The beginning of the transaction. */
  readonly settings: string
  /** Seconds that our own driver waits for each result; 0: forever. A host's driver always waits. */
  readonly seconds: number
}

/** Without a limit. */
export const MIGRATION: StatementTimeout = statementTimeout(0)

/** For maintenance such as retention: 10 minutes per statement. */
export const MAINTENANCE: StatementTimeout = statementTimeout(10 * 60)

function statementTimeout(seconds: number): StatementTimeout {
  return {
    // A process that is frozen before the commit keeps its locks no longer than our other processes.
    settings: `set local statement_timeout = '${seconds}s'; set local lock_timeout = '${seconds}s'`,
    seconds,
  }
}
