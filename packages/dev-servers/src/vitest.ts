import { spawnSync } from 'node:child_process'
import { inject, it } from 'vitest'
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

/** Whether tests may stop processes of PostgreSQL. Not those of DATABASE_URL, whose process ids may mean others on this machine. */
export const ownsPostgres = !process.env['DATABASE_URL']

/** `it` for tests that call a program. Without it they are skipped, which is printed; in CI they fail. */
export function itWith(program: string): typeof it | typeof it.skip {
  if (process.env['CI'] !== undefined || spawnSync(program, ['--version']).status === 0) return it
  console.log(`Skipped: tests that call ${program}. Install it to run them.`)
  return it.skip
}
