import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import {
  ConfigurationError,
  createIntegrations,
  type IntegrationServices,
  type Integrations,
  memberOf,
  STEPS,
} from '@quickquote/core'
import { scratchFolder, type TestDatabase } from '@quickquote/dev-servers'
import { migratedDatabase } from '@quickquote/dev-servers/vitest'
import { drizzle as drizzleOnPg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import { Kysely, PostgresDialect } from 'kysely'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { type DrizzleStorage, drizzleStorage, type HostTransaction } from '../src/index.ts'
import { HOSTS, type Host, onPrisma, openPgPool } from './hosts.ts'
import { installPrisma, type Prisma } from './prisma.ts'
import { sampleEndpoint, sampleQuotation, sampleSecrets } from './samples.ts'

let testing: TestDatabase
let sql: postgres.Sql
let integrations: Integrations

beforeEach(async () => {
  testing = await migratedDatabase()
  sql = postgres(testing.url, { onnotice() {} })
  const storage = drizzleStorage({ connectionString: testing.url })
  await sql`create table notes_of_host (note text)`
  integrations = createIntegrations({
    storage,
    pipeline: { start: async () => {}, signDocumentUrl: () => Promise.reject(new Error('not used')) },
    encryptionKeys: [{ id: 'key-1', key: randomBytes(32) }],
  })
})

afterEach(async () => {
  await integrations.close()
  await sql.end()
  await testing.drop()
})

/** A transaction of the host that writes its own row and reports a step. */
async function reportWithNote(host: Host, quotationId: string, organizationId: string, fault?: Error) {
  await host.transaction(async (transaction, run) => {
    await run(`insert into notes_of_host values ('of the host')`)
    const within = integrations.within(transaction)
    await within.pipeline(quotationId).stepCompleted('requirement_analysis')
    await within.quotations.start({
      organizationId,
      source: 'ui',
      body: { requirementsText: 'Another quote', metadata: { crm: 1 } },
    })
    if (fault) throw fault
  })
}

async function recorded() {
  return {
    notes: (await sql`select * from notes_of_host`).length,
    events: (await sql`select type, quotation_id from quickquote.events`).map((row) => ({ ...row })),
    deliveries: (
      await sql`select d.endpoint_id, e.type from quickquote.deliveries d
        join quickquote.events e on e.id = d.event_id and e.created_at = d.event_created_at`
    ).map((row) => ({ ...row })),
    processed: (await sql`select processed_step from quickquote.quotations order by created_at`).map(
      (row) => row['processed_step'],
    ),
    starts: (await sql`select * from quickquote.pipeline_starts`).length,
  }
}

let prisma: Prisma
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(scratchFolder(), 'quickquote-prisma-'))
  prisma = await installPrisma(folder)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const withPrisma: typeof HOSTS = {
  ...HOSTS,
  'an interactive transaction of Prisma': (url) => onPrisma(prisma, url),
}

