import { ConfigurationError } from '@quickquote/core'
import { hintFor } from './adapters.ts'
import type { Encoded, Statements } from './driver.ts'
import { type DrizzleTransaction, isDrizzleTransaction, onDrizzle, valuesOf } from './host-drizzle.ts'
import { isPostgresJsTransaction, type PostgresJsTransaction, statementsOn } from './postgres-js.ts'
import { faultOfClient, sqlStateOf } from './storage-error.ts'

/** An open transaction of the host: of drizzle, postgres.js, or any other client. */
export type HostTransaction = DrizzleTransaction | PostgresJsTransaction | OtherTransaction

/**
 * A transaction of any other client, which still begins, commits and rolls it back itself. Before the first statement of
 * each `within`, PostgreSQL is asked whether it is one, because a pool or a database would commit each statement at
 * once.
 *
 * The README has the line for each client.
 */
export interface OtherTransaction {
  /**
   * Runs a statement with `$1`, `$2` … in the transaction. PostgreSQL must infer the types of the values from the
   * statement. Resolves with the rows, with an object that has `rows`, or with an array of the rows and something else.
   * Rows are objects with the columns by their names, whose letter case and underscores do not matter.
   */
  runInTransaction(text: string, values: (string | number | boolean | null)[]): PromiseLike<unknown>
}

type InTransaction = Pick<Statements, 'values'>

/**
 * @param schema the quoted name of the SQL schema
 * @throws ConfigurationError unless it is a transaction; for one of another client, its first statement does
 */
export function statementsIn(transaction: unknown, prepare: boolean, schema: string): InTransaction {
  if (isPostgresJsTransaction(transaction)) return statementsOn(transaction, { prepare })
  if (isDrizzleTransaction(transaction)) return onDrizzle(transaction)
  if (isOtherTransaction(transaction)) return onOtherTransaction(transaction, schema)
  throw new ConfigurationError(
    'within() takes an open transaction: the `tx` of `db.transaction(async (tx) => …)` (drizzle), ' +
      'the `sql` of `sql.begin(async (sql) => …)` (postgres.js), or `{ runInTransaction: (text, values) => … }` (any other client).' +
      hintFor(Object(transaction)),
  )
}

const NO_TRANSACTION = '25P01'

const OUTSIDE =
  'within(): runInTransaction ran its statement outside a transaction, where each would be committed at once. ' +
  'Begin one, and run the statements on its own client or `tx`, not on a pool or a database.'

function isOtherTransaction(value: unknown): value is OtherTransaction {
  return typeof Object(value).runInTransaction === 'function'
}

function onOtherTransaction(transaction: OtherTransaction, schema: string): InTransaction {
  let isOpen: Promise<unknown> | undefined
  const run = async (text: string, values: Encoded[]) => {
    try {
      return await transaction.runInTransaction(text, values)
    } catch (error) {
      throw faultOfClient(error)
    }
  }
  // Outside a transaction PostgreSQL refuses LOCK; inside, each of our statements takes such a lock anyway.
  const begun = () =>
    run(`lock table ${schema}.quotations in access share mode`, []).catch((error) => {
      throw sqlStateOf(error) === NO_TRANSACTION ? new ConfigurationError(OUTSIDE) : error
    })
  return {
    async values(text, parameters, names) {
      isOpen ??= begun()
      await isOpen
      return valuesOf(await run(text, [...parameters]), names)
    },
  }
}
