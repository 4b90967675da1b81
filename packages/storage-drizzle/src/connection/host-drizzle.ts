import { ConfigurationError } from '@quickquote/core'
import { entityKind, type SQL, sql as sqlOf } from 'drizzle-orm'
import type { Driver, Encoded, Result, Statements } from './driver.ts'
import type { StatementTimeout } from './statement-timeout.ts'

/** What we use of a host's drizzle, on whichever driver of PostgreSQL. It may be of another version than ours. */
export interface HostDrizzle {
  execute(query: never): PromiseLike<unknown>
  transaction(work: never): Promise<unknown>
}

/** What a host may pass to `within`: the `tx` of `db.transaction(async (tx) => …)`. A database is none: nobody can roll it back. */
export interface DrizzleTransaction {
  execute(query: never): PromiseLike<unknown>
  rollback(): never
}

/** A host's drizzle, which is used and not changed. It cannot listen. */
export function onHostDrizzle(db: HostDrizzle): Omit<Driver, 'listen' | 'end'> {
  const begin = db.transaction.bind(db) as (
    work: (transaction: DrizzleTransaction) => Promise<unknown>,
  ) => Promise<unknown>
  return {
    ...onDrizzle(db),
    begin: async <T>(work: (transaction: Statements) => Promise<T>, timeout?: StatementTimeout) =>
      (await begin(async (transaction) => {
        const statements = onDrizzle(transaction)
        if (timeout !== undefined) await statements.script(timeout.settings)
        return work(statements)
      })) as T,
  }
}

/** @throws ConfigurationError when it is no database of drizzle */
export function checkDrizzle(db: unknown): HostDrizzle {
  if (!isOfDrizzle(db) || 'rollback' in db || typeof Object(db).transaction !== 'function') {
    throw new ConfigurationError(
      'db must be a database of drizzle on PostgreSQL: the result of drizzle(…), and no transaction.',
    )
  }
  return db as unknown as HostDrizzle
}

export function isDrizzleTransaction(value: unknown): value is DrizzleTransaction {
  return isOfDrizzle(value) && 'rollback' in value
}

function isOfDrizzle(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    entityKind in Object(value.constructor) &&
    typeof Object(value).execute === 'function'
  )
}

/** The statements on whatever drizzle gives: its database, or a transaction. */
export function onDrizzle(db: Pick<HostDrizzle, 'execute'>): Statements {
  const execute = db.execute.bind(db) as (query: SQL) => PromiseLike<unknown>
  const rows = async (text: string, parameters: readonly Encoded[] = []) =>
    readResult(await execute(toDrizzle(text, parameters)))
  return {
    rows,
    values: async (text, parameters) => valuesOf(await rows(text, parameters)),
    async script(text) {
      await execute(sqlOf.raw(asOneStatement(text)))
    },
  }
}

/** The rows as arrays, of a driver that gives objects. */
export function valuesOf({ rows, columns }: Result): unknown[][] {
  return rows.map((row) => {
    const values = Object.values(row)
    // Of two columns with one name only one is in the object.
    if (values.length < columns.length) throw new Error('Two columns have the same name.')
    return values
  })
}

/** Clients differ: postgres.js gives an array with `columns`, pg and others `rows` and `fields`, some the rows alone. */
export function readResult(result: unknown): Result {
  if (Array.isArray(result)) return { rows: result, columns: (result as Partial<Result>).columns ?? [] }
  const { rows, fields = [] } = result as {
    rows: Result['rows']
    fields?: readonly { name: string; dataTypeID: number }[]
  }
  return { rows, columns: fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })) }
}

/** Not every client takes several statements at once; PostgreSQL does, inside of one. */
export function asOneStatement(script: string): string {
  return `do $one_statement$ begin execute $script$${script}$script$; end $one_statement$`
}

/** Turns `$1` into what drizzle takes. A parameter that is used twice is sent twice. */
function toDrizzle(text: string, parameters: readonly Encoded[]): SQL {
  return sqlOf.join(
    text
      .split(/\$(\d+)/)
      .map((part, index) =>
        index % 2 === 0 ? sqlOf.raw(part) : sqlOf.param(parameters[Number(part) - 1] ?? null),
      ),
  )
}
