import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import type { HostTransaction } from '../../src/index.ts'
import { documented } from './documented.ts'
import { type Host, onPg } from './hosts.ts'

/** MikroORM 7 needs Node 22.17. Its transaction is one of Kysely; in MikroORM 6, one of Knex. */
const IS_NODE_20 = process.versions.node.startsWith('20.')
const MIKRO_ORM = IS_NODE_20 ? '6.6.16' : '7.2.1'

/** pg-native is compiled against it. */
export const HAS_LIBPQ = spawnSync('pg_config').status === 0
if (!HAS_LIBPQ) console.log('Skipped: pg-native. Install libpq-dev to try it.')

export const PACKAGES = [
  'pg@8.23.1',
  '@types/pg@8.23.1',
  'kysely@0.28.18',
  'knex@3.3.0',
  'typeorm@1.1.1',
  'sequelize@6.37.8',
  `@mikro-orm/core@${MIKRO_ORM}`,
  `@mikro-orm/postgresql@${MIKRO_ORM}`,
  'pg-promise@12.7.1',
  'slonik@47.3.2',
  '@slonik/pg-driver@47.3.2',
  'zod@3.25.76',
  'zapatos@6.6.1',
  'orchid-orm@1.78.4',
  ...(HAS_LIBPQ ? ['pg-native@3.9.0'] : []),
  'drizzle-1@npm:drizzle-orm@1.0.0-rc.5-ab785fc',
]

/**
 * Hosts on clients that are no dependencies of the workspace, because they are large, and drizzle has Knex among its
 * optional peers.
 * @param folder where they are installed
 */
export function orms(folder: () => string): Record<string, (url: string) => Host | Promise<Host>> {
  const load = (name: string) => createRequire(join(folder(), 'package.json'))(name)
  return {
    Knex: (url) => onKnex(load('knex')({ client: 'pg', connection: url })),
    'Knex that turns null into undefined': (url) =>
      onKnex(load('knex')({ client: 'pg', connection: url, postProcessResponse: withoutNulls })),
    'pg-promise': (url) => onPgPromise(load('pg-promise')({ noWarnings: true }), url),
    'pg-promise with its recipe for camel case': (url) =>
      onPgPromise(load('pg-promise')({ noWarnings: true, receive: camelized }), url),
    Slonik: (url) => onSlonik(load('slonik'), load('@slonik/pg-driver'), url),
    Zapatos: (url) => onZapatos(load('zapatos/db'), load('pg'), url),
    Orchid: (url) =>
      onOrchid(load('orchid-orm/node-postgres').orchidORM({ databaseURL: url, log: false }, {})),
    ...(HAS_LIBPQ && { 'pg-native': (url: string) => onPgNative(load('pg').native, url) }),
    'drizzle 1.0': (url) => onDrizzle1(load('drizzle-1/node-postgres'), url),
    TypeORM: (url) => onTypeOrm(new (load('typeorm').DataSource)({ type: 'postgres', url })),
    Sequelize: (url) => onSequelize(new (load('sequelize').Sequelize)(url, { logging: false })),
    MikroORM: (url) => onMikroOrm(load('@mikro-orm/postgresql'), url),
  }
}

function onPgNative(native: Parameters<typeof onPg>[0], url: string): Host {
  const waitsWhenLost = 'libpq may have closed the socket on which pg-native waits for the result'
  return { ...onPg(native, url), waitsWhenLost }
}

/** Of a host: deep, and in place. */
function withoutNulls(value: unknown): unknown {
  if (value === null) return undefined
  if (typeof value !== 'object' || value === undefined || Buffer.isBuffer(value)) return value
  for (const [name, each] of Object.entries(value as object)) {
    Object.assign(value as object, { [name]: withoutNulls(each) })
  }
  return value
}

/** As pg-promise's documentation has it. */
function camelized({ data }: { data: Record<string, unknown>[] }): void {
  for (const row of data) {
    for (const column of Object.keys(row)) {
      const camel = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
      if (camel === column) continue
      row[camel] = row[column]
      delete row[column]
    }
  }
}

interface Closable {
  on(event: 'error' | 'connect', listener: (client: Closable) => void): void
  end(): Promise<void>
}

/** See `openPgPool`. */
function quietPool(pool: Closable): void {
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
}

interface PgPromise {
  tx<T>(work: (tx: PgPromise) => Promise<T>): Promise<T>
  any(text: string): Promise<unknown>
  $pool: Closable
}

function onPgPromise(pgp: (url: string) => PgPromise, url: string): Host {
  const db = pgp(url)
  quietPool(db.$pool)
  return {
    transaction: (work) =>
      db.tx((tx) =>
        work(
          documented('pg-promise', { task: tx }),
          (text) => tx.any(text),
          (inner) => tx.tx((nested) => inner(documented('pg-promise', { task: nested }))),
        ),
      ),
    outside: documented('pg-promise', { task: db }),
    close: () => db.$pool.end(),
  }
}

interface Slonik {
  transaction<T>(work: (connection: Slonik) => Promise<T>): Promise<T>
  end(): Promise<void>
}

async function onSlonik(
  { createPool, sql }: { createPool(url: string, options: object): Promise<Slonik>; sql: object },
  { createPgDriverFactory }: { createPgDriverFactory(): object },
  url: string,
): Promise<Host> {
  const pool = await createPool(url, { driverFactory: createPgDriverFactory() })
  const on = (connection: Slonik) => documented('Slonik', { connection, raw: sql })
  return {
    transaction: (work) =>
      pool.transaction((connection) =>
        work(
          on(connection),
          (text) => on(connection).runInTransaction(text, []),
          (inner) => connection.transaction((nested) => inner(on(nested))),
        ),
      ),
    outside: on(pool),
    close: () => pool.end(),
  }
}

