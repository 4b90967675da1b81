/** How a client that is neither drizzle nor postgres.js passes its transaction to `within`. The README lists these lines. */
export interface Adapter {
  readonly client: string
  /** Its versions in our tests. */
  readonly tested: string
  /** Where its transaction comes from. */
  readonly where: string
  /** JavaScript, with the variables of `where`. */
  readonly adapter: string
  /** Whether something passed to `within` itself belongs to this client. */
  readonly isLike: (has: (method: string) => boolean, given: Record<string, unknown>) => boolean
}

/** Most particular first: many clients have a method `query`. */
export const ADAPTERS: readonly Adapter[] = [
  {
    client: 'Kysely',
    tested: '0.28',
    where: 'in db.transaction().execute(async (trx) => …)',
    // Plugins would change columns and values.
    adapter:
      '{ runInTransaction: (text, values) => trx.withoutPlugins().executeQuery(CompiledQuery.raw(text, values)) }',
    isLike: (has) => has('executeQuery'),
  },
  {
    client: 'Prisma',
    tested: '7.10',
    where: 'in prisma.$transaction(async (transaction) => …)',
    adapter: '{ runInTransaction: (text, values) => transaction.$queryRawUnsafe(text, ...values) }',
    isLike: (has) => has('$queryRawUnsafe'),
  },
  {
    client: 'Knex',
    tested: '3.3',
    where: 'in knex.transaction(async (trx) => …)',
    adapter: String.raw`{ runInTransaction: (text, values) => trx.raw(text.replaceAll('?', '\\?').replace(/\$(\d+)/g, ':$1'), { ...[null, ...values] }) }`,
    isLike: (has) => has('raw') && has('commit'),
  },
  {
    client: 'MikroORM',
    tested: '6.6, 7.2',
    where:
      'version 7, in em.transactional(async (em) => …); in version 6, em.getTransactionContext() is the trx of Knex',
    adapter:
      '{ runInTransaction: (text, values) => em.getTransactionContext().executeQuery(CompiledQuery.raw(text, values)) }',
    isLike: (has) => has('getTransactionContext'),
  },
  {
    client: 'TypeORM',
    tested: '1.1',
    where: 'in dataSource.transaction(async (manager) => …)',
    adapter: '{ runInTransaction: (text, values) => manager.query(text, values) }',
    isLike: (has) => has('getRepository'),
  },
  {
    client: 'Sequelize',
    tested: '6.37',
    where: 'in sequelize.transaction(async (transaction) => …)',
    adapter: '{ runInTransaction: (text, values) => sequelize.query(text, { bind: values, transaction }) }',
    isLike: (has, given) => has('commit') && 'sequelize' in given,
  },
  {
    client: 'Slonik',
    tested: '47.3',
    where: 'in pool.transaction(async (connection) => …), with its sql as raw',
    adapter:
      '{ runInTransaction: (text, values) => connection.query({ ...raw.unsafe``, sql: text, values }) }',
    isLike: (has) => has('maybeOne') && has('anyFirst'),
  },
  {
    client: 'pg-promise',
    tested: '12.7',
    where: 'in db.tx(async (task) => …)',
    adapter: '{ runInTransaction: (text, values) => task.any({ text, values }) }',
    isLike: (has) => has('oneOrNone') && has('any'),
  },
  {
    client: 'Orchid',
    tested: '1.78',
    where: 'in orchid.$transaction(async () => …)',
    adapter: '{ runInTransaction: (text, values) => orchid.$getAdapter().query(text, values) }',
    isLike: (has) => has('$getAdapter'),
  },
  {
    client: 'PGlite',
    tested: '0.5',
    where: 'in pglite.transaction(async (txn) => …)',
    adapter: '{ runInTransaction: (text, values) => txn.query(text, values) }',
    isLike: (has) => has('exec') && has('query'),
  },
  {
    client: 'pg',
    tested: '8.23',
    where:
      "after client = await pool.connect() and client.query('begin'); also pg-native 3.9, Zapatos 6.6, Neon's",
    adapter: '{ runInTransaction: (text, values) => client.query(text, values) }',
    isLike: (has) => has('query'),
  },
]

/** The line that fits, for what looks like the transaction of a client that we know; else nothing. */
export function hintFor(given: Record<string, unknown>): string {
  const has = (method: string) => typeof given[method] === 'function'
  const found = ADAPTERS.find(({ isLike }) => isLike(has, given))
  return found === undefined ? '' : ` For ${found.client}, ${found.where}: ${found.adapter}.`
}
