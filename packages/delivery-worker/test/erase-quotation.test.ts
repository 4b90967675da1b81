import { IntegrationError, type Integrations, STEPS } from '@quickquote/core'
import type { Receiver } from '@quickquote/dev-servers'
import { adminOf } from '@quickquote/dev-servers/host'
import { lockWaiters } from '@quickquote/dev-servers/vitest'
import { describe, expect, it } from 'vitest'
import {
  certificate,
  type Host,
  type HostOptions,
  ORGANIZATION,
  openHost,
  openReceiver,
} from './support/host.ts'

const OTHER = '0d9c8b7a-6f5e-4d4c-9b3a-2f1e0d9c8b7a'
const NOWHERE = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
/** In every text of the erased quotation. */
const SECRET = 'Wintergarten'
const ADMIN = adminOf(ORGANIZATION)

let host: Host
let receiver: Receiver | undefined

async function open(options: HostOptions = {}): Promise<void> {
  host = await openHost(options)
}

/** A quotation with a text in each of its fields, and a file. */
async function startQuote(): Promise<{ id: string; fileId: string }> {
  const bytes = (async function* () {
    yield Buffer.from(SECRET)
  })()
  const { quotations, requirementsFiles } = host.integrations
  const file = { organizationId: ORGANIZATION, index: 0, name: `${SECRET}.txt`, bytes }
  const received = await requirementsFiles.receive(file)
  const { quotation_id } = await quotations.start({
    organizationId: ORGANIZATION,
    source: 'api_key',
    body: {
      name: SECRET,
      description: SECRET,
      requirementsText: SECRET,
      metadata: { deal: SECRET },
    },
    files: [received],
    idempotencyKey: SECRET,
  })
  return { id: quotation_id, fileId: received.id }
}

/** Reports like a pipeline: an event for each of the five steps, and a proposal. */
async function finish(id: string): Promise<void> {
  const report = host.integrations.pipeline(id)
  for (const step of STEPS.slice(0, -1)) await report.stepCompleted(step)
  await report.proposalReady({ name: `${SECRET} offer` })
}

