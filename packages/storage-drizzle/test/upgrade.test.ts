import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import {
  createIntegrations,
  generateApiKeyValue,
  hashApiKey,
  type Integrations,
  memberOf,
  silentLogger,
} from '@quickquote/core'
import { type TestDatabase, testDatabase } from '@quickquote/dev-servers'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { FIRST_UUID } from '../src/deliveries/delivery-statements.ts'
import { drizzleStorage } from '../src/index.ts'
import { applyMigration, createJournal, readMigrations } from '../src/migrations/migrate.ts'
import { claimOf } from './delivery-samples.ts'

// The ids of the rows in upgrade/*.sql.
const ORGANIZATION = '00000000-0000-7000-8000-0000000000ac'
const WORKER = '00000000-0000-7000-8000-0000000000b1'
const ENDPOINT = '00000000-0000-7000-8000-0000000000c1'
const DISABLED = '00000000-0000-7000-8000-0000000000c2'
const [DONE, UNDER_WAY, WAITING] = ['d01', 'd02', 'd03'].map(
  (end) => `00000000-0000-7000-8000-000000000${end}`,
)
const SECRET = 'whsec_of-the-upgrade'

const FOLDER = new URL('./upgrade/', import.meta.url)
const MIGRATIONS = await readMigrations()

let database: TestDatabase
let sql: postgres.Sql
let integrations: Integrations
let key: string

beforeEach(async () => {
  database = await testDatabase(inject('postgresUrl'))
  sql = postgres(database.url, { onnotice() {} })
  integrations = createIntegrations({
    storage: drizzleStorage({ connectionString: database.url, maxConnections: 2 }),
    pipeline: { start: async () => {}, signDocumentUrl: () => Promise.reject(new Error('not used')) },
    encryptionKeys: [{ id: 'key-1', key: Buffer.alloc(32, 7) }],
    logger: silentLogger,
  })
  key = generateApiKeyValue().reveal()
})

afterEach(async () => {
  await integrations.close()
  await sql.end()
  await database.drop()
})

/** A database as an earlier version of the package left it, in use. */
async function standAt(count: number): Promise<void> {
  const secret = integrations.settings.keyring.encrypt(SECRET, ENDPOINT)
  await sql.unsafe(`create schema quickquote; ${createJournal('quickquote')}`)
  for (const migration of MIGRATIONS.slice(0, count)) {
    await sql.unsafe(applyMigration('quickquote', migration))
    const rows = readFileSync(new URL(migration.name, FOLDER), 'utf8')
      .replaceAll('$KEY_HASH', hashApiKey(key).toString('hex'))
      .replaceAll('$SECRET', Buffer.from(secret.ciphertext).toString('hex'))
    await sql.unsafe(rows)
  }
}

