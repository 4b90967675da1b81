import { drizzle as drizzleOnPg } from 'drizzle-orm/node-postgres'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import {
  CamelCasePlugin,
  CompiledQuery,
  Kysely,
  type KyselyPlugin,
  ParseJSONResultsPlugin,
  PostgresDialect,
} from 'kysely'
import pg from 'pg'
import postgres from 'postgres'
import type { HostDrizzle, HostTransaction } from '../../src/index.ts'
import { documented, type OtherTransaction } from './documented.ts'
import type { Prisma } from './prisma.ts'

/** A host's database access: how it runs a transaction and disconnects. */
export interface Host {
  transaction<T>(work: Work<T>): Promise<T>
  /** Its adapter on a pool or a database, where each statement is committed at once. */
  readonly outside?: HostTransaction
  /** Why a statement may wait forever once its connection is lost. */
  readonly waitsWhenLost?: string
  close(): Promise<void>
}

/**
 * @param run runs a statement of the host in the transaction
 * @param savepoint runs something in a savepoint, in the client's own way, and rolls it back if it throws
 */
export type Work<T> = (
  transaction: HostTransaction,
  run: (statement: string) => PromiseLike<unknown>,
  savepoint: Savepoint,
) => Promise<T>

type Savepoint = (work: (transaction: HostTransaction) => Promise<unknown>) => Promise<unknown>

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
  'db.transaction of drizzle on postgres.js': (url) => onDrizzle(openDrizzleOnPostgresJs(url)),
  'db.transaction of drizzle on node-postgres': (url) => onDrizzle(openDrizzleOnPg(url)),
  'begin of a node-postgres client': (url) => onPg(pg, url),
  'transaction of Kysely': (url) => openKysely(url),
  'transaction of Kysely with plugins that rename columns and parse texts': (url) =>
    openKysely(url, [new ParseJSONResultsPlugin(), new CamelCasePlugin()]),
  'sql.begin of a postgres.js client that turns null into undefined': (url) =>
    onPostgresJs(
      postgres(url, { transform: { undefined: null, value: { from: (value) => value ?? undefined } } }),
    ),
}

/** @param pg or its native half */
export function onPg({ Pool }: Pick<typeof pg, 'Pool'>, url: string): Host {
  const pool = openPgPool(url, {}, Pool)
  return {
    transaction: (work) => transactionOfPg(pool, work),
    outside: documented('pg', { client: pool }),
    close: () => pool.end(),
  }
}

function openKysely(url: string, plugins: KyselyPlugin[] = []): Host {
  const pool = openPgPool(url)
  const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }), plugins })
  return {
    transaction: (work) => db.transaction().execute(async (trx) => inStatements(work, onKysely(trx))),
    outside: onKysely(db),
    close: () => db.destroy(),
  }
}

function onDrizzle({ db, close }: { db: PgDatabase<PgQueryResultHKT>; close(): Promise<void> }): Host {
  return {
    transaction: (work) =>
      db.transaction((tx) =>
        work(
          tx,
          (text) => tx.execute(text),
          (inner) => tx.transaction(inner),
        ),
      ),
    close,
  }
}

const onKysely = (trx: Kysely<object>): OtherTransaction => documented('Kysely', { trx, CompiledQuery })

/** Calls `work` with a transaction whose savepoints are statements as well. */
function inStatements<T>(work: Work<T>, transaction: OtherTransaction): Promise<T> {
  const run = (text: string) => transaction.runInTransaction(text, [])
  return work(transaction, run, async (inner) => {
    await run('savepoint of_host')
    try {
      await inner(transaction)
    } catch (error) {
      await run('rollback to savepoint of_host')
      throw error
    }
  })
}

/** `end` of a pool resolves before its connections are closed: the drop of the database may still end them with an error. */
export function openPgPool(connectionString: string, options: pg.PoolConfig = {}, Pool = pg.Pool): pg.Pool {
  const pool = new Pool({ connectionString, ...options })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
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
  const on = (transaction: Pick<typeof client, '$queryRawUnsafe'>) => documented('Prisma', { transaction })
  return {
    transaction: (work) => client.$transaction((tx) => inStatements(work, on(tx))),
    outside: on(client),
    close: () => client.$disconnect(),
  }
}

function onPostgresJs(sql: postgres.Sql): Host {
  return {
    transaction: async <T>(work: Work<T>) =>
      (await sql.begin((transaction) =>
        work(
          transaction,
          (text) => transaction.unsafe(text),
          (inner) => transaction.savepoint(inner),
        ),
      )) as T,
    close: () => sql.end(),
  }
}

async function transactionOfPg<T>(pool: pg.Pool, work: Work<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await inStatements(work, documented('pg', { client }))
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
