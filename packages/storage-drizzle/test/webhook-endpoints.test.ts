import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { drizzleStorage } from '../src/index.ts'
import { openDatabase } from './support/database.ts'
import { claimOf } from './support/delivery-samples.ts'
import { sampleEndpoint, sampleEvent, sampleSecret, sampleSecrets } from './support/samples.ts'

const { url, sql } = await openDatabase()

describe('the limit of endpoints of an organization', () => {
  it('holds when several processes create many at once', async () => {
    const organization_id = randomUUID()
    const storages = [1, 2, 3].map(() => drizzleStorage({ connectionString: url, maxConnections: 5 }))
    const attempts = storages.flatMap((storage) =>
      Array.from({ length: 8 }, () =>
        storage.webhookEndpoints.insert(sampleEndpoint({ organization_id }), sampleSecrets(), 5),
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
      storage.webhookEndpoints.insert(sampleEndpoint(fields), sampleSecrets(), 1)
    await insert({})
    expect(await insert({ organization_id })).toBe(true)
    expect(await insert({ organization_id })).toBe(false)

    await sql`update quickquote.webhook_endpoints set deleted_at = now() where organization_id = ${organization_id}`

    expect(await insert({ organization_id })).toBe(true)
  })
})

describe('a deleted endpoint', () => {
  it('has no secrets any more, and keeps the rest for the history', async () => {
    const storage = drizzleStorage({ sql })
    const endpoint = sampleEndpoint()
    const { organization_id, id } = endpoint
    await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 1)
    const rotation = {
      secret: sampleSecret(),
      hint: 'whsec_…2',
      previousUntil: new Date(Date.now() + 60_000),
    }
    await storage.webhookEndpoints.rotateSecret(organization_id, id, rotation, new Date())
    await storage.events.record(sampleEvent({ organization_id }))
    const secretsBefore = await storage.signingSecrets.count()

    await storage.webhookEndpoints.delete(organization_id, id, new Date())

    const [row] = await sql`select * from quickquote.webhook_endpoints where id = ${id}`
    expect(row).toMatchObject({
      name: endpoint.name,
      url: endpoint.url,
      secret_ciphertext: null,
      secret_key_id: null,
      previous_secrets: [],
    })
    const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0)
    expect(total(await storage.signingSecrets.count())).toBe(total(secretsBefore) - 2)
    expect(
      await storage.signingSecrets.lockOld({ keyId: 'another', after: null, limit: 1000 }),
    ).not.toContainEqual(expect.objectContaining({ endpoint_id: id }))
    // A claim that finds its waiting deliveries parks them, without needing the secret.
    await sql`update quickquote.deliveries set parked_at = null where endpoint_id = ${id}`
    const { claimed } = await storage.deliveries.round(
      claimOf(randomUUID(), { now: new Date(Date.now() + 1000) }),
    )
    expect(claimed.filter((each) => each.endpoint.id === id)).toEqual([])
    expect(
      await sql`select parked_at is not null as parked from quickquote.deliveries where endpoint_id = ${id}`,
    ).toEqual([{ parked: true }])
  })
})

async function count(organizationId: string): Promise<number> {
  const [row] = await sql`
    select count(*)::int from quickquote.webhook_endpoints where organization_id = ${organizationId}`
  return row?.['count']
}
