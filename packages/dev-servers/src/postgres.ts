import { createDatabase, dropDatabase, type Postgres } from './database.ts'
import { type StartPostgresOptions, startPostgres } from './embedded-postgres.ts'

/**
 * The server of `DATABASE_URL` if set, otherwise an embedded one (see {@link startPostgres}).
 *
 * A server of `DATABASE_URL` is neither started nor stopped; `stop` drops the databases from `createDatabase`.
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
