import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HostQuotations, IntegrationError, type Integrations, STEPS } from '@quickquote/core'
import type { TestDatabase } from '@quickquote/dev-servers'
import { adminOf, integrationsOn, keepLogs, type TestOptions } from '@quickquote/dev-servers/host'
import { migratedDatabase } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import type postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openHostDatabase } from '../../examples/demo/src/database.ts'
import { hostQuotations } from '../../examples/demo/src/host-quotations.ts'

const ACME = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'
const GLOBEX = '0d9c8b7a-6f5e-4d4c-9b3a-2f1e0d9c8b7a'
/** Erased by its test; the other organizations get their data before all tests. */
const LEAVER = '3b2a1c0d-5e4f-4a6b-8c7d-9e8f7a6b5c4d'
const WORKER = randomUUID()
const BODY = { name: 'Portal', requirementsText: '- One' }

let database: TestDatabase
let sql: postgres.Sql
let integrations: Integrations
const { logger, lines } = keepLogs()
const errors = () =>
  lines
    .filter(({ level }) => level === 'error')
    .map(({ message, fields }) => ({ message, hook: fields['hook'] }))

/** Integrations on the host's tables; a test may replace methods with failing ones. */
function open(broken: Partial<HostQuotations> = {}, options: TestOptions = {}): Integrations {
  return integrationsOn(drizzleStorage({ sql }), {
    quotations: { ...hostQuotations(sql), ...broken } as HostQuotations,
    logger,
    ...options,
  })
}

beforeAll(async () => {
  database = await migratedDatabase()
  sql = await openHostDatabase(database.url)
  integrations = open()
  await integrations.webhookEndpoints.create(adminOf(ACME), {
    name: 'CRM',
    url: 'https://crm.example.com/hook',
    events: ['quotation.requirement_analysis.completed', 'quotation.failed'],
    trigger_mode: 'always',
  })
})

beforeEach(async () => {
  await sql`truncate host.quotations, quickquote.pipeline_starts, quickquote.idempotency_keys, quickquote.deliveries, quickquote.events cascade`
  lines.splice(0)
})

afterAll(async () => {
  await integrations.close()
  await sql.end()
  await database.drop()
})

async function start(from = integrations, organizationId = ACME, more: { idempotencyKey?: string } = {}) {
  const quote = { organizationId, source: 'ui' as const, body: BODY, ...more }
  return (await from.quotations.start(quote)).quotation_id
}

/** The row counts of the host's tables and ours. */
async function written() {
  const [row] = await sql`
    select (select count(*)::int from host.quotations) as quotations,
      (select count(*)::int from host.quotation_steps) as steps,
      (select count(*)::int from quickquote.pipeline_starts) as starts,
      (select count(*)::int from quickquote.events) as events,
      (select count(*)::int from quickquote.deliveries) as deliveries,
      (select count(*)::int from quickquote.idempotency_keys) as keys`
  return row
}
const NOTHING = { quotations: 0, steps: 0, starts: 0, events: 0, deliveries: 0, keys: 0 }
const unavailable = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' })
const fails = () => Promise.reject(new Error('a table of the host is locked'))

