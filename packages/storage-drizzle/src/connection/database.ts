import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigurationError } from '@quickquote/core'
import { entityKind, type SQL, sql as sqlOf } from 'drizzle-orm'
import { drizzle, type PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type postgres from 'postgres'
import { createTables, type Tables } from '../schema.ts'
import { MAINTENANCE } from './patience.ts'
import { sqlStateOf, unanswered } from './storage-error.ts'

/**
 * What a raw statement may be given. An array becomes an array of PostgreSQL; null is no element of one, because a session
 * with `array_nulls=off` takes it for the text "null".
 */
type Parameter = Element | null | readonly Element[]
type Element = string | number | boolean | Date | Uint8Array

type Drizzle = PgRemoteDatabase

/** What each part of the storage works with: where its statements run, and in which SQL schema. */
export interface Database {
  /** drizzle's query builder, for ordinary statements. */
  readonly db: Drizzle
  readonly tables: Tables
  /** The name of the SQL schema, quoted, for raw statements. */
  readonly schema: string
  /**
   * Runs one raw statement (`$1`, `$2`, …; prepared where the connection allows it). Statements keep to what reads alike
   * in every session and with every driver: times and bytes are returned as text (readable.ts), columns have names of
   * their own and are no arrays, counts are cast to `int`, JSON goes in as a string with `$1::text::jsonb`, and a
   * parameter is cast where one use of it does not tell its type. What a statement returns that may run in a host's
   * transaction has names of one word, since the host's postgres.js may rename the others.
   */
  run<Row extends object>(text: string, parameters?: readonly Parameter[]): Promise<Row[]>
  /**
   * A query of drizzle that runs often: it is built at its first use and kept. Its parameters are drizzle's placeholders.
   */
  prepared<T>(build: (db: Drizzle) => Preparable<T>): Prepared<T>
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
  /** What each transaction of ours begins with, where a pooler keeps no settings of a connection. */
  readonly transactionSettings?: () => string | undefined
  /** A transaction of ours that took longer is rolled back: its caller was told that it failed. */
  readonly callTimeoutMs?: number
}

/** The channel on which workers listen for new work. */
export function wakeChannel(schema: string): string {
  return `${schema}_wake`
}

/** The database on connections of our own, where each statement is a transaction unless `transaction` holds several together. */
export function createDatabase({
  sql,
  schema,
  prepare,
  wake,
  transactionSettings = () => undefined,
  callTimeoutMs = Number.POSITIVE_INFINITY,
}: Connection): Database {
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
    ...onPostgresJs(sql, { prepare }, repeated),
    async transaction<T>(work: (database: Database) => Promise<T>) {
      const begun = performance.now()
      const { result, woken } = await repeated(() => once(work, begun))
      if (woken) wake()
      return result
    },
    wake: async () => wake(),
  }

  async function once<T>(work: (database: Database) => Promise<T>, begun: number) {
    let woken = false
    const result = await sql.begin(async (transaction) => {
      const settings = transactionSettings()
      if (settings !== undefined) await transaction.unsafe(settings)
      const bound: Database = {
        ...common,
        ...onPostgresJs(transaction, { prepare }),
        transaction: (nested) => nested(bound),
        wake: async () => {
          woken = true
        },
      }
      const worked = await work(bound)
      if (performance.now() - begun > callTimeoutMs) throw unanswered(callTimeoutMs)
      return worked
    })
    return { result: result as T, woken }
  }
}

/** Transactions that got in each other's way: PostgreSQL rolled one of them back, and it may be run again. */
const IN_THE_WAY = new Set(['40001', '40P01'])

const MOST_TRIES = 3

/** Runs it again, after a moment, while other transactions got in its way. */
async function repeated<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      if (tries === MOST_TRIES || !IN_THE_WAY.has(sqlStateOf(error))) throw error
      await sleep(10 + Math.random() * 40 * tries)
    }
  }
}

/** The same database for what may take minutes: each statement is a transaction. */
export function unhurried({ sql, schema, prepare }: Connection): Pick<Database, 'run' | 'schema'> {
  return {
    schema: `"${schema}"`,
    run: async <Row extends object>(text: string, parameters?: readonly Parameter[]) =>
      (await sql.begin(async (transaction) => {
        await transaction.unsafe(MAINTENANCE.settings)
        return onPostgresJs(transaction, { prepare, ...MAINTENANCE.options }).run<Row>(text, parameters)
      })) as Row[],
  }
}

type Statements = Pick<Database, 'db' | 'run' | 'prepared'>

/** What runs a statement whose parameters are encoded. */
interface Driver {
  /** The rows as objects. */
  rows(text: string, parameters: Encoded[]): Promise<Result>
  /** The rows as arrays, in the order of the columns. */
  values(text: string, parameters: Encoded[]): Promise<unknown[][]>
}

