import { randomUUID } from 'node:crypto'
import { type TestDatabase, testDatabase } from '@quickquote/testing'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { drizzleStorage } from '../src/index.ts'
import { sampleEndpoint, sampleSecret } from './samples.ts'

let testing: TestDatabase
let sql: postgres.Sql

beforeAll(async () => {
  testing = await testDatabase(inject('postgresUrl'))
  sql = postgres(testing.url)
  await drizzleStorage({ sql }).migrate()
})

afterAll(async () => {
  await sql.end()
  await testing.drop()
})

describe('the limit of endpoints of an organization', () => {
  it('holds when many are made at once, in several processes', async () => {
    const organization_id = randomUUID()
    const storages = [1, 2, 3].map(() => drizzleStorage({ connectionString: testing.url, maxConnections: 5 }))
    const attempts = storages.flatMap((storage) =>
      Array.from({ length: 8 }, () =>
        storage.insertWebhookEndpoint(sampleEndpoint({ organization_id }), sampleSecret(), 5),
      ),
    )
    const made = (await Promise.all(attempts)).filter((inserted) => inserted)
    await Promise.all(storages.map((storage) => storage.close()))

    expect(made).toHaveLength(5)
    expect(await count(organization_id)).toBe(5)
  })

  it('counts neither deleted endpoints nor those of others', async () => {
    const storage = drizzleStorage({ sql })
    const organization_id = randomUUID()
    const insert = (fields: Parameters<typeof sampleEndpoint>[0]) =>
      storage.insertWebhookEndpoint(sampleEndpoint(fields), sampleSecret(), 1)
    await insert({})
    expect(await insert({ organization_id })).toBe(true)
    expect(await insert({ organization_id })).toBe(false)

    await sql`update quickquote.webhook_endpoints set deleted_at = now() where organization_id = ${organization_id}`

    expect(await insert({ organization_id })).toBe(true)
  })
})

async function count(organizationId: string): Promise<number> {
  const [row] = await sql`
    select count(*)::int from quickquote.webhook_endpoints where organization_id = ${organizationId}`
  return row?.['count']
}
