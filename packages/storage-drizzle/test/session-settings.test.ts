import { randomBytes, randomUUID } from 'node:crypto'
import type { Integrations } from '@quickquote/core'
import type { TestDatabase } from '@quickquote/dev-servers'
import { adminOf, integrationsOn } from '@quickquote/dev-servers/host'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DrizzleStorage, drizzleStorage } from '../src/index.ts'
import { HOSTILE_SETTINGS, PLAIN_SETTINGS, setForDatabase, setLocally } from './support/hostile-session.ts'
import { HOSTS, type Host } from './support/hosts.ts'

let testing: TestDatabase
/** Reads the tables, whatever the settings of sessions. */
let sql: postgres.Sql
let opened: Integrations[]
let now: Date

beforeEach(async () => {
  testing = await emptyDatabase()
  sql = postgres(testing.url, { max: 2, connection: PLAIN_SETTINGS, onnotice() {} })
  opened = []
  now = new Date('2026-12-31T10:00:00.123Z')
  await drizzleStorage({ sql }).migrate()
})

afterEach(async () => {
  for (const each of opened) await each.close()
  await sql.end()
  await testing.drop()
})

function open(storage: DrizzleStorage): Integrations {
  const integrations = integrationsOn(storage, { now: () => now })
  opened.push(integrations)
  return integrations
}

const member = adminOf(randomUUID())

describe('on connections whose server, role or database changes every setting', () => {
  // A host's client is refused for its isolation level: see database-check.test.ts.
  const settings = HOSTILE_SETTINGS.filter((setting) => !setting.includes('isolation'))

  it.each(['31/12/2026', '05/06/2027'])(
    'an API key is valid until the moment it expires, also on %s',
    async (day) => {
      await setForDatabase(sql, settings)
      const client = postgres(testing.url, { max: 2, onnotice() {} })
      const { apiKeys } = open(drizzleStorage({ sql: client }))
      const expires_at = new Date(`${day.split('/').toReversed().join('-')}T12:30:00.000Z`)
      const created = await apiKeys.create(member, { name: 'CRM', expires_at: expires_at.toISOString() })
      expect(created.expires_at).toEqual(expires_at)

      now = new Date(expires_at.getTime() - 1)
      expect(await apiKeys.authenticate(created.key.reveal())).toMatchObject({ id: created.id })
      const { items } = await apiKeys.list(member)
      expect(items).toMatchObject([{ status: 'active', expires_at }])

      now = expires_at
      await expect(apiKeys.authenticate(created.key.reveal())).rejects.toMatchObject({
        code: 'API_KEY_EXPIRED',
      })
      await client.end()
    },
  )

  it('files keep their bytes', async () => {
    await setForDatabase(sql, settings)
    const client = postgres(testing.url, { max: 2, onnotice() {} })
    const { files } = drizzleStorage({ sql: client })
    const file = { id: randomUUID(), organization_id: randomUUID() }
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251))
    async function* pieces() {
      yield bytes
    }
    await files.put(file, pieces())
    const read = []
    for await (const piece of files.get(file)) read.push(piece)
    expect(Buffer.concat(read).equals(bytes)).toBe(true)
    await client.end()
  })
})

