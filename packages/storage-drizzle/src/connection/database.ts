import { setTimeout as sleep } from 'node:timers/promises'
import { drizzle, type PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import { createTables, type Tables } from '../schema.ts'
import { type Driver, encode, type Parameter, run, type Statements } from './driver.ts'
import { statementsIn } from './host-transaction.ts'
import {
  type ColumnTypes,
  numbered,
  type Parameters,
  type Row,
  type Statement,
  valuesOf,
} from './statement.ts'
import { MAINTENANCE } from './statement-timeout.ts'
import { sqlStateOf, unanswered } from './storage-error.ts'

type Drizzle = PgRemoteDatabase

/** A statement of a `….sql.ts`, and its parameters by name. */
type Run = <Columns extends ColumnTypes>(
  statement: Statement<Columns>,
  parameters?: Parameters,
) => Promise<Row<Columns>[]>

/** What each part of the storage works with: where its statements run, and in which SQL schema. */
export interface Database {
  /** drizzle's query builder, for ordinary statements. */
  readonly db: Drizzle
  readonly tables: Tables
  /** The name of the SQL schema, quoted, for raw statements. */
  readonly schema: string
  /** Runs one raw statement, prepared where the connection allows it. */
  run: Run
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
  readonly driver: Pick<Driver, 'rows' | 'values' | 'begin'>
  /** The plain name of the SQL schema. */
  readonly schema: string
  /** Whether statements in the transactions of a host's postgres.js are prepared; false behind PgBouncer. */
  readonly prepare: boolean
  /** Wakes the workers after a commit of our own. */
  readonly wake: () => void
  /** A transaction of ours that took longer is rolled back: its caller was told that it failed. */
  readonly callTimeoutMs?: number
}

/** The channel on which workers listen for new work. */
export function wakeChannel(schema: string): string {
  return `${schema}_wake`
}

/** In a transaction PostgreSQL sends it at the commit, and never when there is none. */
export const NOTIFY = `select pg_notify($1::text, '')`

/** The database on connections of our own, where each statement is a transaction unless `transaction` holds several together. */
export function createDatabase({
  driver,
  schema,
  prepare,
  wake,
  callTimeoutMs = Number.POSITIVE_INFINITY,
}: Connection): Database {
  const common = { tables: createTables(schema), schema: `"${schema}"`, within }

  function within(transaction: unknown): Database {
    const statements = statementsIn(transaction, prepare)
    return inTransaction(statements, async () => {
      await statements.rows(NOTIFY, [wakeChannel(schema)])
    })
  }

  function inTransaction(statements: Statements, wakeAtCommit: Database['wake']): Database {
    const bound: Database = {
      ...common,
      ...queriesOn(statements, common.schema),
      transaction: (work) => work(bound),
      wake: wakeAtCommit,
    }
    return bound
  }

  return {
    ...common,
    ...queriesOn(
      {
        rows: (...statement) => repeated(() => driver.rows(...statement)),
        values: (...statement) => repeated(() => driver.values(...statement)),
      },
      common.schema,
    ),
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
    const result = await driver.begin(async (transaction) => {
      const bound = inTransaction(transaction, async () => {
        woken = true
      })
      const worked = await work(bound)
      if (performance.now() - begun > callTimeoutMs) throw unanswered(callTimeoutMs)
      return worked
    })
    return { result, woken }
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

/** The same database for what may take minutes: each statement is a transaction, unless `transaction` holds several together. */
export interface UnhurriedDatabase extends Pick<Database, 'run' | 'schema'> {
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>
}

export function unhurried({ driver, schema }: Connection): UnhurriedDatabase {
  const quoted = `"${schema}"`
  const transaction: UnhurriedDatabase['transaction'] = (work) =>
    driver.begin(
      (bound) => work(runOn((text, parameters) => run(bound, text, parameters), quoted)),
      MAINTENANCE,
    )
  return {
    schema: quoted,
    transaction,
    run: runOn(
      (text, parameters) => driver.begin((bound) => run(bound, text, parameters), MAINTENANCE),
      quoted,
    ),
  }
}

type Queries = Pick<Database, 'db' | 'run' | 'prepared'>

/**
 * drizzle's proxy driver sits on whatever runs the statements. Its adapter for postgres.js would change how the client
 * reads and writes dates and JSON, for everybody who uses it, and prepares no statements.
 */
function queriesOn(statements: Pick<Statements, 'rows' | 'values'>, schema: string): Queries {
  const db = drizzle(async (text, parameters: Parameter[], method) => {
    const encoded = parameters.map(encode)
    return method === 'all'
      ? { rows: await statements.values(text, encoded) }
      : statements.rows(text, encoded)
  })
  return {
    db,
    run: runOn((text, parameters) => run(statements, text, parameters), schema),
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

function runOn(
  perform: (text: string, parameters: readonly Parameter[]) => Promise<object[]>,
  schema: string,
): Run {
  return async <Columns extends ColumnTypes>(statement: Statement<Columns>, parameters: Parameters = {}) => {
    const made = numbered(statement, schema)
    return (await perform(made.text, valuesOf(made, parameters))) as Row<Columns>[]
  }
}
