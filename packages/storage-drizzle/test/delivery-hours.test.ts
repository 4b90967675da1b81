import { randomUUID } from 'node:crypto'
import type { PageRequest } from '@quickquote/core'
import type { AttemptFilter, StoredWebhookEndpoint } from '@quickquote/core/internal'
import { lockWaiters } from '@quickquote/dev-servers/vitest'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { claimOf, type Outbox, openOutbox, succeeded } from './support/delivery-samples.ts'
import { ANY_ATTEMPT } from './support/samples.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let outbox: Outbox
let endpoint: StoredWebhookEndpoint
/** The beginning of the last hour that may be counted by now. */
let counted: number

beforeEach(async () => {
  outbox = await openOutbox(onTestFinished)
  endpoint = await outbox.insertEndpoint()
  const [row] = await outbox.sql<{ now: Date }[]>`select now()`
  counted = Math.floor(((row?.now.getTime() ?? 0) - 5 * MINUTE_MS) / HOUR_MS) * HOUR_MS - HOUR_MS
})
interface Fields {
  readonly of?: StoredWebhookEndpoint
  readonly status?: string
  readonly isTest?: boolean
  readonly type?: string
}

async function attempt(
  at: number,
  { of = endpoint, status = 'succeeded', isTest = false, type = 'quotation.failed' }: Fields = {},
) {
  await outbox.sql`
    insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
      attempt, status, is_test, created_at)
    values (${randomUUID()}, ${randomUUID()}, ${of.organization_id}, ${of.id}, ${randomUUID()}, ${type},
      1, ${status}, ${isTest}, ${new Date(at)})`
}

const countHours = () => outbox.storage.retention.countHours()

/** The succeeded and failed attempts of hours (0: the last one that may be counted). */
async function read(
  from: number,
  until: number,
  { of = endpoint, one = true }: { of?: StoredWebhookEndpoint; one?: boolean } = {},
) {
  const hours = await outbox.storage.deliveryLog.countByHour(of.organization_id, {
    endpoint_id: one ? of.id : null,
    since: new Date(from),
    until: new Date(until),
  })
  return hours.map(({ hour, delivered, failed }) => [(hour.getTime() - counted) / HOUR_MS, delivered, failed])
}

/** Counts the hours up to then. Later attempts are read directly. */
const rows = () =>
  outbox.sql<{ delivered: number; failed: number }[]>`
    select delivered, failed from quickquote.delivery_hours where hour <= ${new Date(counted)}
    order by endpoint_id, hour`

/** The attempts of each hour after which nothing more was tried. */
async function givenUp() {
  const range = { since: new Date(counted - DAY_MS), until: new Date(counted + DAY_MS) }
  const { organization_id, id: endpoint_id } = endpoint
  const hours = await outbox.storage.deliveryLog.countByHour(organization_id, { endpoint_id, ...range })
  return hours.map(({ given_up }) => given_up)
}

const ever = () => read(counted - DAY_MS, counted + DAY_MS)

