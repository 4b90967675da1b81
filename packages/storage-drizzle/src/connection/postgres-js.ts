import { ConfigurationError } from '@quickquote/core'
import type postgres from 'postgres'
import type { Driver, Statements, StatementTimeout } from './driver.ts'
import { listen } from './listener.ts'

/** How to run statements on a postgres.js client. */
interface ClientOptions {
  /** Prepared statements; false behind PgBouncer in transaction mode. */
  readonly prepare: boolean
  /** Whether the client is a published postgres.js, whose commits have to be checked. */
  readonly isPublished?: boolean
  /** The beginning of each transaction, if a pooler keeps no settings. */
  readonly transactionSettings?: () => string | undefined
}

/** Runs statements on a postgres.js client, ours or a host's, without changing it. */
export function onPostgresJs(
  sql: postgres.Sql,
  { prepare, isPublished = false, transactionSettings = () => undefined }: ClientOptions,
): Omit<Driver, 'end'> {
  return {
    ...statementsOn(sql, { prepare }),
    async begin<T>(work: (transaction: Statements) => Promise<T>, timeout?: StatementTimeout) {
      let isCommitted = true
      const result = await sql.begin(async (transaction) => {
        const statements = statementsOn(transaction, {
          prepare,
          ...(timeout && { timeout: timeout.seconds }),
        })
        for (const settings of [transactionSettings(), timeout?.settings]) {
          if (settings !== undefined) await statements.script(settings)
        }
        const worked = await work(statements)
        if (isPublished) isCommitted = await commit((text) => transaction.unsafe(text))
        return worked
      })
      if (!isCommitted) throw rolledBack()
      return result as T
    },
    listen: (channel, hearing) => listen(sql.options, channel, hearing),
  }
}

/**
 * Commits the transaction of a published postgres.js, and leaves its own `commit` an empty one: that is a prepared
 * statement, and if the session has lost it, the driver repeats it in the transaction that is aborted by then,
 * PostgreSQL answers ROLLBACK, and `begin` resolves.
 * @returns whether it was committed; if not, `rolledBack` is the error, unless the driver has a better one
 */
export async function commit(
  run: (text: string) => PromiseLike<{ readonly command?: string }>,
): Promise<boolean> {
  const { command } = await run('commit and chain')
  return command === 'COMMIT'
}

export function rolledBack(): Error {
  const error = new Error('commit was answered with ROLLBACK')
  return Object.assign(error, { severity: 'ERROR', code: '40000' })
}

/**
 * After an error in the middle of a result, postgres.js goes on counting rows where it was: the next result of that
 * connection begins with as many holes.
 */
export function withoutHoles<T>(rows: T[]): T[] {
  return 0 in rows ? rows : rows.filter(() => true)
}

/** The `sql` of `sql.begin(async (sql) => …)`, for `within`. Not a client, which has no savepoints. */
export interface PostgresJsTransaction {
  unsafe(query: never, ...rest: never[]): unknown
  savepoint(work: never): unknown
}

export function isPostgresJsTransaction(value: unknown): value is PostgresJsTransaction {
  return typeof value === 'function' && 'unsafe' in value && 'savepoint' in value
}

/**
 * @throws ConfigurationError unless it is a client that leaves values unchanged
 */
export function checkClient(sql: postgres.Sql): postgres.Sql {
  if (typeof sql !== 'function' || typeof sql.begin !== 'function') {
    throw new ConfigurationError('sql must be a postgres.js client: the result of postgres(…).')
  }
  if (typeof sql.options?.transform !== 'object') {
    throw new ConfigurationError(
      'sql must be a postgres.js client: the result of postgres(…). With Bun.SQL, pass a connectionString, and the `tx` of its begin to within().',
    )
  }
  const { column, row, value } = sql.options.transform
  if (column.from || row.from || value.from) {
    throw new ConfigurationError(
      'sql has a `transform`, which would rename our columns and change the JSON of partners. ' +
        'Pass a client without one, or a connectionString.',
    )
  }
  return sql
}

/** `timeout`: seconds that our own driver waits for a response, 0: forever. A host's driver ignores it. */
type UnsafeOptions = postgres.UnsafeQueryOptions & { readonly timeout?: number }

/** Runs statements on a client or in a transaction of one. */
export function statementsOn(
  client: postgres.ISql | PostgresJsTransaction,
  options: UnsafeOptions,
): Statements {
  const sql = client as postgres.ISql
  const unprepared = { ...options, prepare: false }
  return {
    values: async (text, parameters, _names, prepare) =>
      withoutHoles(
        await sql.unsafe(text, [...parameters], prepare === false ? unprepared : options).values(),
      ),
    async script(text) {
      await sql.unsafe(text, [], unprepared)
    },
  }
}