describe('accepting a quote', () => {
  it("writes the host's row and an order to start that contains the quote", async () => {
    const id = await start()
    expect(await written()).toEqual({ ...NOTHING, quotations: 1, starts: 1 })
    const { claimed } = await claim()
    expect(claimed).toEqual([
      {
        hook: 'start',
        attempt: 1,
        trace: null,
        quote: {
          id,
          organization_id: ACME,
          name: 'Portal',
          description: '',
          config_id: null,
          source: 'ui',
          requirementsText: '- One',
          external_id: null,
          metadata: null,
          files: [],
        },
      },
    ])
  })

  it('writes neither if the host cannot write its row', async () => {
    await expect(start(open({ insert: fails }))).rejects.toEqual(unavailable)
    expect(await written()).toEqual(NOTHING)
    expect(errors()).toEqual([{ message: 'a hook of the host failed', hook: 'quotations.insert' }])
  })

  it('writes neither if the order cannot be written', async () => {
    await sql`alter table quickquote.pipeline_starts add constraint never check (false) not valid`
    await expect(start()).rejects.toThrow()
    await sql`alter table quickquote.pipeline_starts drop constraint never`
    expect(await written()).toEqual(NOTHING)
  })

  it('writes neither if the host rolls back its own transaction', async () => {
    const fault = new Error('the host changes its mind')
    const rolledBack = sql.begin(async (tx) => {
      const within = integrations.within(tx)
      const { quotation_id } = await within.quotations.start({
        organizationId: ACME,
        source: 'ui',
        body: BODY,
      })
      await within.pipeline(quotation_id).stepCompleted('requirement_analysis')
      expect(await within.quotations.get(ACME, quotation_id)).toMatchObject({ status: 'running' })
      throw fault
    })
    await expect(rolledBack).rejects.toThrow(fault)
    expect(await written()).toEqual(NOTHING)
  })

  it('can be refused by the host, naming the invalid field', async () => {
    const refusal = new IntegrationError('VALIDATION_FAILED', 'There is no such configuration.', {
      errors: [{ pointer: '/config_id', detail: 'is not known' }],
    })
    await expect(start(open({ insert: () => Promise.reject(refusal) }))).rejects.toBe(refusal)
    expect(await written()).toEqual(NOTHING)
  })

  it('is idempotent under a key, and adopts uploaded files', async () => {
    const first = await start(integrations, ACME, { idempotencyKey: 'one' })
    expect(await start(integrations, ACME, { idempotencyKey: 'one' })).toBe(first)
    expect(await written()).toMatchObject({ quotations: 1, starts: 1, keys: 1 })

    const file = await integrations.requirementsFiles.receive({
      organizationId: ACME,
      index: 0,
      name: 'a.txt',
      bytes: Readable.from([Buffer.from('- Two')]),
    })
    await integrations.quotations.start({ organizationId: ACME, source: 'ui', body: {}, files: [file] })
    const { claimed } = await claim()
    const [taken] = claimed.flatMap(({ quote }) => quote.files)
    expect(taken).toEqual({ id: file.id, name: 'a.txt', type: 'txt', size: 5 })
    const bytes = integrations.requirementsFiles.read({ id: file.id, organization_id: ACME })
    expect(String(await buffer(bytes))).toBe('- Two')
    expect(await sql`select 1 from quickquote.uploads`).toEqual([])
  })
})

describe('a report', () => {
  it("writes the host's rows, the event and its deliveries, once", async () => {
    const id = await start()
    await integrations.pipeline(id).stepCompleted('requirement_analysis')
    await integrations.pipeline(id).stepCompleted('requirement_analysis')
    expect(await written()).toMatchObject({ steps: 1, events: 1, deliveries: 1 })
    await expect(integrations.pipeline(id).stepCompleted('effort_estimation')).rejects.toThrow(
      'cannot come next',
    )
    await expect(integrations.pipeline(randomUUID()).completed()).rejects.toThrow('Quotation not found')
  })

  it('writes nothing if the host cannot write', async () => {
    const id = await start()
    const report = open({ update: fails }).pipeline(id).stepCompleted('requirement_analysis')
    await expect(report).rejects.toEqual(unavailable)
    expect(await written()).toMatchObject({ steps: 0, events: 0, deliveries: 0 })
  })

  it("does not change the host's rows if the event cannot be written", async () => {
    const id = await start()
    await sql`alter table quickquote.deliveries add constraint never check (false) not valid`
    await expect(integrations.pipeline(id).stepCompleted('requirement_analysis')).rejects.toThrow()
    await sql`alter table quickquote.deliveries drop constraint never`
    expect(await written()).toMatchObject({ steps: 0, events: 0, deliveries: 0 })
    expect(await integrations.quotations.get(ACME, id)).toMatchObject({ status: 'queued' })
  })

  it('waits for another report on the same quotation: of ten at once, one emits', async () => {
    const id = await start()
    const report = integrations.pipeline(id)
    await Promise.all(Array.from({ length: 10 }, () => report.stepCompleted('requirement_analysis')))
    expect(await written()).toMatchObject({ steps: 1, events: 1 })
  })
})