/** Every row of every table as text, with its table. */
async function rowsWith(text: string): Promise<string[]> {
  const tables = await host.sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'quickquote'::regnamespace
      and relkind = 'r'`
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await host.sql`
      select 1 from quickquote.${host.sql(name)} each
      where position(${text} in each::text) > 0
        or position(encode(convert_to(${text}, 'utf8'), 'hex') in each::text) > 0`
    for (const _ of rows) found.push(name)
  }
  return found.sort()
}

const erase = (id: string, organizationId = ORGANIZATION) =>
  host.integrations.quotations.erase(organizationId, id, { by: 'officer' })

async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof IntegrationError ? error.code : String(error)
}

async function auditEntries() {
  const { items } = await host.integrations.auditLog.list(ADMIN, { action: 'quotation.erased' })
  return items
}

/** Delivers all events of a quotation to a receiver that echoes a text of it. */
async function delivered(): Promise<{ id: string; fileId: string }> {
  receiver = await openReceiver(() => ({ status: 200, body: SECRET }))
  await host.createEndpoint(receiver.url)
  await host.createWorker({ ca: certificate.cert }).start()
  const quote = await startQuote()
  await finish(quote.id)
  await expect.poll(() => host.attempts()).toHaveLength(1)
  await expect.poll(() => host.pending()).toEqual([])
  return quote
}

describe('quotations.erase', () => {
  it('leaves no text of the quotation in any table, and keeps ids, times and statuses', async () => {
    await open()
    const { id } = await delivered()
    expect(await rowsWith(SECRET)).toContain('file_chunks')
    expect(await rowsWith(SECRET)).toContain('delivery_attempts')
    const before = await host.attempts()

    expect(await erase(id)).toEqual({
      quotation_id: id,
      events: 5,
      deliveries: 0,
      attempts: 1,
      files: 1,
      left_to_host: [],
    })

    expect(await rowsWith(SECRET)).toEqual([])
    expect(new Set(await rowsWith(id))).toEqual(new Set(['audit_log', 'delivery_attempts', 'events']))
    expect(await host.attempts()).toEqual(before)
    expect(await refusalOf(host.integrations.quotations.get(ORGANIZATION, id))).toBe('QUOTATION_NOT_FOUND')
    expect(await refusalOf(host.integrations.pipeline(id).completed())).toBe('QUOTATION_NOT_FOUND')
  })

  it('shows [erased] in the delivery log, and refuses to resend', async () => {
    await open()
    const { id } = await delivered()
    await erase(id)

    const { deliveryLog } = host.integrations
    const [attempt] = (await deliveryLog.list(ADMIN)).items
    expect(attempt).toMatchObject({ quotation_id: id, quotation_name: '[erased]', status: 'succeeded' })
    const delivery = await deliveryLog.get(ADMIN, attempt?.delivery_id ?? '')
    expect(delivery).toMatchObject({
      quotation_name: '[erased]',
      request_body: '[erased]',
      attempts: [{ response_body: '[erased]' }],
    })
    expect(await refusalOf(deliveryLog.resend(ADMIN, delivery.id))).toBe('STATE_CONFLICT')
  })

  it('hides its events in the feed, where every cursor stays valid', async () => {
    await open()
    const { id } = await startQuote()
    const first = await host.finishStep()
    await finish(id)
    const { eventFeed } = host.integrations
    const page = await eventFeed.read(ORGANIZATION, { limit: 2 })
    const last = await host.finishStep()
    await erase(id)

    const ids = ({ json }: { readonly json: string }) =>
      (JSON.parse(json) as { data: { quotation_id: string } }[]).map(({ data }) => data.quotation_id)
    expect(ids(page)).toEqual([first, id])
    const rest = await eventFeed.read(ORGANIZATION, { after: page.nextCursor })
    expect(ids(rest)).toEqual([last])
    expect(ids(await eventFeed.read(ORGANIZATION, {}))).toEqual([first, last])
  })

  it('creates no delivery of its events in a replay', async () => {
    await open()
    const { id } = await startQuote()
    await finish(id)
    const kept = await host.finishStep()
    const endpoint = await host.createEndpoint('https://127.0.0.1:9/')
    await erase(id)
    const { replays, storage } = host.integrations
    const replay = await replays.start(ADMIN, endpoint.id, {
      since: new Date(Date.now() - 60 * 60 * 1000).toISOString(),
    })
    while (await storage.replays.advance(100, new Date())) {}
    expect(await replays.get(ADMIN, endpoint.id, replay.id)).toMatchObject({ resent: 1 })
    const [event] = await host.sql`
      select event.quotation_id from quickquote.deliveries delivery
      join quickquote.events event on event.id = delivery.event_id`
    expect(event?.['quotation_id']).toBe(kept)
  })

  describe('beside a resend or a replay', () => {
    /** The calls, each with what it does to the event of a quote that was delivered once. */
    const calls = {
      resend: async (on: Pick<Integrations, 'deliveryLog'>) => {
        const [attempt] = (await host.integrations.deliveryLog.list(ADMIN)).items
        await on.deliveryLog.resend(ADMIN, attempt?.delivery_id ?? '')
      },
      replay: async (on: Pick<Integrations, 'deliveryLog'>) => {
        const storage = on === host.integrations ? host.integrations.storage : within
        expect(await storage?.replays.advance(100, new Date())).toBe(true)
      },
    }
    let within: Integrations['storage'] | undefined

    async function deliveredOnce(): Promise<string> {
      receiver = await openReceiver()
      const endpoint = await host.createEndpoint(receiver.url)
      const worker = host.createWorker({ ca: certificate.cert })
      await worker.start()
      const id = await host.finishStep()
      await expect.poll(() => host.attempts()).toHaveLength(1)
      await worker.stop()
      const since = new Date(Date.now() - 60 * 60 * 1000).toISOString()
      await host.integrations.replays.start(ADMIN, endpoint.id, { since, status: 'all' })
      return id
    }

    it.each(['resend', 'replay'] as const)('a %s that comes first is ended', async (name) => {
      await open()
      const id = await deliveredOnce()
      const { erased } = await host.sql.begin(async (tx) => {
        within = host.integrations.storage.within(tx)
        await calls[name](host.integrations.within(tx))
        // Reports do not wait for it.
        await host.integrations.pipeline(id).stepCompleted('functional_specification')
        const erased = erase(id)
        await expect.poll(() => lockWaiters(host.sql)).toBe(1)
        return { erased }
      })
      expect(await erased).toMatchObject({ deliveries: 1 })
      expect(await host.pending()).toEqual([])
    })

    it.each([
      ['resend', 'STATE_CONFLICT'],
      ['replay', 'undefined'],
    ] as const)('a %s that comes second creates no delivery', async (name, refusal) => {
      await open()
      const id = await deliveredOnce()
      const { called } = await host.sql.begin(async (tx) => {
        await host.integrations.within(tx).quotations.erase(ORGANIZATION, id)
        const called = refusalOf(calls[name](host.integrations))
        await expect.poll(() => lockWaiters(host.sql)).toBe(1)
        return { called }
      })
      expect(await called).toBe(refusal)
      expect(await host.pending()).toEqual([])
    })
  })

  it('ends pending deliveries, and records those in flight as interrupted', async () => {
    await open()
    let isAsked = false
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    receiver = await openReceiver(async () => {
      isAsked = true
      await held
      return { status: 200 }
    })
    await host.createEndpoint(receiver.url)
    await host.createEndpoint('https://127.0.0.1:9/')
    const worker = host.createWorker({ ca: certificate.cert })
    await worker.start()
    const { id } = await startQuote()
    await finish(id)
    await expect.poll(() => isAsked).toBe(true)
    // The other endpoint refuses connections, so its delivery waits for another attempt.
    await expect.poll(() => host.attempts()).toMatchObject([{ status: 'failed' }])

    expect(await erase(id)).toMatchObject({ deliveries: 2 })
    expect(await host.pending()).toEqual([])
    answer()
    await worker.stop()

    expect(await host.pending()).toEqual([])
    const statuses = (await host.attempts()).map(({ status }) => status)
    expect(statuses.sort()).toEqual(['failed', 'interrupted'])
  })

  it('aborts the signal of its run in another process, and of no other run', async () => {
    const signals = new Map<string, AbortSignal>()
    await open({
      pipeline: { start: async ({ id }, { signal }) => void signals.set(id, signal) },
    })
    await host.createWorker({ pollIntervalMs: 20 }).start()
    const { id } = await startQuote()
    const other = await host.startQuote()
    await expect.poll(() => signals.size).toBe(2)

    // Through other connections, like another process.
    const elsewhere = await openHost({ databaseUrl: host.databaseUrl })
    await elsewhere.integrations.quotations.erase(ORGANIZATION, id)
    await elsewhere.close()

    await expect.poll(() => signals.get(id)?.aborted).toBe(true)
    expect(signals.get(other)?.aborted).toBe(false)
  })

  it('is one entry in the audit log, however often it is called, even concurrently', async () => {
    await open()
    const { id } = await startQuote()
    await finish(id)

    const results = await Promise.all([erase(id), erase(id)])
    expect(results.map(({ events }) => events).sort()).toEqual([0, 5])
    expect(await erase(id.toUpperCase())).toMatchObject({ events: 0, files: 0 })

    expect(await auditEntries()).toMatchObject([
      { actor_id: 'officer', resource_type: 'quotation', resource_id: id, resource_name: '[erased]' },
    ])
  })

  it('refuses the id of another organization, and an unknown one', async () => {
    await open()
    const { id } = await startQuote()
    const before = await rowsWith(SECRET)
    expect(await refusalOf(erase(id, OTHER))).toBe('OTHER_ORGANIZATION')
    expect(await refusalOf(erase(NOWHERE))).toBe('QUOTATION_NOT_FOUND')
    expect(await refusalOf(erase('crm'))).toBe('QUOTATION_NOT_FOUND')
    expect(await refusalOf(erase(id, 'crm'))).toBe('VALIDATION_FAILED')
    expect(await rowsWith(SECRET)).toEqual(before)
    expect(await auditEntries()).toEqual([])
  })

  it('is rolled back and committed with a transaction of the host; then a worker deletes the files', async () => {
    await open()
    const { id } = await startQuote()
    const before = await rowsWith(SECRET)
    const rollback = host.sql.begin(async (tx) => {
      await host.integrations.within(tx).quotations.erase(ORGANIZATION, id)
      throw new Error('rolled back')
    })
    await expect(rollback).rejects.toThrow('rolled back')
    expect(await rowsWith(SECRET)).toEqual(before)

    await host.sql.begin(async (tx) => {
      expect(await host.integrations.within(tx).quotations.erase(ORGANIZATION, id)).toMatchObject({
        files: 1,
      })
    })
    expect(await rowsWith(SECRET)).toEqual(['file_chunks'])
    await host.createWorker().start()
    await expect.poll(() => rowsWith(SECRET)).toEqual([])
  })

  it('does not wait for a file storage that is down: a worker deletes the files later', async () => {
    const stored = new Map<string, Buffer>()
    let isDown = false
    await open({
      files: {
        async put({ id }, bytes) {
          const chunks: Uint8Array[] = []
          for await (const chunk of bytes) chunks.push(chunk)
          stored.set(id, Buffer.concat(chunks))
        },
        async *get({ id }) {
          yield stored.get(id) ?? Buffer.alloc(0)
        },
        async delete(files) {
          if (isDown) throw new Error('The bucket is away.')
          for (const { id } of files) stored.delete(id)
        },
      },
    })
    const { id, fileId } = await startQuote()
    isDown = true
    expect(await erase(id)).toMatchObject({ files: 1 })
    expect([...stored.keys()]).toEqual([fileId])
    isDown = false
    await host.createWorker().start()
    await expect.poll(() => stored.size).toBe(0)
    await expect.poll(() => rowsWith(fileId)).toEqual([])
  })
})
