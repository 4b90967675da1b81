import { createRequire } from 'node:module'
import { join } from 'node:path'
import { CompiledQuery } from 'kysely'
import { documented } from './documented.ts'
import type { Host } from './hosts.ts'

/** MikroORM 7 needs Node 22.17. Its transaction is one of Kysely; in MikroORM 6, one of Knex. */
const IS_NODE_20 = process.versions.node.startsWith('20.')
const MIKRO_ORM = IS_NODE_20 ? '6.6.16' : '7.2.1'

export const PACKAGES = [
  'pg@8.23.1',
  '@types/pg@8.23.1',
  'kysely@0.28.18',
  'knex@3.3.0',
  'typeorm@1.1.1',
  'sequelize@6.37.8',
  `@mikro-orm/core@${MIKRO_ORM}`,
  `@mikro-orm/postgresql@${MIKRO_ORM}`,
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
    TypeORM: (url) => onTypeOrm(new (load('typeorm').DataSource)({ type: 'postgres', url })),
    Sequelize: (url) => onSequelize(new (load('sequelize').Sequelize)(url, { logging: false })),
    MikroORM: (url) => onMikroOrm(load('@mikro-orm/postgresql'), url),
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
    close: () => orm.close(),
  }
}