describe('reading', () => {
  it('returns 200 for one of the organization, 403 for one of another, 404 for an unknown one', async () => {
    const id = await start()
    const report = integrations.pipeline(id)
    for (const step of STEPS) await report.stepCompleted(step)
    const { quotations } = integrations
    const { id: proposalId } = await quotations.proposal(ACME, id)
    const lookUps: ((organizationId: string, ids: { id: string; proposalId: string }) => Promise<unknown>)[] =
      [
        (organizationId, { id }) => quotations.get(organizationId, id),
        (organizationId, { id }) => quotations.pipelineStatus(organizationId, id),
        (organizationId, { id }) => quotations.proposal(organizationId, id),
        (organizationId, { proposalId }) =>
          integrations.storage.quotations.findProposal(organizationId, proposalId),
      ]
    for (const look of lookUps) {
      expect(await look(ACME.toUpperCase(), { id, proposalId })).toBeTypeOf('object')
      const outcomes = [
        look(GLOBEX, { id, proposalId }),
        look(ACME, { id: randomUUID(), proposalId: randomUUID() }),
        look(ACME, { id: 'no uuid', proposalId: 'no uuid' }),
      ].map((outcome) => outcome.catch((error: IntegrationError) => error.code))
      expect((await Promise.all(outcomes)).map((code) => String(code).toLowerCase())).toEqual([
        'other_organization',
        expect.stringMatching(/not_found|unknown/),
        expect.stringMatching(/not_found|unknown/),
      ])
    }
  })

  it('lists only quotations of the organization', async () => {
    const [own, other] = [await start(), await start(integrations, GLOBEX)]
    const names = await integrations.storage.quotations.findNames(ACME, [own, other, randomUUID()])
    expect([...names]).toEqual([[own, 'Portal']])
  })

  it('returns the fields of the specification, whatever the tables contain', async () => {
    const id = await start()
    const columns = Object.keys(await integrations.quotations.get(ACME, id))
    expect(columns).not.toContain('requirements')
    expect(columns).not.toContain('organization_id')
  })

  it('reports which have changed, or are gone, to requests that wait; not without the method', async () => {
    const [same, changed, gone] = [await start(), await start(), await start()]
    const seen = await Promise.all(
      [same, changed, gone].map(async (id) => {
        const { updated_at } = await integrations.quotations.get(ACME, id)
        return { organization_id: ACME, id: id.toUpperCase(), updated_at }
      }),
    )
    await integrations.pipeline(changed).stepStarted('requirement_analysis')
    await sql`delete from host.quotations where id = ${gone}`
    expect(await integrations.storage.quotations.findChanged?.(seen)).toEqual(new Set([1, 2]))
    const without = open({ findUpdatedAt: undefined } as object)
    expect(without.storage.quotations.findChanged).toBeUndefined()
  })

  it('is a 503, with the reason only in the log, if the host fails', async () => {
    await expect(open({ find: fails }).quotations.get(ACME, randomUUID())).rejects.toEqual(unavailable)
    expect(errors()).toEqual([{ message: 'a hook of the host failed', hook: 'quotations.find' }])
  })
})

function claim(from = integrations, now = new Date()) {
  return from.storage.pipelineStarts.claim({ workerId: WORKER, limit: 10, now })
}

