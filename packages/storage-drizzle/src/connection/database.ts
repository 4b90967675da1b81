import { setTimeout as sleep } from 'node:timers/promises'
import type { Places, Work } from '@quickquote/core/internal'
import { type Call, type Calls, plainCall } from './call.ts'
import { type Driver, MAINTENANCE, type Statements } from './driver.ts'
import { statementsIn } from './host-transaction.ts'
import { TAKE_TURNS } from './locks.sql.ts'
import { type Runner, runnerOn } from './run.ts'
import { isRefusedRow, ofHost, sqlStateOf, unanswered } from './storage-error.ts'
import { type Announce, NOTIFY, type Offer, type Waker, wakeChannel } from './wake.ts'

/** The context of each part of the storage: its connections and its SQL schema. */
export interface Database extends Runner {
  readonly call: Call
  /** The same, in a transaction; otherwise not watched: its caller reports failures. */
  readonly callUnwatched: Call
  /** The quoted name of the SQL schema, for raw statements. */
  readonly schema: string
  /** Whether all statements run in one transaction. */
  readonly isTransaction: boolean
  /** Runs `work` in a transaction, or in the current one. */
  transaction<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** Wakes the workers on commit. */
  wake(work: Work): Promise<void>
  /** For a single statement that notifies the workers itself. */
  readonly announce: Announce
  /** Places for what a statement leases as it records it. Their `end` may be called before the commit. */
  readonly offer: Offer
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
  readonly waker: Pick<Waker, 'wake' | 'announce' | 'offer'>
  readonly calls: Calls
  /** Our longer transactions are rolled back: their caller has already received an error. */
  readonly callTimeoutMs?: number
}

const nothing = async () => {}

/** The database on our own connections. Each statement is a transaction, except inside `transaction`. */
export function createDatabase({
  driver,
  schema,
  prepare,
  waker,
  calls,
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
    const channel = notify ? wakeChannel(schema) : null
    return inTransaction(statements, {
      async wake(work) {
        if (channel !== null) await statements.values(NOTIFY, [channel, work], [])
      },
      announce: () => ({ channel, made: nothing }),
      // Nobody reports whether it was committed.
      offer: () => undefined,
    })
  }

  function inTransaction(
    statements: Pick<Statements, 'values'>,
    atCommit: Pick<Database, 'wake' | 'announce' | 'offer'>,
  ): Database {
    const { run, one } = runnerOn(statements, common.schema)
    // Nothing is spread: see quotations.ts.
    const bound: Database = {
      schema: common.schema,
      within,
      run,
      one,
      call: plainCall,
      callUnwatched: plainCall,
      isTransaction: true,
      transaction: (work) => work(bound),
      wake: atCommit.wake,
      announce: atCommit.announce,
      offer: atCommit.offer,
    }
    return bound
  }

  return {
    ...common,
    ...runnerOn({ values: (...statement) => repeated(() => driver.values(...statement)) }, common.schema),
    call: calls.call,
    callUnwatched: calls.callUnwatched,
    isTransaction: false,
    async transaction<T>(work: (database: Database) => Promise<T>) {
      const begun = performance.now()
      const { result, woken } = await repeated(() => once(work, begun))
      for (const each of woken) waker.wake(each)
      return result
    },
    wake: async (work) => waker.wake(work),
    announce: waker.announce,
    offer: waker.offer,
  }

  async function once<T>(work: (database: Database) => Promise<T>, begun: number) {
    const woken = new Set<Work>()
    const offered = new Map<Places, Parameters<Places['end']>[0]>()
    const wake = async (work: Work) => {
      woken.add(work)
    }
    const end = (leased: readonly [] | 'unknown') => {
      for (const places of offered.keys()) places.end(leased)
      offered.clear()
    }
    const result = await driver
      .begin(async (transaction) => {
        // The driver may repeat it after a rollback.
        end([])
        const announce: Announce = (work) => ({ channel: null, made: () => wake(work) })
        const offer: Offer = (organizationId) => {
          const places = waker.offer(organizationId)
          if (places === undefined) return undefined
          offered.set(places, 'unknown')
          return { ...places, end: (leased) => void offered.set(places, leased) }
        }
        const bound = inTransaction(transaction, { wake, announce, offer })
        const worked = await work(bound)
        if (performance.now() - begun > callTimeoutMs) throw unanswered(callTimeoutMs)
        return worked
      })
      .catch((error) => {
        end(isRefusedRow(error) ? [] : 'unknown')
        throw error
      })
    for (const [places, leased] of offered) places.end(leased)
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
  readonly call: Call
  transaction<T>(work: (transaction: Runner) => Promise<T>): Promise<T>
}

export function unhurried({ driver, schema, calls }: Connection): UnhurriedDatabase {
  const quoted = `"${schema}"`
  return {
    ...runnerOn(
      { values: (...statement) => driver.begin(({ values }) => values(...statement), MAINTENANCE) },
      quoted,
    ),
    call: calls.callUnhurried,
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
