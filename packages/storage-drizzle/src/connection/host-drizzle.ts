import { ConfigurationError } from '@quickquote/core'
import { entityKind, type SQL, sql as sqlOf } from 'drizzle-orm'
import type { Driver, Encoded, Statements, StatementTimeout } from './driver.ts'
import { commit, rolledBack, withoutHoles } from './postgres-js.ts'

/** The part of a host's drizzle that we use, on any PostgreSQL driver. Its version may differ from ours. */
export interface HostDrizzle {
  execute(query: never): PromiseLike<unknown>
  transaction(work: never): Promise<unknown>
}

/** The `tx` of `db.transaction(async (tx) => …)`, for `within`. Not a database, which could not be rolled back. */
export interface DrizzleTransaction {
  execute(query: never): PromiseLike<unknown>
  rollback(): never
}

/** Runs statements on a host's drizzle without changing it. It cannot listen. */
export function onHostDrizzle(db: HostDrizzle): Omit<Driver, 'listen' | 'end'> {
  const isOnPostgresJs = 'PostgresError' in Object(Object(db).$client)
  const begin = db.transaction.bind(db) as (
    work: (transaction: DrizzleTransaction) => Promise<unknown>,
  ) => Promise<unknown>
  return {
    ...onDrizzle(db),
    async begin<T>(work: (transaction: Statements) => Promise<T>, timeout?: StatementTimeout) {
      let isCommitted = true
      const result = await begin(async (transaction) => {
        const statements = onDrizzle(transaction)
        if (timeout !== undefined) await statements.script(timeout.settings)
        const worked = await work(statements)
        if (isOnPostgresJs) isCommitted = await commit((text) => executeOn(transaction)(sqlOf.raw(text)))
        return worked
      })
      if (!isCommitted) throw rolledBack()
      return result as T
    },
  }
}

/**
 * @throws ConfigurationError unless it is a drizzle database, of a version below 1
 */
export function checkDrizzle(db: unknown): HostDrizzle {
  if (isOfDrizzle1(db)) {
    throw new ConfigurationError(
      'db is a database of drizzle-orm 1, which is not supported yet. Install drizzle-orm 0.45, or pass a connectionString instead of db.',
    )
  }
  if (!isOfDrizzle(db) || 'rollback' in db || typeof Object(db).transaction !== 'function') {
    throw new ConfigurationError(
      'db must be a drizzle database on PostgreSQL: the result of drizzle(…), not a transaction.',
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

/** Version 1 renamed the class that its PostgreSQL databases extend. */
function isOfDrizzle1(db: unknown): boolean {
  for (let type = Object(db).constructor; typeof type === 'function'; type = Object.getPrototypeOf(type)) {
    if (type[entityKind] === 'PgAsyncDatabase') return true
  }
  return false
}

/** Runs statements on a drizzle database or transaction. */
export function onDrizzle(db: Pick<HostDrizzle, 'execute'>): Statements {
  const execute = executeOn(db)
  return {
    values: async (text, parameters, names) => valuesOf(await execute(toDrizzle(text, parameters)), names),
    async script(text) {
      await execute(sqlOf.raw(text))
    },
  }
}

function executeOn(db: Pick<HostDrizzle, 'execute'>) {
  return db.execute.bind(db) as (query: SQL) => PromiseLike<object>
}

/**
 * The named columns of a result's rows. Clients differ: some return the rows, others an object with `rows`; TypeORM adds
 * their number after UPDATE and DELETE, Sequelize always more. Columns are found by name, because a client may rename
 * and reorder them.
 * @throws ConfigurationError for a row without one of the columns
 */
export function valuesOf(result: unknown, names: readonly string[]): unknown[][] {
  if (isRowsAndMore(result)) return valuesOf(result[0], names)
  const rows: unknown = Array.isArray(result) ? withoutHoles(result) : Object(result).rows
  if (!Array.isArray(rows)) throw new ConfigurationError('The database client returned no array of rows.')
  if (rows.length === 0) return []
  const keys = names.map((name) => keyOf(Object(rows[0]), name))
  return rows.map((row) => keys.map((key, index) => row[key in row ? key : keyOf(row, names[index] ?? key)]))
}

/** The name that a client gave to a column: `owner_id`, `ownerId` and `OWNER_ID` are one. */
function keyOf(row: object, name: string): string {
  if (name in row) return name
  const found = Object.keys(row).find((key) => plain(key) === plain(name))
  if (found !== undefined) return found
  throw new ConfigurationError(
    `The database client returned a row without the column ${name}. Run our statements without its plugins.`,
  )
}

function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}

/** No rows of arrays, whose second would be an array as well. */
function isRowsAndMore(result: unknown): result is [unknown[], unknown] {
  return Array.isArray(result) && result.length === 2 && Array.isArray(result[0]) && !Array.isArray(result[1])
}

/** Converts `$1` for drizzle. A parameter that is used twice is sent twice. */
function toDrizzle(text: string, parameters: readonly Encoded[]): SQL {
  return sqlOf.join(
    text
      .split(/\$(\d+)/)
      .map((part, index) =>
        index % 2 === 0 ? sqlOf.raw(part) : sqlOf.param(parameters[Number(part) - 1] ?? null),
      ),
  )
}
