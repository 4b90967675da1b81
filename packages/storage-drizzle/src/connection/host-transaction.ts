import { ConfigurationError } from '@quickquote/core'
import type { Statements } from './driver.ts'
import {
  asOneStatement,
  type DrizzleTransaction,
  isDrizzleTransaction,
  onDrizzle,
  valuesOf,
} from './host-drizzle.ts'
import {
  isPostgresJsTransaction,
  onPostgresJsTransaction,
  type PostgresJsTransaction,
} from './postgres-js.ts'

/** An open transaction of the host: of drizzle, postgres.js, or any other client. */
export type HostTransaction = DrizzleTransaction | PostgresJsTransaction | OtherTransaction

/**
 * A transaction of any other client, which still begins, commits and rolls it back itself.
 *
 * @example pg, after `await client.query('begin')` integrations.within({ runInTransaction: (text, values) =>
 * client.query(text, values) })
 * @example Kysely, in `db.transaction().execute(async (trx) => …)` integrations.within({ runInTransaction: (text,
 * values) => trx.executeQuery(CompiledQuery.raw(text, values)) })
 * @example Prisma 7, in `prisma.$transaction(async (tx) => …)` integrations.within({ runInTransaction: (text, values)
 * => tx.$queryRawUnsafe(text, ...values) })
 */
export interface OtherTransaction {
  /**
   * Runs a statement with `$1`, `$2` … in the transaction. The values are strings, numbers, booleans, Buffers and
   * nulls; PostgreSQL must infer their types from the statement. Resolves with the rows, or with an object that has
   * `rows`.
   */
  runInTransaction(text: string, values: unknown[]): PromiseLike<unknown>
}

/**
 * @throws ConfigurationError unless it is a transaction
 */
export function statementsIn(transaction: unknown, prepare: boolean): Statements {
  if (isPostgresJsTransaction(transaction)) return onPostgresJsTransaction(transaction, prepare)
  if (isDrizzleTransaction(transaction)) return onDrizzle(transaction)
  if (isOtherTransaction(transaction)) return onOtherTransaction(transaction)
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

function isOtherTransaction(value: unknown): value is OtherTransaction {
  return typeof Object(value).runInTransaction === 'function'
}

function onOtherTransaction(transaction: OtherTransaction): Statements {
  return {
    values: async (text, parameters = []) =>
      valuesOf(await transaction.runInTransaction(text, [...parameters])),
    async script(text) {
      await transaction.runInTransaction(asOneStatement(text), [])
    },
  }
}
