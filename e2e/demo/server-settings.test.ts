import { randomUUID } from 'node:crypto'
import type { TestDatabase } from '@quickquote/dev-servers'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import Fastify from 'fastify'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tryProduct } from './product-trial.ts'

/** Settings that a server, a role or a database may have changed from PostgreSQL's defaults. */
const UNUSUAL = {
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'iso_8601',
  TimeZone: 'Asia/Kathmandu',
  array_nulls: 'off',
  bytea_output: 'escape',
  default_transaction_isolation: 'serializable',
  search_path: 'nowhere',
  standard_conforming_strings: 'off',
  statement_timeout: '1ms',
  lock_timeout: '1ms',
}

let database: TestDatabase

beforeEach(async () => {
  database = await emptyDatabase()
  const sql = postgres(database.url, { max: 1 })
  const name = new URL(database.url).pathname.slice(1)
  for (const [setting, value] of Object.entries(UNUSUAL)) {
    await sql.unsafe(`alter database "${name}" set ${setting} = '${value}'`)
  }
  await sql.end()
})

afterEach(() => database.drop())

/** A connection with the defaults. */
function administrator(): postgres.Sql {
  return postgres(database.url, {
    connection: {
      options:
        '-c datestyle=iso -c bytea_output=hex -c array_nulls=on -c statement_timeout=0 -c lock_timeout=0 ' +
        '-c default_transaction_isolation=read\\ committed -c standard_conforming_strings=on -c intervalstyle=postgres',
    },
  })
}

describe('on a server with other settings', () => {
  it('keys, files, reports, webhooks and replays work', async () => {
    const host = administrator()
    const storage = drizzleStorage({ connectionString: database.url })
    await storage.migrate()
    await tryProduct(storage, { host })
    await host.end()
  })

  it('a key that expired months ago stays refused, and retention works', async () => {
    const storage = drizzleStorage({ connectionString: database.url })
    await storage.migrate()
    const organization = randomUUID()
    const member = { memberId: 'admin', organizations: [{ id: organization, role: 'admin' }] }
    const integrations = integrationsOn(storage)
    const app = Fastify()
    await app.register(fastifyIntegrations, { integrations, resolveSession: () => member })
    const created = await app.inject({
      method: 'POST',
      url: `/v1/organizations/${organization}/api-keys`,
      payload: { name: 'CRM', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
    })
    const { id, key } = created.json()
    const ask = () =>
      app.inject({
        url: `/v1/integrations/quotations/${randomUUID()}`,
        headers: { 'x-api-key': key },
      })
    expect((await ask()).statusCode).toBe(404)

    const host = administrator()
    await host`update quickquote.api_keys set expires_at = now() - interval '98 days' where id = ${id}`
    const refused = await ask()
    expect(refused.statusCode).toBe(403)
    expect(refused.json()).toMatchObject({ code: 'API_KEY_EXPIRED' })

    // Retention does not depend on the time zone or the order of day and month.
    const hour = 3_600_000
    expect(await storage.retention.removeAuditEntries(new Date(Date.now() - hour), 100)).toBe(0)
    expect(await storage.retention.removeHistory(new Date(Date.now() - 24 * hour))).toMatchObject({
      isKept: expect.any(Boolean),
    })
    await host.end()
    await app.close()
    await integrations.close()
  })
})
