import { ConfigurationError } from '@quickquote/core'
import { is, type SQL, sql as sqlOf } from 'drizzle-orm'
import { type PgDatabase, type PgQueryResultHKT, PgTransaction } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'
import type postgres from 'postgres'
import { createTables, type Tables } from './tables.ts'

/** What a raw statement may be given. An array becomes an array of PostgreSQL. */
export type Parameter = string | number | boolean | Date | Uint8Array | null | readonly Parameter[]

export type Drizzle = PgDatabase<PgQueryResultHKT>

/** What each part of the storage works with: where its statements run, and in which SQL schema. */
export interface Database {
  /** drizzle's query builder, for ordinary statements. */
  readonly db: Drizzle
  readonly tables: Tables
  /** The name of the SQL schema, quoted, for raw statements. */
  readonly schema: string
  /**
   * Runs one raw statement (`$1`, `$2`, …; prepared where the connection allows it). In the rows, `timestamptz` is a
   * Date and `bytea` a Buffer, whatever the driver. For the rest, statements keep to what reads alike everywhere:
   * columns have names of their own and are no arrays, counts are cast to `int`, JSON goes in as a string with
   * `$1::text::jsonb`, and a parameter is cast where one use of it does not tell its type.
   */
  run<Row extends object>(text: string, parameters?: readonly Parameter[]): Promise<Row[]>
  /**
   * A query of drizzle that runs often: it is built at its first use and kept. Its parameters are drizzle's placeholders.
   * @param name the name of the prepared statement, where the driver wants one
   */
  prepared<T>(name: string, build: (db: Drizzle) => Preparable<T>): Prepared<T>
  /** Runs `work` in one transaction; where one is under way, in that one. */
  transaction<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** Wakes the workers as soon as what was written is committed. */
  wake(): Promise<void>
  /**
   * The same database inside a transaction of the host, which alone commits it or rolls it back. The host's objects are
   * used, never changed.
   * @throws ConfigurationError when it is no transaction of drizzle (any PostgreSQL driver) or of postgres.js
   */
  within(transaction: unknown): Database
}

type Prepared<T> = (values: Record<string, unknown>) => Promise<T>

interface Preparable<T> {
  execute(values?: Record<string, unknown>): Promise<T>
  prepare(name: string): { execute(values?: Record<string, unknown>): Promise<T> }
}

/** The connections that our statements run on. */
export interface Connection {
  readonly sql: postgres.Sql
  /** The plain name of the SQL schema. */
  readonly schema: string
  /** Prepared statements; false behind PgBouncer in transaction mode. */
  readonly prepare: boolean
  /** Wakes the workers after a commit of our own. */
  readonly wake: () => void
}

/** The channel on which workers listen for new work. */
export function wakeChannel(schema: string): string {
  return `${schema}_wake`
}

/** The database on connections of our own, where each statement is a transaction unless `transaction` holds several together. */
export function createDatabase({ sql, schema, prepare, wake }: Connection): Database {
  const common = { tables: createTables(schema), schema: `"${schema}"`, within }

  function within(transaction: unknown): Database {
    const bound: Database = {
      ...common,
      ...onTransactionOfHost(transaction, prepare),
      transaction: (work) => work(bound),
      // PostgreSQL sends the notifications of a transaction when it commits, and never when it does not.
      wake: async () => {
        await bound.run(`select pg_notify($1::text, '')`, [wakeChannel(schema)])
      },
    }
    return bound
  }

  return {
    ...common,
    ...onPostgresJs(sql, prepare),
    async transaction<T>(work: (database: Database) => Promise<T>) {
      let woken = false
      const result = await sql.begin((transaction) => {
        const bound: Database = {
          ...common,
          ...onPostgresJs(transaction, prepare),
          transaction: (nested) => nested(bound),
          wake: async () => {
            woken = true
          },
        }
        return work(bound)
      })
      if (woken) wake()
      return result as T
    },
    wake: async () => wake(),
  }
}

type Statements = Pick<Database, 'db' | 'run' | 'prepared'>

