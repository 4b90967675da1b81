import { randomUUID } from 'node:crypto'
import type { HostQuotation, HostQuotations } from '@quickquote/core'
import { adminOf } from '@quickquote/dev-servers/host'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Host, ORGANIZATION, openHost } from './support/host.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let host: Host

beforeEach(async () => {
  host = await openHost()
})

/** Moves all times of a quotation into the past. */
const ageQuotation = (id: string, ms: number) =>
  host.sql`update quickquote.quotations set updated_at = now() - ${`${ms} milliseconds`}::interval where id = ${id}`

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const receive = (name: string) =>
  host.integrations.requirementsFiles.receive({
    organizationId: ORGANIZATION,
    index: 0,
    name,
    bytes: bytesOf('A roof.'),
  })

it('a run that reports nothing for 24 hours fails with PIPELINE_TIMEOUT, and quotation.failed is sent', async () => {
  const [silent, heard, ended] = [await host.finishStep(), await host.finishStep(), await host.finishStep()]
  await host.integrations.pipeline(ended).failed({ errorCode: 'MODEL_DOWN' })
  await ageQuotation(silent, DAY_MS + 1000)
  await ageQuotation(heard, DAY_MS - 60_000)
  await ageQuotation(ended, DAY_MS + 1000)

  await host.createWorker().start()

  const get = (id: string) => host.integrations.quotations.get(ORGANIZATION, id)
  await expect.poll(() => get(silent)).toMatchObject({ status: 'failed', error_code: 'PIPELINE_TIMEOUT' })
  expect(await get(heard)).toMatchObject({ status: 'running' })
  expect(await get(ended)).toMatchObject({ error_code: 'MODEL_DOWN' })
  expect(
    await host.sql`select quotation_id from quickquote.events where type = 'quotation.failed' and quotation_id = ${silent}`,
  ).toHaveLength(1)
})

it('only files uploaded an hour ago that belong to no quote are removed', async () => {
  const [abandoned, fresh, taken] = [await receive('a.txt'), await receive('b.txt'), await receive('c.txt')]
  await host.integrations.quotations.start({
    organizationId: ORGANIZATION,
    source: 'ui',
    body: {},
    files: [taken],
  })
  await host.sql`update quickquote.uploads set created_at = now() - interval '61 minutes' where id = ${abandoned.id}`

  await host.createWorker().start()

  const files = () => host.sql`select distinct file_id from quickquote.file_chunks order by 1`
  await expect.poll(files).toEqual([fresh.id, taken.id].sort().map((file_id) => ({ file_id })))
})

it('idempotency keys are removed after 24 hours', async () => {
  for (const [key, hours] of [
    ['old', 25],
    ['new', 23],
  ] as const) {
    const id = await host.startQuote()
    await host.sql`insert into quickquote.idempotency_keys (organization_id, key, request_hash, quotation_id, created_at)
      values (${randomUUID()}, ${key}, '', ${id}, now() - ${hours}::int * interval '1 hour')`
  }

  await host.createWorker().start()

  await expect.poll(() => host.sql`select key from quickquote.idempotency_keys`).toEqual([{ key: 'new' }])
})

it('the pipeline reads the files of its quote as uploaded', async () => {
  await host.close()
  const contents: string[] = []
  host = await openHost({
    pipeline: {
      async start(quote, { readFile }) {
        for (const file of quote.files) {
          const chunks: Uint8Array[] = []
          for await (const chunk of readFile(file)) chunks.push(chunk)
          contents.push(`${file.name} ${file.type} ${file.size}: ${Buffer.concat(chunks)}`)
        }
      },
    },
  })
  const file = await receive('roof.md')
  await host.integrations.quotations.start({
    organizationId: ORGANIZATION,
    source: 'ui',
    body: {},
    files: [file],
  })

  await host.createWorker().start()

  await expect.poll(() => contents).toEqual(['roof.md md 7: A roof.'])
})

