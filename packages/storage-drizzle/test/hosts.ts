import { drizzle as drizzleOnPg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import pg from 'pg'
import postgres from 'postgres'

/** A host's own database access: how it runs a transaction, and how it is shut down. */
export interface Host {
  transaction<T>(work: (transaction: unknown) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The ways in which hosts run transactions, each set up as a host would do it. */
export const HOSTS: Record<string, (url: string) => Host> = {
  'sql.begin of postgres.js': (url) => onPostgresJs(postgres(url)),
  'sql.begin of a postgres.js client that renames columns and parses bigint': (url) =>
    onPostgresJs(postgres(url, { transform: postgres.camel, types: { bigint: postgres.BigInt } })),
  'sql.begin of a postgres.js client that knows no array types': (url) =>
    onPostgresJs(postgres(url, { fetch_types: false, prepare: false })),
  'sql.begin of a postgres.js client that drizzle was given': (url) => {
    const sql = postgres(url)
    drizzleOnPostgresJs(sql)
    return onPostgresJs(sql)
  },
  'db.transaction of drizzle on postgres.js': (url) => {
    const sql = postgres(url)
    const db = drizzleOnPostgresJs(sql)
    return { transaction: (work) => db.transaction(work), close: () => sql.end() }
  },
  'db.transaction of drizzle on node-postgres': (url) => {
    const pool = new pg.Pool({ connectionString: url })
    const db = drizzleOnPg(pool)
    return { transaction: (work) => db.transaction(work), close: () => pool.end() }
  },
}

function onPostgresJs(sql: postgres.Sql): Host {
  return {
    transaction: async <T>(work: (transaction: unknown) => Promise<T>) => (await sql.begin(work)) as T,
    close: () => sql.end(),
  }
}