describe('orders to start', () => {
  it.each(['ended', 'was deleted'])('are dropped when the quote %s meanwhile', async (what) => {
    const [gone, open] = [await start(), await start()]
    if (what === 'ended') await integrations.pipeline(gone).failed()
    else await sql`delete from host.quotations where id = ${gone}`
    expect((await claim()).claimed.map(({ quote }) => quote.id)).toEqual([open])
    expect(await written()).toMatchObject({ starts: 1 })
  })

  it('are handed over, and named, if the host returns ids in upper case', async () => {
    const id = await start()
    const find: HostQuotations['find'] = async (ids) =>
      (await hostQuotations(sql).find(ids)).map((each) => ({ ...each, id: each.id.toUpperCase() }))
    const shouting = open({ find })
    expect((await claim(shouting)).claimed).toMatchObject([{ quote: { id } }])
    expect([...(await shouting.storage.quotations.findNames(ACME, [id]))]).toEqual([[id, 'Portal']])
  })

  it('includes no file of another organization', async () => {
    const file = await integrations.requirementsFiles.receive({
      organizationId: GLOBEX,
      index: 0,
      name: 'a.txt',
      bytes: Readable.from([Buffer.from('- Two')]),
    })
    const quote = { organizationId: ACME, source: 'ui' as const, body: {}, files: [file] }
    await expect(integrations.quotations.start(quote)).rejects.toThrow(
      '/files: must be uploaded files that no other quotation uses',
    )
    expect(await written()).toEqual(NOTHING)
  })

  it('are retried if the host cannot be queried', async () => {
    const id = await start()
    await expect(claim(open({ find: fails }))).rejects.toEqual(unavailable)
    expect((await claim()).claimed).toEqual([])
    const later = new Date(Date.now() + 6000)
    expect((await claim(integrations, later)).claimed).toMatchObject([{ quote: { id }, attempt: 2 }])
  })

  it('of silent runs are found by their age', async () => {
    const id = await start()
    const find = (silentSince: Date) => integrations.storage.quotations.findStalled(silentSince, 10)
    expect(await find(new Date(Date.now() - 60_000))).toEqual([])
    expect(await find(new Date(Date.now() + 60_000))).toEqual([id])
  })
})

describe('a quotation that is cancelled', () => {
  it("fails in the host's tables; its pipeline gets the quote as accepted", async () => {
    const id = await start()
    const [order] = (await claim()).claimed
    await integrations.storage.pipelineStarts.recordCall({
      workerId: WORKER,
      quotationId: id,
      attempt: 1,
      retryAt: null,
    })
    const summary = await integrations.quotations.cancel?.(ACME, id)
    expect(summary).toMatchObject({ status: 'failed', error_code: 'CANCELLED' })
    expect((await claim()).claimed).toEqual([{ ...order, hook: 'cancel' }])
    await integrations.quotations.cancel?.(ACME, id)
    expect(await written()).toEqual({ ...NOTHING, quotations: 1, starts: 1, events: 1, deliveries: 1 })
  })

  it('while queued is never handed over', async () => {
    const id = await start()
    await integrations.quotations.cancel?.(ACME, id)
    expect((await claim()).claimed).toEqual([])
    expect(await written()).toEqual({ ...NOTHING, quotations: 1, events: 1, deliveries: 1 })
  })

  it('is refused for another organization, and not possible for a host without the method', async () => {
    const id = await start()
    await expect(integrations.quotations.cancel?.(GLOBEX, id)).rejects.toMatchObject({
      code: 'OTHER_ORGANIZATION',
    })
    expect(open({ cancel: undefined } as object).quotations.cancel).toBeUndefined()
    expect(await integrations.quotations.get(ACME, id)).toMatchObject({ status: 'queued' })
  })

  it('is unchanged if the host cannot cancel it', async () => {
    const id = await start()
    await expect(open({ cancel: fails }).quotations.cancel?.(ACME, id)).rejects.toEqual(unavailable)
    expect(await integrations.quotations.get(ACME, id)).toMatchObject({ status: 'queued' })
    expect(await written()).toEqual({ ...NOTHING, quotations: 1, starts: 1 })
  })
})

