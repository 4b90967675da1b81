import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { StoredWebhookEndpoint } from '@quickquote/core/internal'
import { lockWaiters } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { drizzleStorage } from '../src/index.ts'
import { claimOf, type Outbox, openOutbox, succeeded } from './support/delivery-samples.ts'
import { ANY_ATTEMPT, sampleAuditEntry, sampleQuotation } from './support/samples.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MIDNIGHT = Date.parse(new Date().toISOString().slice(0, 10))
/** Older rows are no longer kept. */
const BEFORE = new Date(MIDNIGHT - 30 * DAY_MS)
/** Not the time of this machine. */
const NOW = new Date(MIDNIGHT - DAY_MS)

let outbox: Outbox
let endpoint: StoredWebhookEndpoint

beforeEach(async () => {
  outbox = await openOutbox(onTestFinished)
  endpoint = await outbox.insertEndpoint()
})
/** The beginning of the day that many days ago. */
const daysAgo = (days: number) => new Date(MIDNIGHT - days * DAY_MS)

/** An id as created at that time. */
function idOf(moment: Date): string {
  const time = moment.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** An event from that time, with a waiting delivery. */
const happened = (at: Date) => outbox.recordEvent(endpoint, { id: idOf(at), created_at: at })

/** An event from that time, delivered at once. */
async function delivered(at: Date): Promise<void> {
  const { storage } = outbox
  await happened(at)
  const workerId = randomUUID()
  const { claimed } = await storage.deliveries.round(claimOf(workerId))
  const settled = claimed.map((delivery) => succeeded(delivery, { created_at: at }))
  await storage.deliveries.round({ ...claimOf(workerId), settled })
}

const deliveries = () =>
  outbox.sql<{ event_id: string; is_parked: boolean; leased_by: string | null }[]>`
    select event_id, parked_at is not null as is_parked, leased_by from quickquote.deliveries order by id`
const eventsLeft = () => outbox.sql`select id from quickquote.events order by created_at`

describe('removeHistory', () => {
  const remove = (storage = outbox.storage) => storage.retention.removeHistory(BEFORE)

  it('removes events and attempts from before that time, and no others', async () => {
    for (const at of [daysAgo(33), daysAgo(31), new Date(BEFORE.getTime() - 1), BEFORE, new Date()]) {
      await delivered(at)
    }

    expect(await remove()).toEqual({ events: 3, attempts: 3, isKept: false })

    expect(await eventsLeft()).toHaveLength(2)
    expect(await outbox.sql`select id from quickquote.delivery_attempts`).toHaveLength(2)
    expect(await remove()).toEqual({ events: 0, attempts: 0, isKept: false })
  })

  it('removes more than a batch, in short transactions', async () => {
    await outbox.sql`
      insert into quickquote.events (id, organization_id, type, body, created_at, feed_position)
      select gen_random_uuid(), gen_random_uuid(), 'quotation.completed', '{}', ${daysAgo(40)}, n
      from generate_series(1, 2500) n`
    await outbox.sql`select setval('quickquote.feed_positions', 2500)`
    expect(await remove()).toEqual({ events: 2500, attempts: 0, isKept: false })
    expect(await outbox.sql`select xmin from quickquote.feed_floors group by 1`).toHaveLength(3)
  })

  it('neither waits for a transaction that reads history nor blocks it', async () => {
    await delivered(daysAgo(31))
    const reader = await outbox.sql.reserve()
    await reader`begin isolation level repeatable read`
    await reader`select count(*) from quickquote.events`

    expect(await remove()).toMatchObject({ events: 1, attempts: 1 })

    expect(await reader`select id from quickquote.events`).toHaveLength(1)
    await reader`commit`
    reader.release()
  })

  it('works in ten processes at once, while events are recorded', async () => {
    for (let n = 0; n < 20; n += 1) await delivered(daysAgo(31))
    const storages = Array.from({ length: 10 }, () => outbox.anotherStorage())

    const [results] = await Promise.all([
      Promise.all(storages.map((storage) => remove(storage))),
      Promise.all(Array.from({ length: 50 }, () => happened(new Date()))),
    ])
    const last = await remove()

    expect([...results, last].reduce((sum, { events }) => sum + events, 0)).toBe(20)
    expect(await eventsLeft()).toHaveLength(50)
  })

  /** Like a resend that is not committed yet: others do not see its delivery. */
  async function resend(eventId: string) {
    const connection = await outbox.sql.reserve()
    await connection`begin`
    const [row] = await connection`select quickquote.keep_event(${eventId}) as is_kept`
    await connection`
      insert into quickquote.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at)
      select ${idOf(daysAgo(31))}, organization_id, ${endpoint.id}, id, created_at, now() from quickquote.events
      where id = ${eventId} and ${row?.['is_kept']}`
    return {
      async commit() {
        await connection`commit`
        connection.release()
      },
    }
  }

  it('keeps an event while a delivery needs it', async () => {
    const event = await happened(daysAgo(31))
    expect(await remove()).toEqual({ events: 0, attempts: 0, isKept: false })

    const { claimed } = await outbox.storage.deliveries.round(claimOf(randomUUID()))
    expect(claimed).toMatchObject([{ event_id: event.id, body: event.body }])
  })

  it('keeps an event that is just being resent, whose delivery nobody sees yet', async () => {
    const event = await happened(daysAgo(31))
    await outbox.sql`delete from quickquote.deliveries`
    const resending = await resend(event.id)
    expect(await remove()).toMatchObject({ events: 0 })
    await resending.commit()
    expect(await remove()).toMatchObject({ events: 0 })

    const { claimed } = await outbox.storage.deliveries.round(claimOf(randomUUID()))
    expect(claimed).toMatchObject([{ event_id: event.id, body: event.body }])
  })

  it('comes first, and then nothing is resent', async () => {
    await delivered(daysAgo(31))
    const [delivery] = await outbox.sql<{ id: string; event_id: string; endpoint_id: string }[]>`
      select delivery_id as id, event_id, endpoint_id from quickquote.delivery_attempts`
    assert(delivery !== undefined)
    const { resending } = await outbox.sql.begin(async (transaction) => {
      await transaction`select quickquote.remove_expired_rows('events', ${BEFORE}, 10)`
      const { deliveryLog } = outbox.anotherStorage()
      const resending = deliveryLog.resend(endpoint.organization_id, delivery, new Date())
      await expect.poll(() => lockWaiters(outbox.sql)).toBe(1)
      return { resending }
    })
    expect(await resending).toBeNull()
    expect(await deliveries()).toEqual([])
  })

  it.each(['America/New_York', 'Asia/Kolkata'])(
    'does the same in a session of %s that prints times in words',
    async (zone) => {
      for (const at of [new Date(BEFORE.getTime() - 1), BEFORE]) await delivered(at)
      const url = new URL(outbox.url)
      url.searchParams.set('options', `-c TimeZone=${zone} -c DateStyle=SQL,DMY`)
      const client = postgres(url.href, { max: 1, onnotice() {} })
      expect(await remove(drizzleStorage({ sql: client }))).toMatchObject({ events: 1, attempts: 1 })
      await client.end()
    },
  )
})

describe('expireDeliveries', () => {
  it('removes deliveries of old events in batches, parked or not, except those in flight', async () => {
    const { storage, sql } = outbox
    const sent = await happened(daysAgo(40))
    const workerId = randomUUID()
    const { claimed } = await storage.deliveries.round(claimOf(workerId))
    for (const days of [39, 38, 37]) await happened(daysAgo(days))
    await sql`update quickquote.deliveries set parked_at = now() where event_id <> ${sent.id}`
    await happened(daysAgo(31))
    const kept = [await happened(BEFORE), await happened(new Date())]

    expect(await storage.retention.expireDeliveries(BEFORE, 2, NOW)).toEqual({ parked: 2, pending: 0 })
    expect(await storage.retention.expireDeliveries(BEFORE, 2, NOW)).toEqual({ parked: 1, pending: 1 })
    expect(await storage.retention.expireDeliveries(BEFORE, 2, NOW)).toEqual({ parked: 0, pending: 0 })
    expect((await deliveries()).map(({ event_id }) => event_id)).toEqual([sent, ...kept].map(({ id }) => id))

    // Its outcome counts, and it leaves nothing behind.
    const settled = claimed.map((delivery) => succeeded(delivery))
    await storage.deliveries.round({ ...claimOf(workerId), limit: 0, settled })
    expect(await sql`select status from quickquote.delivery_attempts`).toEqual([{ status: 'succeeded' }])
    expect(await deliveries()).toHaveLength(2)
  })

  it('removes each delivery once when several processes run it', async () => {
    const at = daysAgo(31)
    await Promise.all(Array.from({ length: 40 }, () => happened(at)))
    const storages = [outbox.storage, outbox.anotherStorage(), outbox.anotherStorage()]
    const removed = await Promise.all(
      storages.map((storage) => storage.retention.expireDeliveries(BEFORE, 1000, NOW)),
    )
    expect(removed.reduce((sum, { pending }) => sum + pending, 0)).toBe(40)
  })

  it('makes deliveries due at `now` that waited for a removed one of their quotation', async () => {
    const { storage, sql } = outbox
    endpoint = await outbox.insertEndpoint({ ordering: 'quotation' })
    const quotation_id = randomUUID()
    for (const at of [daysAgo(31), daysAgo(2)]) {
      await outbox.recordEvent(endpoint, { id: idOf(at), created_at: at, quotation_id })
    }
    await sql`update quickquote.deliveries set due_at = 'infinity' where sequence = 2`

    expect(await storage.retention.expireDeliveries(BEFORE, 1000, NOW)).toEqual({ parked: 0, pending: 1 })

    expect(await sql`select due_at from quickquote.deliveries`).toEqual([{ due_at: NOW }])
  })
})

describe('removeStrayLeases', () => {
  it('removes leases without an event, which would count as in flight forever', async () => {
    const { storage, sql } = outbox
    const kept = await happened(new Date())
    const stray = await happened(new Date())
    const { claimed } = await storage.deliveries.round(claimOf(randomUUID()))
    expect(claimed).toHaveLength(2)
    // As if events were deleted by hand while the delivery is being sent.
    await sql`delete from quickquote.events where id = ${stray.id}`

    expect(await storage.retention.removeStrayLeases(new Date(Date.now() - 60_000))).toBe(0)
    expect(await storage.retention.removeStrayLeases(new Date(Date.now() + 1))).toBe(1)

    expect(await deliveries()).toMatchObject([{ event_id: kept.id }])
  })
})

describe('a finished delivery', () => {
  it.each(['succeeded', 'exhausted', 'rejected'] as const)(
    'leaves the outbox when its attempt is recorded (%s)',
    async (status) => {
      const { storage, sql } = outbox
      await happened(new Date())
      const workerId = randomUUID()
      const { claimed } = await storage.deliveries.round(claimOf(workerId))
      const settled = claimed.map((delivery) => succeeded(delivery, { status }))
      await storage.deliveries.round({ ...claimOf(workerId), settled })
      expect(await deliveries()).toEqual([])
      expect(await sql`select status from quickquote.delivery_attempts`).toEqual([{ status }])
    },
  )
})

describe('the delivery log', () => {
  it('is paginated over rows removed in between', async () => {
    const { storage, sql } = outbox
    for (const hours of [3, 2, 1]) await delivered(new Date(daysAgo(30).getTime() - hours * 60 * 60 * 1000))
    await delivered(daysAgo(30))
    await delivered(new Date())
    const list = async (after: { created_at: Date; id: string } | null) => {
      const page = { after, limit: 3 }
      return (await storage.deliveryLog.listAttempts(endpoint.organization_id, ANY_ATTEMPT, page)).items
    }
    const first = await list(null)
    expect(first.map(({ created_at }) => created_at < BEFORE)).toEqual([false, false, true])

    await storage.retention.removeHistory(BEFORE)

    const [, , last] = first
    expect(await list(last ?? null)).toEqual([])
    expect(await list(null)).toEqual(first.slice(0, 2))
    const gone = await storage.deliveryLog.find(endpoint.organization_id, last?.delivery_id ?? '')
    expect(gone).toBeNull()
    expect(await sql`select from quickquote.deliveries`).toEqual([])
  })

  it('refuses to resend a deleted event', async () => {
    await delivered(daysAgo(31))
    const [delivery] = await outbox.sql<{ id: string; event_id: string; endpoint_id: string }[]>`
      select delivery_id as id, event_id, endpoint_id from quickquote.delivery_attempts`
    await outbox.storage.retention.removeHistory(BEFORE)

    const resent = outbox.storage.deliveryLog.resend(
      endpoint.organization_id,
      delivery ?? { id: '', event_id: '', endpoint_id: '' },
      new Date(),
    )
    expect(await resent).toBeNull()
  })
})

describe('replays', () => {
  const order = (since: Date) => ({
    id: randomUUID(),
    endpoint_id: endpoint.id,
    since,
    until: new Date(),
    status: 'all' as const,
  })

  it('continue over events removed in between, and report how many events they examined', async () => {
    const { storage } = outbox
    for (const at of [daysAgo(31), daysAgo(31), daysAgo(30), new Date()]) await delivered(at)
    const replay = order(daysAgo(31))
    await storage.replays.insert(endpoint.organization_id, replay, new Date())
    expect(await storage.replays.advance(1, new Date())).toBe(true)

    expect(await storage.retention.expireDeliveries(BEFORE, 1000, NOW)).toEqual({ parked: 0, pending: 1 })
    expect(await storage.retention.removeHistory(BEFORE)).toMatchObject({ events: 2 })
    while (await storage.replays.advance(10, new Date()));

    expect(await storage.replays.find(endpoint.organization_id, endpoint.id, replay.id)).toMatchObject({
      state: 'completed',
      progress: { examined: 3, total: 4 },
      resent: 3,
    })
    const { claimed } = await storage.deliveries.round(claimOf(randomUUID()))
    expect(claimed).toHaveLength(2)
  })

  it('are removed long after they ended', async () => {
    const { storage, sql } = outbox
    const replay = order(daysAgo(1))
    await storage.replays.insert(endpoint.organization_id, replay, daysAgo(40))
    await storage.retention.forgetReplays(BEFORE)
    expect(await sql`select state from quickquote.replays`).toEqual([{ state: 'running' }])
    await storage.replays.advance(10, daysAgo(31))
    await storage.retention.forgetReplays(daysAgo(31))
    expect(await sql`select state from quickquote.replays`).toEqual([{ state: 'completed' }])
    await storage.retention.forgetReplays(BEFORE)
    expect(await sql`select state from quickquote.replays`).toEqual([])
  })
})

describe('removeAuditEntries', () => {
  it('removes the oldest, a batch at a time', async () => {
    const { storage, sql } = outbox
    const moments = [daysAgo(403), daysAgo(402), daysAgo(401), daysAgo(400), new Date()]
    for (const created_at of moments) {
      await storage.auditLog.record(sampleAuditEntry({ id: idOf(created_at), created_at }))
    }
    expect(await storage.retention.removeAuditEntries(daysAgo(400), 2)).toBe(2)
    expect(await storage.retention.removeAuditEntries(daysAgo(400), 2)).toBe(1)
    expect(await storage.retention.removeAuditEntries(daysAgo(400), 2)).toBe(0)
    const left = await sql`select created_at from quickquote.audit_log order by 1`
    expect(left.map((row) => row['created_at'])).toEqual(moments.slice(3))
  })
})

describe('abandonFilesOfEndedQuotations', () => {
  it('abandons only the files of quotes that ended before that time', async () => {
    const { storage, sql } = outbox
    async function accept(at: Date) {
      const file = { id: idOf(at), name: 'a.txt', type: 'txt' as const, size: 3 }
      const quotation = sampleQuotation({ created_at: at, files: [file] })
      await storage.uploads.record({ id: file.id, organization_id: quotation.organization_id }, at)
      await storage.quotations.accept(quotation, null)
      return { quotation, file }
    }
    const end = (id: string, status: string, at: Date) =>
      sql`update quickquote.quotations set status = ${status}, updated_at = ${at} where id = ${id}`
    const [completed, failed, late, running, fresh] = [
      await accept(daysAgo(40)),
      await accept(daysAgo(39)),
      await accept(daysAgo(38)),
      await accept(daysAgo(37)),
      await accept(new Date()),
    ]
    await end(completed.quotation.id, 'completed', daysAgo(31))
    await end(failed.quotation.id, 'failed', daysAgo(31))
    await end(late.quotation.id, 'completed', daysAgo(30))

    const now = new Date()
    expect(await storage.retention.abandonFilesOfEndedQuotations(BEFORE, 1, now)).toBe(1)
    expect(await storage.retention.abandonFilesOfEndedQuotations(BEFORE, 1, now)).toBe(1)
    expect(await storage.retention.abandonFilesOfEndedQuotations(BEFORE, 1, now)).toBe(0)

    const left = await sql`select id from quickquote.quotation_files order by id`
    expect(left.map((row) => row['id'])).toEqual([late, running, fresh].map(({ file }) => file.id))
    const given = await storage.uploads.abandonBefore(new Date(Date.now() - 60 * 60 * 1000), 10, now)
    expect(given).toEqual(
      [completed, failed].map(({ file, quotation }) => ({
        id: file.id,
        organization_id: quotation.organization_id,
      })),
    )
  })
})