async function countRows(): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'quickquote'::regnamespace
      and relkind in ('r', 'p') and not relispartition and relname <> 'migrations'`
  const counts = tables.map(async ({ name }) => {
    const [row] = await sql`select count(*)::int as count from quickquote.${sql(name)}`
    return [name, row?.['count']] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

it('each migration brings rows to try later ones with (upgrade/README.md)', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'))
  expect(files.sort()).toEqual(MIGRATIONS.map(({ name }) => name))
})

describe.each(MIGRATIONS.map(({ name }, index) => [name, index + 1] as const))(
  'a database in use that stood at %s',
  (_, count) => {
    it('is migrated without losing a row, and goes on', async () => {
      await standAt(count)
      const before = await countRows()

      await drizzleStorage({ sql }).migrate()

      expect(await countRows()).toMatchObject(before)
      await goesOn()
    })
  },
)

it('erases the secrets of endpoints that were deleted before', async () => {
  await standAt(MIGRATIONS.findIndex(({ name }) => name.startsWith('0019')))
  await sql`update quickquote.webhook_endpoints set deleted_at = now() where id = ${DISABLED}`
  await drizzleStorage({ sql }).migrate()
  const left = await sql`
    select id, secret_ciphertext is null and secret_key_id is null as erased from quickquote.webhook_endpoints order by id`
  expect([...left]).toEqual([
    { id: ENDPOINT, erased: false },
    { id: DISABLED, erased: true },
  ])
})

it('a worker of the version before claims and records while the schema is a newer one already', async () => {
  await standAt(13)
  await drizzleStorage({ sql }).migrate()
  const round = (...outcomes: object[]) => sql`
    select * from quickquote.delivery_round(${WORKER}, now(), 10, 8, ${FIRST_UUID}, ${JSON.stringify(outcomes)}::text::json)`

  const [claimed] = await round()
  const { id, attempt } = claimed ?? {}
  const outcome = {
    id: randomUUID(),
    delivery_id: id,
    attempt,
    created_at: new Date(),
    event_type: 'x',
    duration_ms: 1,
  }
  await round({ ...outcome, status: 'succeeded', http_status: 204 })

  expect(attempt).toBe(2)
  const recorded =
    await sql`select status from quickquote.delivery_attempts where delivery_id = ${id} and attempt = 2`
  expect([...recorded]).toEqual([{ status: 'succeeded' }])
})

/** What was there before the upgrade is found, sent and finished after it. */
async function goesOn(): Promise<void> {
  const session = { memberId: 'member-1', organizations: [{ id: ORGANIZATION, role: 'admin' }] }
  const member = memberOf(session, ORGANIZATION)
  const { apiKeys, webhookEndpoints, deliveryLog, quotations, storage, settings } = integrations

  expect(await apiKeys.authenticate(key)).toMatchObject({ organizationId: ORGANIZATION })
  expect((await apiKeys.list(member)).items).toMatchObject([{ name: 'CRM', status: 'active' }])
  expect(await webhookEndpoints.list(member)).toMatchObject([
    { id: ENDPOINT, is_enabled: true },
    { id: DISABLED, is_enabled: false },
  ])
  expect(await storage.findWebhookEndpoint(ORGANIZATION, ENDPOINT)).toMatchObject({ disabled_reason: null })
  const disabled = await storage.findWebhookEndpoint(ORGANIZATION, DISABLED)
  expect(['requested', 'failing']).toContain(disabled?.disabled_reason)
  expect((await deliveryLog.list(member)).items).toMatchObject([{ status: 'failed', quotation_name: 'Done' }])
  expect(await quotations.get(ORGANIZATION, DONE ?? '')).toMatchObject({ status: 'completed' })

  // The delivery that was due is claimed, with a secret that still decrypts.
  const now = new Date()
  const { claimed } = await storage.settleAndClaim(claimOf(WORKER, { now }))
  expect(claimed).toMatchObject([
    { attempt: 2, event_type: 'quotation.completed', quotation_id: DONE, endpoint: { id: ENDPOINT } },
  ])
  const [{ endpoint } = { endpoint: undefined }] = claimed
  expect(endpoint && settings.keyring.decrypt(endpoint.secret, ENDPOINT)).toBe(SECRET)

  // The run that was under way goes on, and the quote that waited is handed over.
  await integrations.pipeline(UNDER_WAY ?? '').stepCompleted('functional_specification')
  const next = await storage.settleAndClaim(claimOf(WORKER))
  expect(next.claimed).toMatchObject([{ event_type: 'quotation.functional_specification.completed' }])
  const starts = await storage.claimPipelineStarts({ workerId: WORKER, limit: 10, now: new Date() })
  expect(starts.claimed).toMatchObject([{ quote: { id: WAITING, files: [{ name: 'roof.txt' }] } }])

  // A replay that was under way ends.
  await storage.ensurePartitions()
  while (await storage.advanceReplay(100, new Date())) {}
  expect(await sql`select from quickquote.replays where state = 'running'`).toHaveLength(0)
}