describe('a failed step of housekeeping does not block the others', () => {
  const forgotten = () => host.sql`select key from quickquote.idempotency_keys`
  const insertOldKey = async () => {
    const id = await host.startQuote()
    await host.sql`insert into quickquote.idempotency_keys (organization_id, key, request_hash, quotation_id, created_at)
      values (${randomUUID()}, 'old', '', ${id}, now() - interval '25 hours')`
  }

  it('if it is retention, or a file that the store cannot delete', async () => {
    await host.close()
    let deletes = 0
    host = await openHost({
      files: {
        async put() {},
        async *get() {},
        async delete() {
          deletes += 1
          throw new Error('The bucket is gone.')
        },
      },
    })
    await insertOldKey()
    await host.sql`insert into quickquote.uploads (id, organization_id, created_at)
      values (${randomUUID()}, ${ORGANIZATION}, now() - interval '2 hours')`
    await host.sql`alter table quickquote.audit_log rename to hidden`
    const worker = host.createWorker()

    await worker.start()

    await expect.poll(forgotten).toEqual([])
    await expect.poll(() => deletes).toBeGreaterThan(0)
    const failures = () => host.logs.filter(({ level }) => level === 'error').map(({ message }) => message)
    await expect
      .poll(failures)
      .toEqual([
        'expired data cannot be removed; trying again',
        'abandoned files cannot be removed; trying again',
      ])
    expect(worker.health().ready).toBe(true)

    await host.sql`alter table quickquote.hidden rename to audit_log`
    await expect
      .poll(() => host.logs.map(({ message }) => message))
      .toContain('expired data cannot be removed: recovered')
  })

  it('if it is a run of the host that cannot be failed: neither other runs nor later steps', async () => {
    await host.close()
    const ids = Array.from({ length: 250 }, (): string => randomUUID())
    const broken = new Set(ids.slice(0, 220))
    const failed = new Set<string>()
    const at = new Date()
    const find = (id: string): HostQuotation => ({
      id,
      organization_id: ORGANIZATION,
      name: 'A roof',
      description: '',
      source: 'ui',
      config_id: null,
      status: failed.has(id) ? 'failed' : 'running',
      processed_step: 'none',
      error_code: null,
      created_at: at,
      updated_at: at,
      steps: [],
      proposal: null,
    })
    const quotations: HostQuotations = {
      transaction: (work) => host.sql.begin((transaction) => work(transaction)),
      insert: async () => {},
      async update({ quotation_id }) {
        if (broken.has(quotation_id)) throw new Error('The table is read-only.')
        failed.add(quotation_id)
      },
      find: async (wanted) => wanted.map(find),
      lock: async (id) => find(id),
      findByProposal: async () => null,
      findStalled: async (_, limit) => ids.filter((id) => !failed.has(id)).slice(0, limit),
    }
    host = await openHost({ quotations })
    await host.sql`insert into quickquote.idempotency_keys (organization_id, key, request_hash, quotation_id, created_at)
      values (${randomUUID()}, 'old', '', ${randomUUID()}, now() - interval '25 hours')`

    await host.createWorker().start()

    await expect.poll(() => failed.size).toBe(30)
    await expect.poll(forgotten).toEqual([])
  })

  it('if it hangs: the others start without it, and it is not started twice', async () => {
    await host.close()
    let calls = 0
    host = await openHost({
      hookTimeoutMs: 120_000,
      onEndpointDisabled() {
        calls += 1
        return new Promise(() => {})
      },
    })
    const { id } = await host.createEndpoint('https://receiver.example/')
    await host.sql`insert into quickquote.endpoint_health (endpoint_id, failing_since)
      values (${id}, now() - interval '6 days')`
    await insertOldKey()

    await host.createWorker().start()

    await expect.poll(() => calls).toBe(1)
    expect(await forgotten()).toHaveLength(1)
    // The others wait 20 seconds for it.
    await expect.poll(forgotten, { timeout: 60_000 }).toEqual([])
    expect(calls).toBe(1)
  })
})

