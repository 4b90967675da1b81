import { spawnSync } from 'node:child_process'
import type { EventDefinitions, Integrations, NoEvents } from '@quickquote/core'
import { drizzleStorage, type HostTransaction } from '@quickquote/storage-drizzle'
import type { Page } from 'playwright-core'
import postgres from 'postgres'
import { afterAll, beforeAll, inject, it, onTestFinished } from 'vitest'
import { type TestDatabase, testDatabase } from './database.ts'
import { integrationsOn, keepLogs, type LogLine, type TestOptions } from './host.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of this run, for `testDatabase`. */
    postgresUrl: string
    /** A migrated database on it, for `migratedDatabase`. */
    migratedTemplate: string
  }
}

/** A database on the run's server with all migrations: a copy of one that was migrated once. */
export function migratedDatabase(): Promise<TestDatabase> {
  return testDatabase(inject('postgresUrl'), { template: inject('migratedTemplate') })
}

/** An empty database on the run's server. */
export function emptyDatabase(): Promise<TestDatabase> {
  return testDatabase(inject('postgresUrl'))
}

/**
 * Whether tests may stop processes of PostgreSQL. Not those of DATABASE_URL, whose process ids may mean others on this
 * machine.
 */
export const ownsPostgres = !process.env['DATABASE_URL']

/** A migrated database for the tests of a file, dropped after them. */
export function useDatabase(): { readonly url: string; readonly sql: postgres.Sql } {
  let database: TestDatabase
  let sql: postgres.Sql
  beforeAll(async () => {
    database = await migratedDatabase()
    sql = postgres(database.url, { max: 2 })
  })
  afterAll(async () => {
    await sql.end()
    await database.drop()
  })
  return {
    get url() {
      return database.url
    },
    get sql() {
      return sql
    },
  }
}

/** The number of clients of this database that wait for a lock: each has done what comes before it. */
export async function lockWaiters(sql: postgres.Sql): Promise<number> {
  const waiting = await sql`
    select from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and wait_event_type = 'Lock'`
  return waiting.length
}

/** Integrations, their database, and what they logged. */
export interface OpenIntegrations<Events extends EventDefinitions = NoEvents> {
  readonly integrations: Integrations<Events, HostTransaction>
  readonly databaseUrl: string
  /** Reads and changes the tables directly. */
  readonly sql: postgres.Sql
  /** Empty if the test has its own logger. */
  readonly logs: readonly LogLine[]
  /** Earlier than the end of the test. */
  close(): Promise<void>
}

export interface OpenOptions<Events extends EventDefinitions = EventDefinitions> extends TestOptions<Events> {
  /** A database that stays, and is migrated first. Default: a new one, which is dropped. */
  readonly databaseUrl?: string
  /** `afterAll` at the top of a file. Default: after the test. */
  readonly closeAfter?: typeof onTestFinished | typeof afterAll
}

/** Integrations that are closed after the test, before what the test opened earlier. */
export async function openIntegrations<Events extends EventDefinitions = NoEvents>({
  databaseUrl,
  closeAfter = onTestFinished,
  ...options
}: OpenOptions<Events> = {}): Promise<OpenIntegrations<Events>> {
  const database = databaseUrl === undefined ? await migratedDatabase() : { url: databaseUrl }
  const sql = postgres(database.url, { onnotice() {} })
  const storage = drizzleStorage({ connectionString: database.url })
  if (databaseUrl !== undefined) await storage.migrate()
  const { logger, lines: logs } = keepLogs()
  const integrations = integrationsOn(storage, { logger, ...options })
  let isClosed = false

  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    await integrations.close()
    await sql.end()
    if ('drop' in database) await database.drop()
  }
  closeAfter(close)
  return { integrations, databaseUrl: database.url, sql, logs, close }
}

/**
 * `it` for tests that call a program. Without it they are skipped, which is printed; in CI they fail.
 * @param probe arguments with which it exits with 0 if it has all that the tests need. Default `--version`
 */
export function itWith(program: string, probe = ['--version']): typeof it | typeof it.skip {
  if (process.env['CI'] !== undefined || spawnSync(program, probe).status === 0) return it
  console.log(`Skipped: tests that call ${[program, ...probe].join(' ')}. Install it to run them.`)
  return it.skip
}

/** Prints where the page was, and its text, if the current test fails. Call it after the hook that closes the page. */
export function printIfFailed(page: Page): void {
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== 'fail') return
    const text = await page.evaluate('document.body.innerText').catch((error: Error) => error.message)
    console.log(`The page of the failed test, ${page.url()}:\n${text}`)
  })
}