describe.each(Object.entries(withPrisma))('within %s', (_, openHost) => {
  let host: Host

  beforeEach(() => {
    host = openHost(testing.url)
  })

  afterEach(() => host.close())

  async function prepare() {
    const quotation = sampleQuotation()
    const endpoint = sampleEndpoint({
      organization_id: quotation.organization_id,
      events: ['quotation.requirement_analysis.completed'],
    })
    await integrations.storage.quotations.accept(quotation, null)
    await integrations.storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
    return { quotation, endpoint, before: await recorded() }
  }

  it('a rollback leaves nothing, and wakes nobody', async () => {
    const { quotation, before } = await prepare()
    const fault = new Error('the host changes its mind')

    await expect(reportWithNote(host, quotation.id, quotation.organization_id, fault)).rejects.toThrow(fault)

    expect(await recorded()).toEqual(before)
  })

  it('a commit leaves exactly its events, their deliveries and its quote', async () => {
    const { quotation, endpoint } = await prepare()

    await reportWithNote(host, quotation.id, quotation.organization_id)

    const type = 'quotation.requirement_analysis.completed'
    expect(await recorded()).toEqual({
      notes: 1,
      events: [{ type, quotation_id: quotation.id }],
      deliveries: [{ type, endpoint_id: endpoint.id }],
      processed: ['requirement_analysis', 'none'],
      starts: 2,
    })
  })

  it('keys, endpoints and quotes are written and read, in the form that they have outside', async () => {
    const organizationId = randomUUID()
    const member = { memberId: 'member-1', organizationId, permissions: new Set(['manage_integrations']) }
    const read = async (
      { apiKeys, webhookEndpoints, quotations, auditLog }: IntegrationServices,
      id: string,
    ) => ({
      keys: await apiKeys.list(member),
      endpoints: await webhookEndpoints.list(member),
      quotation: await quotations.get(organizationId, id),
      entries: await auditLog.list(member),
    })

    const { id, key, inside } = await host.transaction(async (transaction) => {
      const within = integrations.within(transaction)
      const { key } = await within.apiKeys.create(member, { name: 'A key', expires_at: SOON })
      const endpoint = await within.webhookEndpoints.create(member, {
        name: 'CRM',
        url: 'https://receiver.example/hook',
        events: ['quotation.completed'],
        headers: { 'X-Tenant': 'acme' },
      })
      await within.webhookEndpoints.update(member, endpoint.id, { description: 'Two\nlines: "a", {b}' })
      const start = { organizationId, source: 'ui', body: BODY, idempotencyKey: 'once' } as const
      const { quotation_id } = await within.quotations.start(start)
      expect(await within.quotations.start(start)).toMatchObject({ quotation_id, repeated: true })
      return { id: quotation_id, key, inside: await read(within, quotation_id) }
    })

    expect(inside).toEqual(await read(integrations, id))
    expect(await integrations.apiKeys.authenticate(key.reveal())).toMatchObject({ organizationId })
  })

  it('a commit wakes the workers, a rollback does not', async () => {
    const { quotation } = await prepare()
    // Closing the storage first sends the notifications of the preparation.
    await integrations.close()
    const heard: string[] = []
    let onNotice = () => {}
    const listener = await sql.listen('quickquote_wake', () => {
      heard.push('wake')
      onNotice()
    })
    const woken = new Promise<void>((resolve) => {
      onNotice = resolve
    })
    const fault = new Error('the host changes its mind')
    await reportWithNote(host, quotation.id, quotation.organization_id, fault).catch(() => undefined)
    await sql`select pg_notify('quickquote_wake', '')`
    await woken
    expect(heard).toHaveLength(1)

    const wokenAgain = new Promise<void>((resolve) => {
      onNotice = resolve
    })
    await reportWithNote(host, quotation.id, quotation.organization_id)
    await wokenAgain
    await listener.unlisten()
  })
})

describe('within', () => {
  it('refuses anything but a transaction, because it could not be rolled back', async () => {
    const pool = openPgPool(testing.url)
    const reserved = await sql.reserve()
    const strangers = {
      'a postgres.js client': sql,
      'a reserved connection': reserved,
      'a drizzle database on postgres.js': drizzleOnPostgresJs(postgres(testing.url)),
      'a drizzle database on node-postgres': drizzleOnPg(pool),
      'a pool': pool,
      nothing: undefined,
      'an object': {},
      'a string': 'begin',
    }
    for (const [name, stranger] of Object.entries(strangers)) {
      expect(() => integrations.within(stranger), name).toThrow(ConfigurationError)
    }
    reserved.release()
    await pool.end()
  })

  it('suggests the adapter for a known client', async () => {
    const pool = openPgPool(testing.url)
    const client = await pool.connect()
    const onPg = '{ runInTransaction: (text, values) => client.query(text, values) }'
    const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
    const strangers: [unknown, string][] = [
      [client, onPg],
      [pool, `await pool.connect(), client.query('begin'), and pass ${onPg}`],
      [kysely, 'trx.executeQuery(CompiledQuery.raw(text, values))'],
      [prisma.open(testing.url), 'tx.$queryRawUnsafe(text, ...values)'],
    ]
    for (const [stranger, hint] of strangers) expect(() => integrations.within(stranger)).toThrow(hint)
    client.release()
    await pool.end()
  })

  it('works in a savepoint, which can be rolled back', async () => {
    const organizationId = randomUUID()
    await sql.begin(async (transaction) => {
      await transaction
        .savepoint(async (savepoint) => {
          await integrations.within(savepoint).quotations.start({ organizationId, source: 'ui', body: BODY })
          throw new Error('the host changes its mind about a part')
        })
        .catch(() => undefined)
      await integrations.within(transaction).quotations.start({ organizationId, source: 'ui', body: BODY })
    })

    expect((await recorded()).starts).toBe(1)
  })
})