describe('an invalid object', () => {
  it('fails at boot if methods are missing', () => {
    expect(() => open({ lock: undefined, update: undefined } as object)).toThrow(
      'quotations lacks the methods update, lock.',
    )
  })

  it('is detected if its transaction does not call its function, or swallows its errors', async () => {
    const message = 'quotations.transaction must call `work`, and rethrow its errors.'
    await expect(start(open({ transaction: async () => {} }))).rejects.toThrow(message)
    const swallowing: HostQuotations['transaction'] = (work) =>
      sql.begin((tx) => work(tx)).catch(() => undefined)
    await expect(start(open({ transaction: swallowing, insert: fails }))).rejects.toThrow(message)
  })

  it.each<[string, HostQuotations['transaction']]>([
    [
      'throws at once',
      () => {
        throw new Error('no connection')
      },
    ],
    ['never begins', () => new Promise(() => {})],
    [
      'never ends',
      async (work) => {
        await sql.begin(async (transaction) => work(transaction))
        await new Promise(() => {})
      },
    ],
  ])('is a 503 when the transaction of the host %s', async (_, transaction) => {
    const failing = open({ transaction }, { hookTimeoutMs: 200 })
    await expect(start(failing)).rejects.toEqual(unavailable)
    expect(errors().at(-1)?.hook).toBe('quotations.transaction')
  })

  it('a transaction of the host that begins after the timeout does nothing', async () => {
    let late: Promise<unknown> | undefined
    const failing = open(
      {
        transaction: (work) => {
          late = sleep(400).then(() => sql.begin(async (transaction) => work(transaction)))
          late.catch(() => {})
          return late
        },
      },
      { hookTimeoutMs: 100 },
    )
    await expect(start(failing)).rejects.toEqual(unavailable)
    await expect(late).rejects.toThrow('too late')
    expect(await sql`select from host.quotations`).toHaveLength(0)
  })

  it('is a 503 if no transaction is available', async () => {
    await expect(start(open({ transaction: fails }))).rejects.toEqual(unavailable)
  })
})

