import { ConfigurationError } from '@quickquote/core'
import type { Statements } from './driver.ts'
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
 * @example pg, after `await client.query('begin')` integrations.within({ runInTransaction: (text, values) =>
 * client.query(text, values) })
 * @example Kysely, in `db.transaction().execute(async (trx) => …)` integrations.within({ runInTransaction: (text,
 * values) => trx.executeQuery(CompiledQuery.raw(text, values)) })
 * @example Prisma 7, in `prisma.$transaction(async (tx) => …)` integrations.within({ runInTransaction: (text, values)
 * => tx.$queryRawUnsafe(text, ...values) })
 * @example Knex, in `knex.transaction(async (trx) => …)` integrations.within({ runInTransaction: (text, values) =>
 * trx.raw(text.replaceAll('?', '\\?').replace(/\$(\d+)/g, ':$1'), { ...[null, ...values] }) })
 * @example TypeORM, in `dataSource.transaction(async (manager) => …)` integrations.within({ runInTransaction: (text,
 * values) => manager.query(text, values) })
 * @example Sequelize, in `sequelize.transaction(async (transaction) => …)` integrations.within({ runInTransaction:
 * (text, values) => sequelize.query(text, { bind: values, transaction }) })
 */
export interface OtherTransaction {
  /**
   * Runs a statement with `$1`, `$2` … in the transaction. The values are strings, numbers, booleans, Buffers and
   * nulls; PostgreSQL must infer their types from the statement. Resolves with the rows, with an object that has `rows`,
   * or with an array of the rows and something else.
   */
  runInTransaction(text: string, values: unknown[]): PromiseLike<unknown>
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

/** The adapter that fits, for what looks like the transaction of a client that we know. */
function hintFor(given: Record<string, unknown>): string {
  const has = (method: string) => typeof given[method] === 'function'
  if (has('$queryRawUnsafe')) {
    return ' For Prisma, in prisma.$transaction(async (tx) => …): { runInTransaction: (text, values) => tx.$queryRawUnsafe(text, ...values) }.'
  }
  if (has('raw') && has('commit')) {
    return String.raw` For Knex: { runInTransaction: (text, values) => trx.raw(text.replaceAll('?', '\\?').replace(/\$(\d+)/g, ':$1'), { ...[null, ...values] }) }.`
  }
  if (has('executeQuery')) {
    return ' For Kysely: { runInTransaction: (text, values) => trx.executeQuery(CompiledQuery.raw(text, values)) }.'
  }
  if (has('query') && has('connect') && 'totalCount' in given) {
    return " A pool of pg has no transaction: client = await pool.connect(), client.query('begin'), and pass { runInTransaction: (text, values) => client.query(text, values) }."
  }
  if (has('query')) {
    return " For pg, after client.query('begin'): { runInTransaction: (text, values) => client.query(text, values) }."
  }
  return ''
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
  const run = async (text: string, values: unknown[]) => {
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
    async values(text, parameters = []) {
      isOpen ??= begun()
      await isOpen
      return valuesOf(await run(text, [...parameters]))
    },
  }
}
