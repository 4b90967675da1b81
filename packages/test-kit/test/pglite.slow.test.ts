import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { installed } from '@quickquote/dev-servers'
import { adminOf, integrationsOn } from '@quickquote/dev-servers/host'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import { type DrizzleTransaction, drizzleStorage, type HostDrizzle } from '@quickquote/storage-drizzle'
import Fastify from 'fastify'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { createClock, createTestKit, startReceiver } from '../src/index.ts'

/** No dependencies of the workspace: drizzle has PGlite among its optional peers, and would be there twice. */
const PACKAGES = ['@electric-sql/pglite@0.5.16', 'drizzle-orm@0.45.4']
const DAY_MS = 24 * 60 * 60 * 1000
const QUOTE = { source: 'ui', body: { requirementsText: 'A roof.' } } as const

/** What we use of PGlite's drizzle. */
interface OnPGlite extends HostDrizzle {
  transaction<T>(work: (transaction: DrizzleTransaction) => Promise<T>): Promise<T>
}

interface PGliteTransaction {
  query(text: string, values: unknown[]): Promise<unknown>
}

interface PGlite {
  transaction<T>(work: (tx: PGliteTransaction) => Promise<T>): Promise<T>
  close(): Promise<void>
}

let pglite: PGlite
let db: OnPGlite

// One for all tests, each of which has its own organization: its start takes seconds.
beforeAll(async () => {
  const { folder, remove } = await installed(PACKAGES)
  const load = createRequire(join(folder, 'package.json'))
  pglite = new (load('@electric-sql/pglite').PGlite)()
  db = load('drizzle-orm/pglite').drizzle(pglite)
  await drizzleStorage({ db }).migrate()
  return async () => {
    await pglite.close()
    await remove()
  }
})

/** A host whose database is in its own process. */
async function openHost() {
  // The database keeps what is younger by its own clock.
  const clock = createClock(new Date(Date.now() - 40 * DAY_MS))
  const storage = drizzleStorage({ db })
  const started: string[] = []
  const integrations = integrationsOn(storage, {
    pipeline: { start: async ({ id }) => void started.push(id) },
    now: clock.now,
  })
  const app = Fastify()
  await app.register(fastifyIntegrations, { integrations, resolveSession: async () => null })
  const kit = createTestKit({ integrations, app, clock })
  onTestFinished(async () => {
    await kit.close()
    await app.close()
    await integrations.close()
  })
  return { clock, storage, integrations, app, kit, started }
}

it('the kit needs no server on PGlite: keys, quotes, retried webhooks, retention', async () => {
  const { clock, storage, integrations, app, kit } = await openHost()
  expect((await storage.migrationStatus()).pending).toEqual([])
  const partner = await kit.partner()
  const quote = await partner.startQuote({ requirementsText: 'Customers sign in.', metadata: { crm: 1 } })
  partner.answerNext({ status: 503 })
  await quote.complete()
  await kit.deliver()
  clock.advance({ minutes: 1 })
  await kit.deliver()
  expect(partner.webhooks).toHaveLength(6)
  const completed = { type: 'quotation.completed', data: { quotation_id: quote.id } }
  const retried = { type: 'quotation.requirement_analysis.completed' }
  expect(partner.webhooks.slice(-2)).toMatchObject([completed, retried])

  const read = () =>
    app.inject({ url: `/v1/integrations/quotations/${quote.id}`, headers: { 'x-api-key': partner.key } })
  expect((await read()).json()).toMatchObject({ status: 'completed' })
  const attempts = () => integrations.deliveryLog.list(partner.member)
  expect((await attempts()).items).toHaveLength(7)
  clock.advance({ days: 40 })
  await integrations.enforceRetention()
  expect((await attempts()).items).toEqual([])
})

it('a transaction on PGlite commits or rolls back with its quotes', async () => {
  const { integrations, kit } = await openHost()
  const { organizationId } = await kit.partner()
  const fault = new Error('the host changes its mind')
  const start = (transaction: DrizzleTransaction) =>
    integrations.within(transaction).quotations.start({ organizationId, ...QUOTE })
  let undone = ''
  const failed = db.transaction(async (transaction) => {
    undone = (await start(transaction)).quotation_id
    throw fault
  })
  await expect(failed).rejects.toThrow(fault)
  const { quotation_id: done } = await db.transaction(start)
  expect(await integrations.quotations.get(organizationId, done)).toMatchObject({ id: done })
  await expect(integrations.quotations.get(organizationId, undone)).rejects.toMatchObject({ status: 404 })
})

it('a transaction of PGlite itself, by its line, commits or rolls back with its keys and nasty texts', async () => {
  const { integrations, kit } = await openHost()
  const { organizationId, member } = await kit.partner()
  const within = (tx: PGliteTransaction) =>
    integrations.within({ runInTransaction: (text, values) => tx.query(text, values) })
  const fault = new Error('the host changes its mind')
  const metadata = { snake_case: ['$1', '?', '\\', "'"], 'Größe 😀': '[]' }
  const body = { requirementsText: 'A roof.', name: '{"looks": "like JSON"}', metadata }
  const start = async (tx: PGliteTransaction) => {
    expect(() => integrations.within(tx as never)).toThrow(
      'For PGlite, in pglite.transaction(async (txn) => …)',
    )
    const expires_at = new Date(Date.now() + DAY_MS).toISOString()
    const { key } = await within(tx).apiKeys.create(member, { name: 'A key', expires_at })
    return { key, ...(await within(tx).quotations.start({ organizationId, source: 'ui', body })) }
  }
  const failed = pglite.transaction(async (tx) => {
    await start(tx)
    throw fault
  })
  await expect(failed).rejects.toThrow(fault)
  const { key, quotation_id } = await pglite.transaction(start)
  expect(await integrations.apiKeys.authenticate(key.reveal())).toMatchObject({ organizationId })
  const { items } = (await integrations.quotations.list?.(organizationId)) ?? { items: [] }
  expect(items).toMatchObject([{ id: quotation_id, name: body.name, metadata }])
})

it('a worker on PGlite polls: it starts a quote and sends its webhook', async () => {
  const { integrations, started } = await openHost()
  const receiver = await startReceiver()
  onTestFinished(() => receiver.stop())
  const organizationId = randomUUID()
  await integrations.webhookEndpoints.create(adminOf(organizationId), {
    name: 'receiver',
    url: receiver.url,
    events: ['quotation.failed'],
    trigger_mode: 'always',
  })
  const worker = createDeliveryWorker({ integrations, ca: receiver.certificate.cert, pollIntervalMs: 50 })
  await worker.start()
  const { quotation_id } = await integrations.quotations.start({ organizationId, ...QUOTE })
  // It also starts the quotes of other tests.
  await expect.poll(() => started).toContain(quotation_id)
  await integrations.pipeline(quotation_id).failed({ step: 'proposal', errorCode: 'TOO_VAGUE' })
  expect(JSON.parse(String((await receiver.next()).rawBody))).toMatchObject({ data: { quotation_id } })
})