describe.each(Object.entries(HOSTS))('within %s whose session changes every setting', (_, openHost) => {
  let host: Host

  beforeEach(() => {
    host = openHost(testing.url)
  })
  afterEach(() => host.close())

  it('keys, endpoints, quotes, reports, events and their logs work as usual', async () => {
    const integrations = open(drizzleStorage({ connectionString: testing.url, maxConnections: 2 }))
    const { organizationId } = member
    const later = '2027-05-06T00:00:00.000Z'
    const body = { requirementsText: 'A shop', metadata: { crm: 1 } }
    const outcome = await host.transaction(async (transaction, run) => {
      for (const statement of setLocally(HOSTILE_SETTINGS)) await run(statement)
      const within = integrations.within(transaction)
      const key = await within.apiKeys.create(member, { name: 'CRM', expires_at: later })
      const authenticated = await within.apiKeys.authenticate(key.key.reveal())
      const endpoint = await within.webhookEndpoints.create(member, {
        name: 'CRM',
        url: 'https://crm.example.com/hook',
        events: ['quotation.requirement_analysis.completed'],
        trigger_mode: 'always',
      })
      const rotated = await within.webhookEndpoints.rotateSecret(member, endpoint.id, { overlap_seconds: 60 })
      const start = { organizationId, source: 'ui', body, idempotencyKey: 'once' } as const
      const quote = await within.quotations.start(start)
      const again = await within.quotations.start(start)
      await within.pipeline(quote.quotation_id).stepCompleted('requirement_analysis')
      const found = await within.quotations.get(organizationId, quote.quotation_id)
      const pipeline = await within.quotations.pipelineStatus(organizationId, quote.quotation_id)
      const audit = await within.auditLog.list(member, {})
      return { key, authenticated, endpoint, rotated, quote, again, found, pipeline, audit }
    })

    expect(outcome.key).toMatchObject({ status: 'active', expires_at: new Date(later), created_at: now })
    expect(outcome.authenticated).toEqual({
      id: outcome.key.id,
      organizationId,
      expiresAt: new Date(later),
    })
    expect(outcome.rotated.previous_secret_expires_at).toEqual(new Date(now.getTime() + 60_000))
    expect(outcome.again).toEqual({ ...outcome.quote, repeated: true })
    // Later than the start, within the same millisecond too.
    const reported = new Date(now.getTime() + 1)
    expect(outcome.found).toMatchObject({ created_at: now, updated_at: reported })
    expect(outcome.pipeline).toMatchObject({
      processed_step: 'requirement_analysis',
      steps: [{ started_at: reported, completed_at: reported }, {}, {}, {}, {}],
    })
    expect(outcome.audit.items.map(({ created_at }) => created_at)).toEqual([now, now, now])
    const [secret] = await sql`select * from quickquote.webhook_endpoints where id = ${outcome.endpoint.id}`
    const { keyring } = integrations.settings
    expect(
      keyring.decrypt(
        { keyId: secret?.['secret_key_id'], ciphertext: secret?.['secret_ciphertext'] },
        outcome.endpoint.id,
      ),
    ).toBe(outcome.rotated.secret.reveal())
    expect(
      await sql`select type, created_at from quickquote.events where quotation_id = ${outcome.quote.quotation_id}`,
    ).toEqual([{ type: 'quotation.requirement_analysis.completed', created_at: now }])
    expect(await sql`select due_at from quickquote.deliveries`).toEqual([{ due_at: now }])
  })
})

it('with array_nulls=off, a secret without a previous one is re-encrypted without one', async () => {
  await setForDatabase(sql, ['array_nulls = off'])
  const client = postgres(testing.url, { max: 2, onnotice() {} })
  const storage = drizzleStorage({ sql: client })
  const older = { id: 'older', key: randomBytes(32) }
  const before = integrationsOn(storage, { encryptionKeys: [older] })
  await before.webhookEndpoints.create(member, {
    name: 'CRM',
    url: 'https://crm.example.com/hook',
    events: ['quotation.completed'],
  })
  const newer = { id: 'newer', key: randomBytes(32) }
  const both = integrationsOn(storage, { encryptionKeys: [newer, older] })
  expect(await both.reencryptSecrets()).toEqual({
    keyId: 'newer',
    reencrypted: { older: 1 },
    remaining: {},
  })
  const [row] = await sql`
    select previous_secrets, headers_ciphertext, headers_key_id from quickquote.webhook_endpoints`
  expect(row).toEqual({ previous_secrets: [], headers_ciphertext: null, headers_key_id: null })
  await client.end()
})
