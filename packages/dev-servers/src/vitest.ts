import { inject } from 'vitest'
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
