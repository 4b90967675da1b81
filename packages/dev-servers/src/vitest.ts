import { spawnSync } from 'node:child_process'
import postgres from 'postgres'
import { afterAll, beforeAll, inject, it } from 'vitest'
import { type TestDatabase, testDatabase } from './database.ts'

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

/** Whether tests may stop processes of PostgreSQL. Not those of DATABASE_URL, whose process ids may mean others on this machine. */
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

/** `it` for tests that call a program. Without it they are skipped, which is printed; in CI they fail. */
export function itWith(program: string): typeof it | typeof it.skip {
  if (process.env['CI'] !== undefined || spawnSync(program, ['--version']).status === 0) return it
  console.log(`Skipped: tests that call ${program}. Install it to run them.`)
  return it.skip
}