describe('a quotation that is erased', () => {
  const bytesOf = (text: string) => Readable.from([Buffer.from(text)])

  async function startWithFile(from: Integrations) {
    const file = { organizationId: ACME, index: 0, name: 'a.txt', bytes: bytesOf('Erase me.') }
    const received = await from.requirementsFiles.receive(file)
    const quote = { organizationId: ACME, source: 'ui' as const, body: BODY, files: [received] }
    return { id: (await from.quotations.start(quote)).quotation_id, fileId: received.id }
  }

  const chunksOf = (fileId: string) => sql`select 1 from quickquote.file_chunks where file_id = ${fileId}`

  it("is removed from the host's tables, with its files, its order and the bodies of its events", async () => {
    const { id, fileId } = await startWithFile(integrations)
    await integrations.pipeline(id).stepCompleted('requirement_analysis')
    await sql`insert into host.documents (quotation_id, organization_id, content) values (${id}, ${ACME}, '')`
    expect(await chunksOf(fileId)).toHaveLength(1)

    expect(await integrations.quotations.erase(ACME, id)).toEqual({
      quotation_id: id,
      events: 1,
      deliveries: 1,
      attempts: 0,
      files: 1,
      left_to_host: [],
    })

    expect(await written()).toMatchObject({ quotations: 0, steps: 0, starts: 0 })
    expect(await sql`select from host.documents where quotation_id = ${id}`).toHaveLength(0)
    expect(await chunksOf(fileId)).toEqual([])
    expect(await sql`select body from quickquote.events where quotation_id = ${id}`).toEqual([
      { body: '[erased]' },
    ])
    expect(await integrations.quotations.erase(ACME, id)).toMatchObject({ events: 0, left_to_host: [] })
  })

  it('is left to a host without a method for it, while all our data is removed', async () => {
    const without = open({ erase: undefined } as object)
    const { id } = await startWithFile(without)
    const left_to_host = ['quotations', 'files']
    expect(await without.quotations.erase(ACME, id)).toMatchObject({ left_to_host })
    expect(await without.quotations.erase(ACME, id)).toMatchObject({ left_to_host })
    expect(await written()).toMatchObject({ quotations: 1, starts: 0 })
    const { items } = await without.auditLog.list(adminOf(ACME), { resource_id: id })
    expect(items).toMatchObject([{ action: 'quotation.erased', resource_name: '[erased]' }])
  })

  it('is unchanged if the host cannot erase it', async () => {
    const { id } = await startWithFile(integrations)
    const broken = open({ erase: () => Promise.reject(new Error('The table is locked.')) })
    await expect(broken.quotations.erase(ACME, id)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(await written()).toMatchObject({ quotations: 1, starts: 1 })
    await expect(integrations.quotations.erase(GLOBEX, id)).rejects.toMatchObject({
      code: 'OTHER_ORGANIZATION',
    })
  })
})

describe('an organization that is erased', () => {
  const eraseAll = async (from: Integrations) => {
    await from.organizations.erase(LEAVER)
    while (await from.continueErasing()) {}
    return from.organizations.erasure(LEAVER)
  }

  it("is removed from the host's tables too, and others stay", async () => {
    const ids = [await start(integrations, LEAVER), await start(integrations, LEAVER)]
    const other = await start(integrations, GLOBEX)
    await integrations.pipeline(ids[0] ?? '').stepCompleted('requirement_analysis')
    expect(await eraseAll(integrations)).toMatchObject({
      status: 'erased',
      removed: { host_quotations: 2, pipeline_starts: 2, events: 1 },
      left_to_host: [],
    })
    expect(await sql`select id from host.quotations`).toEqual([{ id: other }])
    expect(await sql`select quotation_id from quickquote.pipeline_starts`).toEqual([{ quotation_id: other }])
  })

  it('is not erased further while an erase by the host deletes nothing', async () => {
    const idle = open({ erase: async () => [] })
    const id = await start(idle, LEAVER)
    await expect(eraseAll(idle)).rejects.toThrow(`quotations.list still returns ${id}`)
    expect(await idle.organizations.erasure(LEAVER)).toMatchObject({ status: 'erasing' })
    // As if the pause after the error were over.
    await sql`update quickquote.erased_organizations set due_at = now()`
    expect(await eraseAll(integrations)).toMatchObject({ status: 'erased', left_to_host: [] })
  })

  it('has all its quotations counted, also those erased before an erase by the host failed', async () => {
    await start(integrations, LEAVER)
    await start(integrations, LEAVER)
    const own = hostQuotations(sql) as HostQuotations
    let calls = 0
    const failing = open({
      erase: async (...which) => {
        calls += 1
        return calls === 2 ? fails() : ((await own.erase?.(...which)) ?? [])
      },
    })
    await expect(eraseAll(failing)).rejects.toEqual(unavailable)
    // As if the pause after the error were over.
    await sql`update quickquote.erased_organizations set due_at = now()`
    expect(await eraseAll(integrations)).toMatchObject({ removed: { host_quotations: 2 } })
  })

  it('is left to a host without the methods for it, which is notified', async () => {
    const without = open({ erase: undefined } as object)
    await start(without, LEAVER)
    expect(await eraseAll(without)).toMatchObject({ left_to_host: ['quotations', 'files'] })
    expect(await written()).toMatchObject({ quotations: 1, starts: 0 })
  })
})

it("a file of a host's quotation is never removed as unused, however old", async () => {
  const file = {
    organizationId: ACME,
    index: 0,
    name: 'a.txt',
    bytes: Readable.from([Buffer.from('Keep me.')]),
  }
  const received = await integrations.requirementsFiles.receive(file)
  await integrations.quotations.start({ organizationId: ACME, source: 'ui', body: BODY, files: [received] })
  await integrations.requirementsFiles.deleteAbandoned(new Date(Date.now() + 60 * 60 * 1000))
  const kept = await buffer(integrations.requirementsFiles.read({ id: received.id, organization_id: ACME }))
  expect(kept.toString()).toBe('Keep me.')
})
