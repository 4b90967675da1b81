import { createDatabase, dropDatabase } from './database.ts'
import { type StartPostgresOptions, startPostgres } from './embedded-postgres.ts'

/** A real PostgreSQL server to run against. */
export interface Postgres {
  /** The connection string of its main database. It holds a password: keep it out of logs. */
  readonly url: string
  /**
   * Creates a database and returns its connection string; an existing one of that name is returned as it is.
   * Default name: random. `template` is the database to copy.
   */
  createDatabase(name?: string, options?: { template?: string }): Promise<string>
  /** Gives back what was taken. Calling it again does nothing. */
  stop(): Promise<void>
}

/**
 * The server behind `DATABASE_URL` when that is set, else an embedded one (see {@link startPostgres}).
 *
 * Of a server behind `DATABASE_URL` nothing is started or stopped; `stop` drops the databases that `createDatabase` made.
 */
export async function usePostgres(
  options: StartPostgresOptions & { env?: Readonly<Record<string, string | undefined>> },
): Promise<Postgres> {
  const { env = process.env, ...embedded } = options
  const url = env['DATABASE_URL']
  return url === undefined || url === '' ? startPostgres(embedded) : foreignPostgres(url)
}

function foreignPostgres(url: string): Postgres {
  const scratch = new Set<string>()
  return {
    url,
    async createDatabase(name, options = {}) {
      const database = await createDatabase(url, { name, ...options })
      if (database.created) scratch.add(database.name)
      return database.url
    },
    async stop() {
      for (const name of scratch) {
        await dropDatabase(url, name)
        scratch.delete(name)
      }
    },
  }
}