describe('Attempts by the hour', () => {
  it('are the same before and after counting, to the millisecond at the edges of an hour', async () => {
    await attempt(counted - 1)
    await attempt(counted)
    await attempt(counted, { status: 'failed' })
    await attempt(counted + HOUR_MS - 1, { status: 'exhausted' })
    await attempt(counted + HOUR_MS)
    await attempt(counted, { isTest: true })
    const expected = [
      [-1, 1, 0],
      [0, 1, 2],
      [1, 1, 0],
    ]
    await outbox.sql`truncate quickquote.delivery_hours`
    await outbox.sql`update quickquote.delivery_hours_counted set until = '-infinity'`
    expect(await ever()).toEqual(expected)
    expect(await givenUp()).toEqual([0, 1, 0])
    await countHours()
    expect(await rows()).toHaveLength(2)
    expect(await ever()).toEqual(expected)
    expect(await givenUp()).toEqual([0, 1, 0])
    // Recorded late, by the trigger.
    await attempt(counted, { status: 'rejected' })
    expect(await givenUp()).toEqual([0, 2, 0])
  })

  it('are limited to the requested time span, even within a counted hour', async () => {
    for (const minute of [0, 10, 50]) await attempt(counted + minute * MINUTE_MS)
    await attempt(counted + HOUR_MS)
    await countHours()
    const at = (minutes: number) => counted + minutes * MINUTE_MS
    expect(await read(at(0), at(60))).toEqual([[0, 3, 0]])
    expect(await read(at(10), at(50))).toEqual([[0, 1, 0]])
    expect(await read(at(1), at(55))).toEqual([[0, 2, 0]])
    expect(await read(at(10), at(61))).toEqual([
      [0, 2, 0],
      [1, 1, 0],
    ])
    expect(await read(at(-30), at(10))).toEqual([[0, 1, 0]])
    expect(await read(at(10), at(10))).toEqual([])
    expect(await read(at(50), at(10))).toEqual([])
  })

  it('are counted once, however many processes count and however often', async () => {
    await attempt(counted)
    await Promise.all(Array.from({ length: 5 }, countHours))
    await countHours()
    expect(await ever()).toEqual([[0, 1, 0]])
  })

  it('are counted by the quarter of an hour: the row of the current hour is used as far as it is counted', async () => {
    await countHours()
    const [row] = await outbox.sql<{ until: Date; now: Date }[]>`
      select until, now() from quickquote.delivery_hours_counted`
    const until = row?.until.getTime() ?? 0
    expect(until % (15 * MINUTE_MS)).toBe(0)
    expect((row?.now.getTime() ?? 0) - until).toBeLessThan(30 * MINUTE_MS)
    await attempt(until - 1)
    await attempt(until, { status: 'failed' })
    const sums = async () =>
      (await ever()).reduce(
        ([good = 0, bad = 0], [, delivered = 0, failed = 0]) => [good + delivered, bad + failed],
        [0, 0],
      )
    expect(await sums()).toEqual([1, 1])
    // The first one is read from the counts, the other from the attempts.
    await outbox.sql`truncate quickquote.delivery_attempts`
    expect(await sums()).toEqual([1, 0])
  })

  it.each([
    ['4 minutes 59.999 seconds', '14:00'],
    ['5 minutes', '14:15'],
  ])('are counted five minutes after the end of their quarter: after %s, up to %s', async (after, until) => {
    const at = (time: string) => `timestamptz '2026-03-01 ${time}Z'`
    await outbox.sql`update quickquote.delivery_hours_counted set until = '2026-03-01 13:00Z'`
    await outbox.sql.begin(async (transaction) => {
      // Replaces PostgreSQL's now() for this transaction.
      await transaction.unsafe(`create schema clock;
        create function clock.now() returns timestamptz language sql as $$
          select ${at('14:15')} + interval '${after}'
        $$;
        set local search_path = clock, pg_catalog;
        select quickquote.count_delivery_hours();`)
    })
    const [row] = await outbox.sql.unsafe(
      `select until = ${at(until)} as counted from quickquote.delivery_hours_counted`,
    )
    expect(row?.['counted']).toBe(true)
  })

  it('are counted on from where counting stopped', async () => {
    await countHours()
    await outbox.sql`update quickquote.delivery_hours_counted set until = date_trunc('hour', until) - interval '3 hours'`
    for (const hours of [0, 1, 2]) await attempt(counted - hours * HOUR_MS)
    expect(await rows()).toEqual([])
    await countHours()
    expect(await rows()).toHaveLength(3)
    expect(await ever()).toEqual([
      [-2, 1, 0],
      [-1, 1, 0],
      [0, 1, 0],
    ])
  })

  it('include all endpoints, deleted ones too, but no other organization', async () => {
    const sibling = await outbox.insertEndpoint({ organization_id: endpoint.organization_id })
    const other = await outbox.insertEndpoint()
    for (const of of [endpoint, sibling, other]) {
      await attempt(counted, { of })
      await attempt(counted + HOUR_MS, { of })
    }
    await attempt(counted, { of: sibling, status: 'rejected' })
    for (const done of [0, 1]) {
      expect(await read(counted, counted + DAY_MS, { one: false })).toEqual([
        [0, 2, 1],
        [1, 2, 0],
      ])
      expect(await read(counted, counted + DAY_MS, { of: sibling })).toEqual([
        [0, 1, 1],
        [1, 1, 0],
      ])
      const theirs = { ...other, organization_id: endpoint.organization_id }
      expect(await read(counted, counted + DAY_MS, { of: theirs })).toEqual([])
      await outbox.storage.webhookEndpoints
        .delete(sibling.organization_id, sibling.id, new Date())
        .catch(() => {
          // Deleted in the previous turn.
          expect(done).toBe(1)
        })
      await countHours()
    }
  })
})