interface Result {
  readonly rows: Record<string, unknown>[]
  readonly columns: readonly { name: string; type: number }[]
}

/**
 * drizzle's proxy driver sits on whatever runs the statements. Its adapter for postgres.js would change how the client
 * reads and writes dates and JSON, for everybody who uses it, and prepares no statements.
 */
function statementsOn(driver: Driver): Statements {
  const db = drizzle(async (text, parameters: Parameter[], method) => {
    const encoded = parameters.map(encode)
    return method === 'all' ? { rows: await driver.values(text, encoded) } : driver.rows(text, encoded)
  })
  return {
    db,
    async run<Row>(text: string, parameters: readonly Parameter[] = []) {
      return decode<Row>(await driver.rows(text, parameters.map(encode)))
    },
    prepared<T>(build: (db: Drizzle) => Preparable<T>): Prepared<T> {
      let statement: ReturnType<Preparable<T>['prepare']> | undefined
      return (values) => {
        // The driver names statements itself.
        statement ??= build(db).prepare('')
        return statement.execute(values)
      }
    },
  }
}

function onPostgresJs(
  sql: postgres.ISql,
  options: postgres.UnsafeQueryOptions,
  perform: <T>(statement: () => Promise<T>) => Promise<T> = (statement) => statement(),
): Statements {
  return statementsOn({
    async rows(text, parameters) {
      const rows = await perform(async () => sql.unsafe<Record<string, unknown>[]>(text, parameters, options))
      return { rows, columns: rows.columns }
    },
    values: (text, parameters) => perform(async () => sql.unsafe(text, parameters, options).values()),
  })
}

function onTransactionOfHost(transaction: unknown, prepare: boolean): Statements {
  if (isTransactionOfPostgresJs(transaction)) return onPostgresJs(transaction, { prepare })
  if (isTransactionOfDrizzle(transaction)) return onDrizzle(transaction)
  throw new ConfigurationError(
    'within() takes a transaction that is under way: the `tx` of `db.transaction(async (tx) => …)` (drizzle), ' +
      'or the `sql` of `sql.begin(async (sql) => …)` (postgres.js).',
  )
}

/** A client of postgres.js has no savepoints: statements on it would not be part of any transaction. */
function isTransactionOfPostgresJs(value: unknown): value is postgres.TransactionSql {
  return typeof value === 'function' && 'unsafe' in value && 'savepoint' in value
}

/** What we use of a host's drizzle, which may be of another version than ours. */
interface DrizzleTransaction {
  execute(query: SQL): Promise<unknown>
}

/** A database of drizzle that is no transaction cannot be rolled back. */
function isTransactionOfDrizzle(value: unknown): value is DrizzleTransaction {
  if (typeof value !== 'object' || value === null) return false
  return entityKind in Object(value.constructor) && 'execute' in value && 'rollback' in value
}

function onDrizzle(transaction: DrizzleTransaction): Statements {
  const rows: Driver['rows'] = async (text, parameters) =>
    readResult(await transaction.execute(toDrizzle(text, parameters)))
  return statementsOn({
    rows,
    async values(text, parameters) {
      const result = await rows(text, parameters)
      return result.rows.map((row) => {
        const values = Object.values(row)
        // Of two columns with one name only one is in the object.
        if (values.length < result.columns.length) throw new Error('Two columns have the same name.')
        return values
      })
    },
  })
}

/** drizzle passes on what its driver gives: postgres.js an array with `columns`, pg and others `rows` and `fields`. */
function readResult(result: unknown): Result {
  if (Array.isArray(result)) return { rows: result, columns: (result as Partial<Result>).columns ?? [] }
  const { rows, fields = [] } = result as {
    rows: Result['rows']
    fields?: readonly { name: string; dataTypeID: number }[]
  }
  return { rows, columns: fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })) }
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

function encodeElement(element: Element): string {
  if (element instanceof Uint8Array) return `"\\\\x${Buffer.from(element).toString('hex')}"`
  return `"${String(encode(element)).replace(/["\\]/g, '\\$&')}"`
}

const TIMESTAMPTZ = 1184

/** The rows with their timestamps as Dates: drizzle's adapters leave them as strings. */
function decode<Row>({ rows, columns }: Result): Row[] {
  for (const { name } of columns.filter(({ type }) => type === TIMESTAMPTZ)) {
    for (const row of rows) {
      const value = row[name]
      if (typeof value === 'string') row[name] = new Date(value)
      if (Number.isNaN(Number(row[name])))
        throw new RangeError('The database sent a time that cannot be read.')
    }
  }
  return rows as Row[]
}
