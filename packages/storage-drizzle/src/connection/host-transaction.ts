import { ConfigurationError } from '@quickquote/core'
import type { Statements } from './driver.ts'
import {
  asOneStatement,
  type DrizzleTransaction,
  isDrizzleTransaction,
  onDrizzle,
  readResult,
  valuesOf,
} from './host-drizzle.ts'
import {
  isPostgresJsTransaction,
  onPostgresJsTransaction,
  type PostgresJsTransaction,
} from './postgres-js.ts'

/**
 * A transaction of the host that is under way: the `tx` of drizzle's `db.transaction`, the `sql` of `sql.begin` of
 * postgres.js, or that of any other client, through `transactionOf`.
 */
export type HostTransaction = DrizzleTransaction | PostgresJsTransaction | OtherTransaction

/**
 * Runs one statement in a transaction that is under way. `text` has `$1`, `$2` …; `values` are strings, numbers, booleans,
 * Buffers and nulls, whose types PostgreSQL tells from the statement. Resolves with the rows, or with an object that has `rows`.
 */
export type RunInTransaction = (text: string, values: unknown[]) => PromiseLike<unknown>

/** What `transactionOf` returns. */
export class OtherTransaction {
  readonly #run: RunInTransaction

  /** @internal */
  constructor(run: RunInTransaction) {
    this.#run = run
  }

  /** @internal */
  statements(): Statements {
    const rows: Statements['rows'] = async (text, parameters = []) =>
      readResult(await this.#run(text, [...parameters]))
    return {
      rows,
      values: async (text, parameters) => valuesOf(await rows(text, parameters)),
      script: async (text) => {
        await rows(asOneStatement(text))
      },
    }
  }
}

/**
 * Makes the transaction of any client of PostgreSQL one that `within` takes. It begins, commits and rolls back where it did
 * before; here are only the statements of ours that run in it.
 *
 * @example pg, after `await client.query('begin')`
 * integrations.within(transactionOf((text, values) => client.query(text, values)))
 * @example Kysely
 * db.transaction().execute(async (trx) => {
 *   const tx = transactionOf((text, values) => trx.executeQuery(CompiledQuery.raw(text, values)))
 *   await integrations.within(tx).pipeline(quotationId).stepCompleted('work_breakdown')
 * })
 */
export function transactionOf(run: RunInTransaction): OtherTransaction {
  if (typeof run !== 'function') {
    throw new ConfigurationError(
      'transactionOf takes a function (text, values) => client.query(text, values).',
    )
  }
  return new OtherTransaction(run)
}

/** @throws ConfigurationError when it is no transaction */
export function statementsIn(transaction: unknown, prepare: boolean): Statements {
  if (isPostgresJsTransaction(transaction)) return onPostgresJsTransaction(transaction, prepare)
  if (isDrizzleTransaction(transaction)) return onDrizzle(transaction)
  if (transaction instanceof OtherTransaction) return transaction.statements()
  throw new ConfigurationError(
    'within() takes a transaction that is under way: the `tx` of `db.transaction(async (tx) => …)` (drizzle), ' +
      'the `sql` of `sql.begin(async (sql) => …)` (postgres.js), or for another client transactionOf(…) of @quickquote/storage-drizzle.',
  )
}
