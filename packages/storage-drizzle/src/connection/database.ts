import { setTimeout as sleep } from 'node:timers/promises'
import { type Driver, MAINTENANCE, type Statements } from './driver.ts'
import { statementsIn } from './host-transaction.ts'
import { TAKE_TURNS } from './locks.sql.ts'
import { type Runner, runnerOn } from './run.ts'
import { ofHost, sqlStateOf, unanswered } from './storage-error.ts'

/** The context of each part of the storage: its connections and its SQL schema. */
export interface Database extends Runner {
  /** The quoted name of the SQL schema, for raw statements. */
  readonly schema: string
  /** Whether all statements run in one transaction. */
  readonly isTransaction: boolean
  /** Runs `work` in a transaction, or in the current one. */
  transaction<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** Wakes the workers on commit. */
  wake(): Promise<void>
  /**
   * The same database inside a transaction of the host, which alone commits it or rolls it back. The host's objects are
   * never changed.
   * @param options.notify false: it sends no NOTIFY, and workers find its work when they poll. Default true.
   * @throws ConfigurationError unless it is a transaction of drizzle (any PostgreSQL driver), postgres.js or another client
   */
  within(transaction: unknown, options?: { readonly notify?: boolean }): Database
}

/** The connections of our statements. */
export interface Connection {
  readonly driver: Pick<Driver, 'values' | 'begin'>
  /** The unquoted name of the SQL schema. */
  readonly schema: string
  /** Whether to prepare statements in transactions of a host's postgres.js; false behind PgBouncer. */
  readonly prepare: boolean
  /** Wakes the workers after a commit of our own. */
  readonly wake: () => void
  /** Our longer transactions are rolled back: their caller has already received an error. */
  readonly callTimeoutMs?: number
}

/** The channel for notifications of new work. */
export function wakeChannel(schema: string): string {
  return `${schema}_wake`
}

/** Within a transaction, PostgreSQL sends it on commit, and never after a rollback. */
export const NOTIFY = `select pg_notify($1::text, '')::text`

/** The database on our own connections. Each statement is a transaction, except inside `transaction`. */
export function createDatabase({
  driver,
  schema,
  prepare,
  wake,
  callTimeoutMs = Number.POSITIVE_INFINITY,
}: Connection): Database {
  const common = { schema: `"${schema}"`, within }

  function within(transaction: unknown, { notify = true }: { readonly notify?: boolean } = {}): Database {
    const ofTransaction = statementsIn(transaction, prepare, common.schema)
    const statements: Pick<Statements, 'values'> = {
      values: (...statement) =>
        ofTransaction.values(...statement).catch((error) => {
          throw ofHost(error)
        }),
    }
    return inTransaction(statements, async () => {
      if (notify) await statements.values(NOTIFY, [wakeChannel(schema)])
    })
  }

  function inTransaction(statements: Pick<Statements, 'values'>, wakeAtCommit: Database['wake']): Database {
    const bound: Database = {
      ...common,
      ...runnerOn(statements, common.schema),
      isTransaction: true,
      transaction: (work) => work(bound),
      wake: wakeAtCommit,
    }
    return bound
  }

  return {
    ...common,
    ...runnerOn({ values: (...statement) => repeated(() => driver.values(...statement)) }, common.schema),
    isTransaction: false,
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

/** Conflicting transactions: PostgreSQL rolled one back, and it can be retried. */
const IN_THE_WAY = new Set(['40001', '40P01'])

const MOST_TRIES = 3

/** Retries after a moment while there are conflicts. */
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

/** The same database for long statements. Each is a transaction, except inside `transaction`. */
export interface UnhurriedDatabase extends Runner {
  transaction<T>(work: (transaction: Runner) => Promise<T>): Promise<T>
}

export function unhurried({ driver, schema }: Connection): UnhurriedDatabase {
  const quoted = `"${schema}"`
  return {
    ...runnerOn(
      { values: (...statement) => driver.begin(({ values }) => values(...statement), MAINTENANCE) },
      quoted,
    ),
    transaction: (work) => driver.begin((bound) => work(runnerOn(bound, quoted)), MAINTENANCE),
  }
}

/**
 * Serializes transactions that count before they insert, so that each counts the others' rows. Call it before the
 * count, in a separate statement: the count must begin after the lock was taken.
 * @param what names the counted rows
 */
export async function oneAtATime({ run, schema }: Database, what: string): Promise<void> {
  await run(TAKE_TURNS, { what: `${schema} ${what}` })
}