const BODY = { requirementsText: 'A shop' }
const SOON = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString()

it('compiles only with transactions', async () => {
  const storage = drizzleStorage({ sql })
  const typed = createIntegrations({
    storage,
    pipeline: { start: async () => {}, signDocumentUrl: () => Promise.reject(new Error('not used')) },
    encryptionKeys: [{ id: 'key-1', key: randomBytes(32) }],
  })
  const pool = openPgPool(testing.url)
  const db = drizzleOnPg(pool)
  const strangers = (bound: DrizzleStorage) => [
    // @ts-expect-error no transaction at all
    () => [typed.within(42), bound.within(42)],
    // @ts-expect-error a client of postgres.js
    () => [typed.within(sql), bound.within(sql)],
    // @ts-expect-error a database of drizzle
    () => [typed.within(db), bound.within(db)],
    // @ts-expect-error a pool of node-postgres
    () => [typed.within(pool), bound.within(pool)],
  ]
  for (const within of strangers(storage)) expect(within).toThrow(ConfigurationError)
  expectTypeOf(storage.within).parameter(0).toEqualTypeOf<HostTransaction>()
  expectTypeOf<postgres.TransactionSql>().toExtend<HostTransaction>()
  expectTypeOf<Parameters<Parameters<typeof db.transaction>[0]>[0]>().toExtend<HostTransaction>()
  await pool.end()
})

it('no transaction and no quote compiles a schema again, which the validator would keep forever', async () => {
  const requireOfCore = createRequire(createRequire(import.meta.url).resolve('@quickquote/core'))
  const { Ajv } = (await import(requireOfCore.resolve('ajv'))) as {
    Ajv: { prototype: { compile(schema: unknown): unknown } }
  }
  const organizationId = randomUUID()
  const member = memberOf(
    { memberId: 'member', organizations: [{ id: organizationId, role: 'admin' }] },
    organizationId,
  )

  async function useEverything() {
    await sql.begin(async (transaction) => {
      const within = integrations.within(transaction)
      const body = { requirementsText: 'Text' }
      const { quotation_id } = await within.quotations.start({ organizationId, source: 'ui', body })
      for (const step of STEPS) await within.pipeline(quotation_id).stepCompleted(step)
      const soon = new Date(Date.now() + 60_000).toISOString()
      const key = await within.apiKeys.create(member, { name: 'Key', expires_at: soon })
      await within.apiKeys.update(member, key.id, { name: 'Other' })
      const endpoint = await within.webhookEndpoints.create(member, {
        name: 'CRM',
        url: 'https://crm.example',
        events: ['quotation.completed'],
      })
      await within.webhookEndpoints.update(member, endpoint.id, { name: 'Other' })
      await within.webhookEndpoints.rotateSecret(member, endpoint.id)
    })
  }

  await useEverything()
  const compile = vi.spyOn(Ajv.prototype, 'compile')
  await useEverything()
  expect(compile).not.toHaveBeenCalled()
  compile.mockRestore()
})
