import { randomUUID } from 'node:crypto'
import { hasPgBouncer, type PgBouncer, startPgBouncer, type TestDatabase } from '@quickquote/dev-servers'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tryProduct } from './product-trial.ts'

/** Server connections for many clients. */
const POOL_SIZE = 5

const isTried = hasPgBouncer() || process.env['CI'] !== undefined

/** Without PgBouncer these are skipped, and reported as skipped; in CI they fail. */
describe.runIf(isTried)('behind PgBouncer in transaction mode', () => {
  let database: TestDatabase
  let pooler: PgBouncer

  beforeEach(async () => {
    database = await emptyDatabase()
  })
  afterEach(async () => {
    await pooler.stop()
    await database.drop()
  })

  it.each([2, 10])(
    'API and worker work on %i server connections, with `prepare: false`',
    async (poolSize) => {
      pooler = await startPgBouncer(database.url, { poolSize })
      const storage = drizzleStorage({ connectionString: pooler.url, prepare: false })
      await storage.migrate()
      const host = postgres(pooler.url, { max: 2, prepare: false })
      await tryProduct(storage, { host })
      await host.end()
    },
  )

  it.each([undefined, true])(
    'sixty starts at once all succeed with `prepare` %s: statements are prepared only if the host asks for it',
    async (prepare) => {
      pooler = await startPgBouncer(database.url, { poolSize: POOL_SIZE })
      const storage = drizzleStorage({
        connectionString: pooler.url,
        maxConnections: 20,
        ...(prepare === undefined ? {} : { prepare }),
      })
      await storage.migrate()
      const organizationId = randomUUID()
      const integrations = integrationsOn(storage)
      const start = () =>
        integrations.quotations.start({ organizationId, source: 'ui', body: { requirementsText: 'A roof.' } })
      const results = await Promise.allSettled(Array.from({ length: 60 }, start))
      expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
      const through = postgres(pooler.url, { max: POOL_SIZE, prepare: false })
      // An open transaction keeps its server connection, so that each of them is asked.
      const servers = await Promise.all(Array.from({ length: POOL_SIZE }, () => through.reserve()))
      await Promise.all(servers.map((sql) => sql`begin`))
      const prepared = await Promise.all(servers.map((sql) => sql`select from pg_prepared_statements`))
      for (const sql of servers) {
        await sql`rollback`
        sql.release()
      }
      expect(prepared.some((rows) => rows.length > 0)).toBe(prepare === true)
      await through.end()
      const direct = postgres(database.url, { max: 1 })
      expect(await direct`select from quickquote.quotations`).toHaveLength(60)
      await direct.end()
      await integrations.close()
    },
  )

  it('ten concurrent migrations, through two server connections, migrate once', async () => {
    pooler = await startPgBouncer(database.url, { poolSize: 2 })
    const storages = Array.from({ length: 10 }, () =>
      drizzleStorage({ connectionString: pooler.url, prepare: false, maxConnections: 1 }),
    )
    const results = await Promise.all(storages.map((storage) => storage.migrate()))
    expect(results.map(({ pending }) => pending)).toEqual(Array(10).fill([]))

    const direct = postgres(database.url, { max: 1 })
    expect(await direct`select from quickquote.migrations`).toHaveLength(results[0]?.applied.length ?? 0)
    // No pooler connection kept a lock.
    expect(
      await direct`select from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`,
    ).toHaveLength(0)
    await direct.end()
    for (const storage of storages) await storage.close()
  })
})

describe.skipIf(isTried)('behind PgBouncer in transaction mode', () => {
  it('is skipped: pgbouncer is not installed', () => {
    console.log('Skipped: PgBouncer. Install pgbouncer to run these tests.')
  })
})