describe('An attempt recorded after its hour was counted', () => {
  it('is added to the counts, however it is recorded', async () => {
    await countHours()
    await outbox.recordEvent(endpoint)
    const workerId = randomUUID()
    const { claimed } = await outbox.storage.deliveries.round(claimOf(workerId))
    const settled = claimed.map((delivery) => succeeded(delivery, { created_at: new Date(counted + 1) }))
    await outbox.storage.deliveries.round({ ...claimOf(workerId), settled })
    await attempt(counted, { status: 'interrupted' })
    await attempt(counted, { isTest: true })
    expect(await rows()).toEqual([{ delivered: 1, failed: 1 }])
    expect(await ever()).toEqual([[0, 1, 1]])
  })

  it('is added even if it is hardly older than a minute', async () => {
    const [row] = await outbox.sql<{ until: Date }[]>`
      update quickquote.delivery_hours_counted set until = now() - interval '61 seconds' returning until`
    const until = row?.until.getTime() ?? 0
    await attempt(until - 1)
    await attempt(until, { status: 'failed' })
    expect(await outbox.sql`select delivered, failed from quickquote.delivery_hours`).toEqual([
      { delivered: 1, failed: 0 },
    ])
  })

  it('waits for a process that is counting, and is counted exactly once', async () => {
    await attempt(counted)
    let late: Promise<void> | undefined
    await outbox.sql.begin(async (counting) => {
      await counting`select quickquote.count_delivery_hours()`
      late = attempt(counted, { status: 'failed' })
      await expect.poll(() => lockWaiters(outbox.sql)).toBe(1)
    })
    await late
    expect(await ever()).toEqual([[0, 1, 1]])
    await countHours()
    expect(await ever()).toEqual([[0, 1, 1]])
  })

  it('is left for counting if its hour is not counted yet', async () => {
    await outbox.sql`update quickquote.delivery_hours_counted set until = '-infinity'`
    await attempt(counted)
    expect(await rows()).toEqual([])
    await countHours()
    expect(await ever()).toEqual([[0, 1, 0]])
  })

  it('costs no lock if recorded in time', async () => {
    await outbox.sql.begin(async (holder) => {
      await holder`lock table quickquote.delivery_hours_counted in access exclusive mode`
      await attempt(Date.now())
    })
  })
})

describe('The log of one type', () => {
  const RARE = 'quotation.completed'

  /** The times of its pages, one after the other. */
  async function pages(filter: Partial<AttemptFilter> = {}, limit = 2): Promise<number[][]> {
    const found: number[][] = []
    for (let after: PageRequest['after'] = null; ; ) {
      const wanted = { ...ANY_ATTEMPT, event_type: RARE, ...filter }
      const { items, reached } = await outbox.storage.deliveryLog.listAttempts(
        endpoint.organization_id,
        wanted,
        { after, limit },
      )
      found.push(items.map(({ created_at }) => created_at.getTime() - counted))
      after = items.length === limit ? (items.at(-1) ?? null) : reached
      if (after === null) return found
    }
  }

  it('is complete across what is counted and what is not, late attempts and tests included', async () => {
    const hours = [-50, -49, -3, 0]
    for (const hour of hours) await attempt(counted + hour * HOUR_MS, { type: RARE })
    for (let minute = 0; minute < 20; minute += 1) await attempt(counted - minute * MINUTE_MS)
    await countHours()
    const [row] = await outbox.sql<{ until: Date }[]>`select until from quickquote.delivery_hours_counted`
    const until = (row?.until.getTime() ?? 0) - counted
    // Late, at the boundary, and later.
    await attempt(counted + 30 * MINUTE_MS, { type: RARE, isTest: true })
    for (const at of [until - 1, until, until + 1]) await attempt(counted + at, { type: RARE })
    const expected = [
      until + 1,
      until,
      until - 1,
      30 * MINUTE_MS,
      ...hours.map((hour) => hour * HOUR_MS).reverse(),
    ]

    for (const limit of [1, 2, 3, 100]) expect((await pages({}, limit)).flat()).toEqual(expected)
    const since = new Date(counted - 4 * HOUR_MS)
    expect((await pages({ since })).flat()).toEqual(expected.slice(0, 6))
    expect((await pages({ until: since })).flat()).toEqual(expected.slice(6))
    expect((await pages({ since: new Date(counted + until) })).flat()).toEqual(expected.slice(0, 2))
  })

  it('is one empty page if the type has never occurred', async () => {
    for (let minute = 0; minute < 5; minute += 1) await attempt(counted - minute * MINUTE_MS)
    expect(await pages()).toEqual([[]])
    await countHours()
    expect(await pages()).toEqual([[]])
  })

  it('does not show the types of another organization', async () => {
    const other = await outbox.insertEndpoint()
    await attempt(counted, { of: other, type: RARE })
    await countHours()
    expect(await outbox.sql`select organization_id, event_type from quickquote.attempt_types`).toEqual([
      { organization_id: other.organization_id, event_type: RARE },
    ])
    expect(await pages()).toEqual([[]])
  })
})

it('is deleted from the counts together with the history, not before', async () => {
  const midnight = new Date(new Date(counted).toISOString().slice(0, 10)).getTime()
  const before = new Date(midnight - 30 * DAY_MS)
  for (const at of [before.getTime() - 1, before.getTime(), counted]) await attempt(at)
  await countHours()
  await outbox.storage.retention.removeHistory(before)
  expect(await rows()).toHaveLength(2)
  expect(await read(before.getTime() - DAY_MS, before.getTime() + HOUR_MS)).toHaveLength(1)

  // The owner's floor does not release them either.
  await outbox.storage.retention.removeHistory(new Date(midnight + DAY_MS))
  expect(await rows()).toHaveLength(1)
})
