import { drizzle as drizzleOnPg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import postgres from 'postgres'
import type { HostDrizzle, HostTransaction } from '../src/index.ts'
import type { Prisma } from './prisma.ts'

/** A host's database access: how it runs a transaction and disconnects. */
export interface Host {
  /** `run` runs a statement of the host in it. */
  transaction<T>(
    work: (transaction: HostTransaction, run: (statement: string) => PromiseLike<unknown>) => Promise<T>,
  ): Promise<T>
  close(): Promise<void>
}

/** The ways in which hosts run transactions, set up as usual. */
export const HOSTS: Record<string, (url: string) => Host> = {
  'sql.begin of postgres.js': (url) => onPostgresJs(postgres(url)),
  'sql.begin of a postgres.js client that renames columns and parses bigint': (url) =>
    onPostgresJs(postgres(url, { transform: postgres.camel, types: { bigint: postgres.BigInt } })),
  'sql.begin of a postgres.js client that knows no array types': (url) =>
    onPostgresJs(postgres(url, { fetch_types: false, prepare: false })),
  'sql.begin of a postgres.js client that drizzle wraps': (url) => {
    const sql = postgres(url)
    drizzleOnPostgresJs(sql)
    return onPostgresJs(sql)
  },
  'db.transaction of drizzle on postgres.js': (url) => {
    const { db, close } = openDrizzleOnPostgresJs(url)
    return { transaction: (work) => db.transaction((tx) => work(tx, (text) => tx.execute(text))), close }
  },
  'db.transaction of drizzle on node-postgres': (url) => {
    const { db, close } = openDrizzleOnPg(url)
    return { transaction: (work) => db.transaction((tx) => work(tx, (text) => tx.execute(text))), close }
  },
  'begin of a node-postgres client': (url) => {
    const pool = openPgPool(url)
    return { transaction: (work) => transactionOfPg(pool, work), close: () => pool.end() }
  },
  'transaction of Kysely': (url) => {
    const pool = openPgPool(url)
    const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
    return {
      transaction: (work) =>
        db.transaction().execute(async (trx) => {
          const run = (text: string, values: unknown[] = []) =>
            trx.executeQuery(CompiledQuery.raw(text, values))
          return work({ runInTransaction: run }, run)
        }),
      close: () => db.destroy(),
    }
  },
}

/** `end` of a pool resolves before its connections are closed: the drop of the database may still end them with an error. */
export function openPgPool(connectionString: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString, ...options })
  pool.on('error', () => {})
  return pool
}

/** The drizzle databases of hosts. */
export const DRIZZLES: Record<string, (url: string) => { db: HostDrizzle; close(): Promise<void> }> = {
  'drizzle on postgres.js': openDrizzleOnPostgresJs,
  'drizzle on node-postgres': openDrizzleOnPg,
}

function openDrizzleOnPostgresJs(url: string) {
  const sql = postgres(url, { onnotice() {} })
  return { db: drizzleOnPostgresJs(sql), close: () => sql.end() }
}

function openDrizzleOnPg(url: string) {
  const pool = openPgPool(url)
  return { db: drizzleOnPg(pool), close: () => pool.end() }
}

export function onPrisma(prisma: Prisma, url: string): Host {
  const client = prisma.open(url)
  return {
    transaction: (work) =>
      client.$transaction((tx) => {
        const run = (text: string, values: unknown[] = []) => tx.$queryRawUnsafe(text, ...values)
        return work({ runInTransaction: run }, run)
      }),
    close: () => client.$disconnect(),
  }
}

function onPostgresJs(sql: postgres.Sql): Host {
  return {
    transaction: async <T>(
      work: (transaction: HostTransaction, run: (statement: string) => PromiseLike<unknown>) => Promise<T>,
    ) => (await sql.begin((transaction) => work(transaction, (text) => transaction.unsafe(text)))) as T,
    close: () => sql.end(),
  }
}

async function transactionOfPg<T>(
  pool: pg.Pool,
  work: (transaction: HostTransaction, run: (statement: string) => PromiseLike<unknown>) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work({ runInTransaction: (text, values) => client.query(text, values) }, (text) =>
      client.query(text),
    )
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