function onTransactionOfHost(transaction: unknown, prepare: boolean): Statements {
  if (is(transaction, PgTransaction)) return onDrizzle(transaction as unknown as Drizzle)
  if (isTransactionOfPostgresJs(transaction)) return onPostgresJs(transaction, prepare)
  throw new ConfigurationError(
    'within() takes a transaction that is under way: the `tx` of `db.transaction(async (tx) => …)` (drizzle), ' +
      'or the `sql` of `sql.begin(async (sql) => …)` (postgres.js).',
  )
}

/** The client itself has no savepoints: statements on it would not be part of any transaction. */
function isTransactionOfPostgresJs(value: unknown): value is postgres.TransactionSql {
  return typeof value === 'function' && 'unsafe' in value && 'savepoint' in value
}

/**
 * postgres.js as it is. drizzle's own adapter would change how the client reads and writes dates and JSON, for
 * everybody who uses it, and prepares no statements; its proxy driver leaves both to us.
 */
function onPostgresJs(sql: postgres.ISql, prepare: boolean): Statements {
  const query = (text: string, parameters: readonly Parameter[]) =>
    sql.unsafe<Record<string, unknown>[]>(text, parameters.map(encode), { prepare })
  const db = drizzle(async (text, parameters, method) => {
    const pending = query(text, parameters)
    return { rows: await (method === 'all' ? pending.values() : pending) }
  })
  return {
    db,
    async run<Row>(text: string, parameters: readonly Parameter[] = []) {
      return decode<Row>(await query(text, parameters))
    },
    prepared<T>(name: string, build: (db: Drizzle) => Preparable<T>): Prepared<T> {
      let statement: Pick<Preparable<T>, 'execute'> | undefined
      return (values) => {
        statement ??= build(db).prepare(name)
        return statement.execute(values)
      }
    },
  }
}

/** A host's own drizzle, on whichever driver it chose. */
function onDrizzle(db: Drizzle): Statements {
  return {
    db,
    async run<Row>(text: string, parameters: readonly Parameter[] = []) {
      return decode<Row>(await db.execute(toDrizzle(text, parameters.map(encode))))
    },
    // A named statement would stay on the host's connection, and breaks behind some poolers.
    prepared: (_name, build) => (values) => build(db).execute(values),
  }
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

type Encoded = string | number | boolean | Buffer | null

/**
 * Brings a parameter into a form that every driver passes on unchanged: a host's drizzle may have taken the date
 * serializer out of its postgres.js client, and postgres.js cannot infer the type of most arrays.
 */
function encode(parameter: Parameter): Encoded {
  if (parameter instanceof Date) return parameter.toISOString()
  if (parameter instanceof Uint8Array) return Buffer.from(parameter)
  if (Array.isArray(parameter)) return `{${parameter.map(encodeElement).join(',')}}`
  return parameter as Encoded
}

function encodeElement(element: Parameter): string {
  if (element === null) return 'null'
  if (element instanceof Uint8Array) return `"\\\\x${Buffer.from(element).toString('hex')}"`
  return `"${String(encode(element)).replace(/["\\]/g, '\\$&')}"`
}

const TIMESTAMPTZ = 1184

/** The rows of a result with their timestamps as Dates, which drizzle's adapters leave as strings. */
function decode<Row>(result: unknown): Row[] {
  const { rows, timestamps } = readResult(result)
  for (const name of timestamps) {
    for (const row of rows) {
      const value = row[name]
      if (typeof value === 'string') row[name] = new Date(value)
    }
  }
  return rows as Row[]
}

/** Results look differently with each driver: postgres.js returns an array with `columns`, pg an object with `fields`. */
function readResult(result: unknown): { rows: Record<string, unknown>[]; timestamps: string[] } {
  const { rows, columns, fields } = result as {
    rows?: Record<string, unknown>[]
    columns?: { name: string; type: number }[]
    fields?: { name: string; dataTypeID: number }[]
  }
  const types = columns ?? fields?.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })) ?? []
  return {
    rows: Array.isArray(result) ? (result as Record<string, unknown>[]) : (rows ?? []),
    timestamps: types.filter(({ type }) => type === TIMESTAMPTZ).map(({ name }) => name),
  }
}