describe('expired data', () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)
  /** An id as created then, among the lowest of that millisecond. */
  const idAt = (moment: Date) => {
    const time = moment.getTime().toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
  }

  it('is removed by any worker, and nothing else is', async () => {
    const { sql, integrations } = host
    const endpoint = await host.createEndpoint('https://receiver.example/')
    const [old, kept] = [daysAgo(32), daysAgo(29)]
    for (const at of [old, kept]) {
      const id = idAt(at)
      await sql`
        insert into quickquote.events (id, organization_id, type, body, created_at)
        values (${id}, ${ORGANIZATION}, 'quotation.completed', '{}', ${at})`
      await sql`
        insert into quickquote.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at, parked_at)
        values (${idAt(at)}, ${ORGANIZATION}, ${endpoint.id}, ${id}, ${at}, ${at}, ${at})`
      await sql`
        insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
          attempt, status, is_test, created_at)
        values (${idAt(at)}, ${idAt(at)}, ${ORGANIZATION}, ${endpoint.id}, ${id}, 'quotation.completed', 1, 'failed', false,
          ${at})`
    }
    for (const at of [daysAgo(402), daysAgo(399)]) {
      await integrations.storage.auditLog.record({
        id: idAt(at),
        organization_id: ORGANIZATION,
        actor_id: null,
        client_address: null,
        action: 'webhook_endpoint.updated',
        resource_type: 'webhook_endpoint',
        resource_id: endpoint.id,
        resource_name: '',
        changes: [],
        created_at: at,
      })
    }
    const left = async () => {
      const [row] = await sql`
        select (select count(*)::int from quickquote.events) as events,
          (select count(*)::int from quickquote.delivery_attempts) as attempts,
          (select count(*)::int from quickquote.deliveries) as deliveries,
          (select count(*)::int from quickquote.audit_log where changes = '[]') as audit_entries`
      return row
    }
    expect(await left()).toEqual({ events: 2, attempts: 2, deliveries: 2, audit_entries: 2 })

    await Promise.all([1, 2, 3].map(() => host.createWorker().start()))

    await expect.poll(left).toEqual({ events: 1, attempts: 1, deliveries: 1, audit_entries: 1 })
    const removed = { events: 1, attempts: 1, parked_deliveries: 1, audit_entries: 1, files: 0 }
    const sumOf = (name: keyof typeof removed) =>
      host.logs
        .filter(({ message }) => message === 'removed expired data')
        .reduce((sum, { fields }) => sum + Number(fields[name]), 0)
    await expect
      .poll(() =>
        Object.fromEntries(Object.keys(removed).map((name) => [name, sumOf(name as keyof typeof removed)])),
      )
      .toEqual(removed)
    const member = adminOf(ORGANIZATION)
    expect((await integrations.deliveryLog.list(member)).items).toHaveLength(1)
  })

  it('includes the files of a quote that ended 30 days ago', async () => {
    const { sql, integrations } = host
    const [old, kept] = [await receive('a.txt'), await receive('b.txt')]
    for (const file of [old, kept]) {
      await integrations.quotations.start({
        organizationId: ORGANIZATION,
        source: 'ui',
        body: { name: file.name },
        files: [file],
      })
    }
    await sql`update quickquote.quotations set status = 'completed', updated_at = ${daysAgo(32)}, created_at = ${daysAgo(33)}
      where name = 'a.txt'`
    const made = idAt(daysAgo(33))
    await sql`update quickquote.quotation_files set id = ${made} where id = ${old.id}`
    await sql`update quickquote.file_chunks set file_id = ${made} where file_id = ${old.id}`

    await host.createWorker().start()

    await expect
      .poll(() => sql`select distinct file_id from quickquote.file_chunks`)
      .toEqual([{ file_id: kept.id }])
    expect(await sql`select id from quickquote.quotation_files`).toEqual([{ id: kept.id }])
    await expect.poll(() => sql`select id from quickquote.uploads`).toEqual([])
  })

  it('is kept as long as the host configures', async () => {
    await host.close()
    host = await openHost({ retention: { auditDays: 0, fileDays: 0, eventDays: 366 } })
    const { sql, integrations } = host
    const at = daysAgo(360)
    await sql`
      insert into quickquote.events (id, organization_id, type, body, created_at)
      values (${idAt(at)}, ${ORGANIZATION}, 'quotation.completed', '{}', ${at})`
    await integrations.enforceRetention()
    expect(await sql`select id from quickquote.events`).toHaveLength(1)
  })
})