interface Zapatos {
  transaction<T>(
    pool: object,
    isolation: string,
    work: (client: { query(text: string): Promise<unknown> }) => Promise<T>,
  ): Promise<T>
  IsolationLevel: { Serializable: string; ReadCommitted: string }
}

function onZapatos(db: Zapatos, { Pool }: { Pool: new (options: object) => Closable }, url: string): Host {
  const pool = new Pool({ connectionString: url })
  quietPool(pool)
  return {
    transaction: (work) =>
      db.transaction(pool, db.IsolationLevel.ReadCommitted, (client) =>
        work(
          documented('pg', { client }),
          (text) => client.query(text),
          async (inner) => {
            await client.query('savepoint of_host')
            try {
              await inner(documented('pg', { client }))
            } catch (error) {
              await client.query('rollback to savepoint of_host')
              throw error
            }
          },
        ),
      ),
    close: () => pool.end(),
  }
}

interface Orchid {
  $transaction<T>(work: () => Promise<T>): Promise<T>
  $getAdapter(): { query(text: string): Promise<unknown> }
  $adapterNotInTransaction: { pool: Closable }
  $close(): Promise<void>
}

function onOrchid(db: Orchid): Host {
  quietPool(db.$adapterNotInTransaction.pool)
  const on = () => documented('Orchid', { orchid: db })
  return {
    transaction: (work) =>
      db.$transaction(() =>
        work(
          on(),
          (text) => db.$getAdapter().query(text),
          (inner) => db.$transaction(() => inner(on())),
        ),
      ),
    outside: on(),
    close: () => db.$close(),
  }
}

interface Drizzle1 {
  transaction<T>(work: (tx: Drizzle1 & HostTransaction) => Promise<T>): Promise<T>
  execute(text: string): Promise<unknown>
  $client: Closable
}

function onDrizzle1({ drizzle }: { drizzle(url: string): Drizzle1 }, url: string): Host {
  const db = drizzle(url)
  quietPool(db.$client)
  return {
    transaction: (work) =>
      db.transaction((tx) =>
        work(
          tx,
          (text) => tx.execute(text),
          (inner) => tx.transaction(inner),
        ),
      ),
    close: () => db.$client.end(),
  }
}

interface Knex {
  transaction<T>(work: (trx: Knex) => Promise<T>): Promise<T>
  raw(text: string): PromiseLike<unknown>
  destroy(): Promise<void>
}

function onKnex(knex: Knex): Host {
  return {
    transaction: (work) =>
      knex.transaction((trx) =>
        work(
          documented('Knex', { trx }),
          (text) => trx.raw(text),
          (inner) => trx.transaction((nested) => inner(documented('Knex', { trx: nested }))),
        ),
      ),
    outside: documented('Knex', { trx: knex }),
    close: () => knex.destroy(),
  }
}

interface EntityManager {
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T>
  query(text: string): Promise<unknown>
}

interface DataSource extends EntityManager {
  readonly manager: EntityManager
  initialize(): Promise<unknown>
  destroy(): Promise<void>
}

async function onTypeOrm(dataSource: DataSource): Promise<Host> {
  await dataSource.initialize()
  return {
    transaction: (work) =>
      dataSource.transaction((manager) =>
        work(
          documented('TypeORM', { manager }),
          (text) => manager.query(text),
          (inner) => manager.transaction((nested) => inner(documented('TypeORM', { manager: nested }))),
        ),
      ),
    outside: documented('TypeORM', { manager: dataSource.manager }),
    close: () => dataSource.destroy(),
  }
}

interface Sequelize {
  transaction<T>(options: object, work: (transaction: object) => Promise<T>): Promise<T>
  query(text: string, options: object): Promise<unknown>
  close(): Promise<void>
}

function onSequelize(sequelize: Sequelize): Host {
  const on = (transaction: object | undefined) => documented('Sequelize', { sequelize, transaction })
  return {
    transaction: (work) =>
      sequelize.transaction({}, (transaction) =>
        work(
          on(transaction),
          (text) => sequelize.query(text, { transaction }),
          (inner) => sequelize.transaction({ transaction }, (nested) => inner(on(nested))),
        ),
      ),
    outside: on(undefined),
    close: () => sequelize.close(),
  }
}

interface MikroOrm {
  readonly em: { fork(): EntityManagerOfMikroOrm }
  close(): Promise<void>
}

interface EntityManagerOfMikroOrm {
  transactional<T>(work: (em: EntityManagerOfMikroOrm) => Promise<T>): Promise<T>
  execute(text: string): Promise<unknown>
  getTransactionContext(): object
}

async function onMikroOrm(
  { MikroORM }: { MikroORM: { init(options: object): Promise<MikroOrm> } },
  clientUrl: string,
): Promise<Host> {
  const orm = await MikroORM.init({ clientUrl, entities: [], discovery: { warnWhenNoEntities: false } })
  const on = (em: EntityManagerOfMikroOrm) =>
    IS_NODE_20
      ? documented('Knex', { trx: em.getTransactionContext() })
      : documented('MikroORM', { em, CompiledQuery })
  return {
    transaction: (work) =>
      orm.em.fork().transactional((em) =>
        work(
          on(em),
          (text) => em.execute(text),
          (inner) => em.transactional((nested) => inner(on(nested))),
        ),
      ),
    // Version 7 waits forever for a connection that was lost.
    close: () => Promise.race([orm.close(), sleep(2000)]),
  }
}
