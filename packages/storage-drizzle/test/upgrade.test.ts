import { readdirSync, readFileSync } from 'node:fs'
import type { Integrations } from '@quickquote/core'
import { generateApiKeyValue, hashApiKey } from '@quickquote/core/internal'
import type { TestDatabase } from '@quickquote/dev-servers'
import { adminOf, integrationsOn } from '@quickquote/dev-servers/host'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { drizzleStorage } from '../src/index.ts'
import { applyMigration, createJournal, readMigrations } from '../src/migrations/migrate.ts'
import { claimOf, succeeded } from './support/delivery-samples.ts'
import { laterVersion } from './support/later-version.ts'

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
/** The last ones are the functions. */
const FILES = MIGRATIONS.slice(0, -1)
const later = await laterVersion()

let database: TestDatabase
let sql: postgres.Sql
let integrations: Integrations
let key: string

beforeEach(async () => {
  database = await emptyDatabase()
  sql = postgres(database.url, { onnotice() {} })
  const storage = drizzleStorage({ connectionString: database.url, maxConnections: 2 })
  integrations = integrationsOn(storage, { encryptionKeys: [{ id: 'key-1', key: Buffer.alloc(32, 7) }] })
  key = generateApiKeyValue().reveal()
})

afterEach(async () => {
  await integrations.close()
  await sql.end()
  await database.drop()
})

/** A database in use, as an earlier version of the package left it. */
async function standAt(count: number): Promise<void> {
  const secret = integrations.settings.keyring.encrypt(SECRET, ENDPOINT)
  await sql.unsafe(`create schema quickquote; ${createJournal('quickquote')}`)
  for (const migration of [...FILES.slice(0, count), ...MIGRATIONS.slice(-1)]) {
    await sql.unsafe(applyMigration('quickquote', migration))
    if (!FILES.includes(migration)) continue
    const rows = readFileSync(new URL(migration.name, FOLDER), 'utf8')
      .replaceAll('$KEY_HASH', hashApiKey(key).toString('hex'))
      .replaceAll('$SECRET', Buffer.from(secret.ciphertext).toString('hex'))
      .replaceAll('$CHECK', Buffer.from(integrations.settings.keyring.checkValue('key-1')).toString('hex'))
    await sql.unsafe(rows)
  }
}

async function countRows(): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'quickquote'::regnamespace
      and relkind = 'r' and relname <> 'migrations'`
  const counts = tables.map(async ({ name }) => {
    const [row] = await sql`select count(*)::int as count from quickquote.${sql(name)}`
    return [name, row?.['count']] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

it('each migration has rows for testing later ones (upgrade/README.md)', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'))
  expect(files.sort()).toEqual(FILES.map(({ name }) => name))
})

describe.each(FILES.map(({ name }, index) => [name, index + 1] as const))(
  'a database in use at migration %s',
  (_, count) => {
    it('is migrated without losing a row, and keeps working', async () => {
      await standAt(count)
      const before = await countRows()

      await drizzleStorage({ sql }).migrate()

      expect(await countRows()).toMatchObject(before)
      await goesOn()
    })
  },
)

describe('while this version runs, a later one migrates the database', () => {
  it('no row is lost, existing rows get values, and this version keeps working', async () => {
    await standAt(FILES.length)
    const before = await countRows()

    const { applied } = await migrateLater()

    expect(applied.slice(FILES.length, -1)).toEqual(['0002_labels.sql', '0003_regions.sql'])
    expect(await countRows()).toMatchObject(before)
    expect([...(await sql`select distinct region from quickquote.events`)]).toEqual([{ region: 'eu' }])
    await goesOn()
    // It cannot start again, because it does not know the later version's needs.
    await expect(drizzleStorage({ sql }).requireMigrated()).rejects.toThrow(/0002_labels\.sql.*newer version/)
  })

  it('a worker records deliveries that it claimed before', async () => {
    await standAt(FILES.length)
    const { storage } = integrations
    const [claimed] = (await storage.deliveries.round(claimOf(WORKER))).claimed
    if (claimed === undefined) throw new Error('Nothing was claimed.')

    await migrateLater()
    await storage.deliveries.round({
      ...claimOf(WORKER, { limit: 0 }),
      settled: [succeeded(claimed)],
    })

    const recorded = await sql`
      select status from quickquote.delivery_attempts where delivery_id = ${claimed.id} and attempt = ${claimed.attempt}`
    expect([...recorded]).toEqual([{ status: 'succeeded' }])
    expect(await sql`select from quickquote.deliveries`).toHaveLength(0)
  })

  async function migrateLater() {
    const storage = later.drizzleStorage({ connectionString: database.url, maxConnections: 1 })
    try {
      return await storage.migrate()
    } finally {
      await storage.close()
    }
  }
})

/** Finds, sends and finishes everything from before the upgrade. */
async function goesOn(): Promise<void> {
  const member = { ...adminOf(ORGANIZATION), memberId: 'member-1' }
  const { apiKeys, webhookEndpoints, deliveryLog, quotations, storage, settings } = integrations

  expect(await apiKeys.authenticate(key)).toMatchObject({ organizationId: ORGANIZATION })
  expect((await apiKeys.list(member)).items).toMatchObject([{ name: 'CRM', status: 'active' }])
  expect(await webhookEndpoints.list(member)).toMatchObject([
    { id: ENDPOINT, is_enabled: true },
    { id: DISABLED, is_enabled: false },
  ])
  expect(await storage.webhookEndpoints.find(ORGANIZATION, ENDPOINT)).toMatchObject({ disabled_reason: null })
  const disabled = await storage.webhookEndpoints.find(ORGANIZATION, DISABLED)
  expect(['requested', 'failing']).toContain(disabled?.disabled_reason)
  expect((await deliveryLog.list(member)).items).toMatchObject([{ status: 'failed', quotation_name: 'Done' }])
  expect(await quotations.get(ORGANIZATION, DONE ?? '')).toMatchObject({ status: 'completed' })

  // The due delivery is claimed, with a secret that still decrypts.
  const now = new Date()
  const { claimed } = await storage.deliveries.round(claimOf(WORKER, { now }))
  expect(claimed).toMatchObject([
    { attempt: 2, event_type: 'quotation.completed', quotation_id: DONE, endpoint: { id: ENDPOINT } },
  ])
  const [{ endpoint } = { endpoint: undefined }] = claimed
  expect(endpoint && settings.keyring.decrypt(endpoint.secret, ENDPOINT)).toBe(SECRET)

  // The run in progress continues, and the waiting quote is handed over.
  await integrations.pipeline(UNDER_WAY ?? '').stepCompleted('functional_specification')
  const next = await storage.deliveries.round(claimOf(WORKER))
  expect(next.claimed).toMatchObject([{ event_type: 'quotation.functional_specification.completed' }])
  const starts = await storage.pipelineStarts.claim({ workerId: WORKER, limit: 10, now: new Date() })
  expect(starts.claimed).toMatchObject([{ quote: { id: WAITING, files: [{ name: 'roof.txt' }] } }])

  // A replay in progress completes.
  while (await storage.replays.advance(100, new Date())) {}
  expect(await sql`select from quickquote.replays where state = 'running'`).toHaveLength(0)
}
