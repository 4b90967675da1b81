import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Source } from '@quickquote/core'
import type { FeedPosition } from '@quickquote/core/internal'
import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from './support/database.ts'
import { openExplained, rowsRead } from './support/explained.ts'
import { sampleEndpoint, sampleEvent, sampleSecrets } from './support/samples.ts'

const { url, sql, storage } = await openDatabase()
const DAY_MS = 24 * 60 * 60 * 1000
const MIDNIGHT = Date.parse(new Date().toISOString().slice(0, 10))
const ANY = { types: null, source: null as Source | null }

async function record(organization_id: string, fields: Parameters<typeof sampleEvent>[0] = {}) {
  const event = sampleEvent({ organization_id, ...fields })
  await storage.events.record(event)
  return event
}

/** The texts of a page. Bodies of this file are JSON strings. */
function bodiesOf({ count, json }: { count: number; json: string }): string[] {
  const events: unknown[] = JSON.parse(json)
  expect(events).toHaveLength(count)
  return events.map((event) => JSON.stringify(event))
}

/** Everything after a position, read page by page. */
async function readAll(organization: string, after: FeedPosition | null = null, limit = 100, filter = ANY) {
  const bodies: string[] = []
  for (let position = after; ; ) {
    const part = await storage.eventFeed.read(organization, position, filter, limit)
    if (part === null) throw new Error('expired')
    bodies.push(...bodiesOf(part))
    if (part.end.position === position?.position) return { bodies, end: part.end }
    position = part.end
  }
}

/** An open transaction of a host that has written an event of the organization. */
async function openWriter(organization_id: string, body: string) {
  const connection = postgres(url, { max: 1 })
  let end: (how: 'commit' | 'rollback') => void = () => {}
  let onWritten = () => {}
  const ending = new Promise<'commit' | 'rollback'>((resolve) => {
    end = resolve
  })
  const written = new Promise<void>((resolve) => {
    onWritten = resolve
  })
  const over = connection
    .begin(async (transaction) => {
      await storage.within(transaction).events.record(sampleEvent({ organization_id, body }))
      onWritten()
      if ((await ending) === 'rollback') throw new Error('rolled back')
    })
    .catch(() => undefined)
  onTestFinished(async () => {
    end('rollback')
    await over
    await connection.end()
  })
  await written
  return async (how: 'commit' | 'rollback') => {
    end(how)
    await over
  }
}

describe('The feed of an organization', () => {
  it('has its own events only, in the order of their positions, byte for byte', async () => {
    const [own, other] = [randomUUID(), randomUUID()]
    const events = []
    for (let count = 0; count < 5; count += 1) {
      events.push(await record(own))
      await record(other)
    }
    const { bodies, end } = await readAll(own, null, 2)
    expect(bodies).toEqual(events.map(({ body }) => body))
    expect(end.eventId).toBe(events.at(-1)?.id)
    expect(await storage.eventFeed.findEnd(own)).toEqual(end)
    expect((await readAll(own, end)).bodies).toEqual([])
    const [first] = events
    const position = await storage.eventFeed.findStart(own, first?.id ?? '')
    expect((await readAll(own, position)).bodies).toHaveLength(4)
    expect(await storage.eventFeed.findStart(other, first?.id ?? '')).toBeNull()
  })

  it('waits for a transaction that wrote an earlier event of the organization, and for no other', async () => {
    const [own, other] = [randomUUID(), randomUUID()]
    const end = await openWriter(own, '"early"')
    await openWriter(other, '"of another organization"')
    await record(own, { body: '"late"' })
    expect((await readAll(own)).bodies).toEqual([])
    expect(await storage.eventFeed.findEnd(own)).toEqual({ position: 0, eventId: null })
    await end('commit')
    expect((await readAll(own)).bodies).toEqual(['"early"', '"late"'])
  })

  it('continues after such a transaction is rolled back', async () => {
    const own = randomUUID()
    const end = await openWriter(own, '"never"')
    await record(own, { body: '"late"' })
    const { end: position } = await readAll(own)
    expect(position).toEqual({ position: 0, eventId: null })
    await end('rollback')
    expect((await readAll(own, position)).bodies).toEqual(['"late"'])
    expect((await readAll(own)).bodies).toEqual(['"late"'])
  })

  it('is read on after an event from before the oldest transaction that is still open', async () => {
    const own = randomUUID()
    const first = await record(own, { body: '"first"' })
    const endEarly = await openWriter(own, '"early"')
    const second = await record(own, { body: '"second"' })
    const endLater = await openWriter(own, '"later"')
    const last = await record(own, { body: '"last"' })
    const startAfter = ({ id }: { readonly id: string }) => storage.eventFeed.findStart(own, id)
    const [afterFirst, afterSecond, afterLast] = [
      await startAfter(first),
      await startAfter(second),
      await startAfter(last),
    ]
    expect([afterFirst?.eventId, afterSecond, afterLast]).toEqual([first.id, afterFirst, afterFirst])
    await endEarly('commit')
    const onceEarlyEnded = await startAfter(last)
    expect(onceEarlyEnded?.eventId).toBe(second.id)
    await endLater('commit')
    expect((await readAll(own, afterLast)).bodies).toEqual(['"early"', '"second"', '"later"', '"last"'])
    expect((await readAll(own, onceEarlyEnded)).bodies).toEqual(['"later"', '"last"'])
    expect((await readAll(own, await startAfter(last))).bodies).toEqual([])
  })

  it.each([
    ['shared, of a session', 'pg_advisory_lock_shared', 'commit'],
    ['shared, of an open transaction', 'pg_advisory_xact_lock_shared', 'select 1'],
    ['exclusive, of a session', 'pg_advisory_lock', 'commit'],
    ['exclusive, of an open transaction', 'pg_advisory_xact_lock', 'select 1'],
  ])('is not held up by a lock of the host with the key of a writer: %s', async (_, lock, next) => {
    const own = randomUUID()
    await record(own, { body: '"1"' })
    const host = postgres(url, { max: 1 })
    onTestFinished(() => host.end())
    await host.unsafe(`begin; create temporary table theirs (id int); insert into theirs values (1);
      select ${lock}(quickquote.feed_of('${own}') << 40 | last_value) from quickquote.feed_positions; ${next}`)
    await record(own, { body: '"2"' })
    await record(own, { body: '"3"' })
    expect((await readAll(own)).bodies).toEqual(['"1"', '"2"', '"3"'])
    expect(await storage.eventFeed.findOpenWriters()).toEqual([])
  })

  it('shows each event once to every reader, in whatever order transactions commit', async () => {
    const organizations = [randomUUID(), randomUUID()]
    const [transactions, writers] = [800, 24]
    const writing = postgres(url, { max: writers })
    onTestFinished(() => writing.end())
    const written = new Map<string, Set<string>>(organizations.map((each) => [each, new Set()]))
    let isWriting = true
    let next = 0

    async function write(): Promise<void> {
      while (next < transactions) {
        const number = next++
        const organization_id = organizations[number % 2] ?? ''
        const bodies = Array.from({ length: 1 + (number % 3) }, (_, index) => `"${number}/${index}"`)
        const rollsBack = number % 7 === 0
        await writing
          .begin(async (transaction) => {
            const { events } = storage.within(transaction)
            // Releases the lock, and the setting that lists it.
            await transaction
              .savepoint(async (nested) => {
                await storage.within(nested).events.record(sampleEvent({ organization_id, body: '"undone"' }))
                throw new Error('to the savepoint')
              })
              .catch(() => undefined)
            for (const body of bodies) await events.record(sampleEvent({ organization_id, body }))
            if (number % 5 === 0) await transaction`select pg_sleep(${(number % 40) / 1000})`
            if (rollsBack) throw new Error('rolled back')
          })
          .then(() => bodies.forEach((body) => void written.get(organization_id)?.add(body)))
          .catch((error: Error) => {
            if (error.message !== 'rolled back') throw error
          })
      }
    }

    async function read(organization: string, limit: number): Promise<string[]> {
      const seen: string[] = []
      for (let position: FeedPosition | null = null; ; ) {
        const isLast = !isWriting
        const part = await storage.eventFeed.read(organization, position, ANY, limit)
        if (part === null) throw new Error('expired')
        seen.push(...bodiesOf(part))
        position = part.end
        if (part.count > 0) continue
        if (isLast) return seen
        await sleep(5)
      }
    }

    const readers = organizations.flatMap((each) => [read(each, 1), read(each, 7), read(each, 100)])
    await Promise.all(Array.from({ length: writers }, write))
    isWriting = false
    const seen = await Promise.all(readers)
    for (const [index, organization] of organizations.entries()) {
      const [first, ...others] = seen.slice(index * 3, index * 3 + 3)
      const events = written.get(organization) ?? new Set()
      expect(new Set(first)).toEqual(events)
      expect(first).toHaveLength(events.size)
      for (const other of others) expect(other).toEqual(first)
    }
  })
})

describe('A position', () => {
  const daysAgo = (days: number) => new Date(MIDNIGHT - days * DAY_MS)
  const read = async (organization: string, after: FeedPosition | null) => {
    const part = await storage.eventFeed.read(organization, after, ANY, 100)
    return part === null ? 'expired' : bodiesOf(part)
  }
  const positionOf = async (organization: string, { id }: { readonly id: string }) =>
    (await storage.eventFeed.findStart(organization, id)) ?? expect.fail('not there')

  it('expires when retention removes a later event, not before', async () => {
    const [busy, quiet, late] = [randomUUID(), randomUUID(), randomUUID()]
    const old = { created_at: daysAgo(33) }
    const first = await positionOf(busy, await record(busy, old))
    const second = await positionOf(busy, await record(busy, old))
    const ofQuiet = await positionOf(quiet, await record(quiet, old))
    const ofLate = await positionOf(late, await record(late, { created_at: daysAgo(40) }))
    const lost = await positionOf(late, await record(late, { created_at: daysAgo(40) }))
    const kept = await record(busy, { body: '"kept"' })

    expect(await storage.retention.removeHistory(daysAgo(30))).toMatchObject({ events: 5 })
    expect(await read(busy, first)).toBe('expired')
    expect(await read(busy, second)).toEqual(['"kept"'])
    expect(await read(busy, null)).toEqual(['"kept"'])
    expect(await read(busy, await positionOf(busy, kept))).toEqual([])
    expect(await read(busy, { position: 0, eventId: null })).toBe('expired')
    expect(await read(quiet, ofQuiet)).toEqual([])
    expect(await read(quiet, null)).toEqual([])
    expect(await storage.eventFeed.findEnd(quiet)).toEqual({ ...ofQuiet, eventId: null })
    expect(await read(quiet, await storage.eventFeed.findEnd(quiet))).toEqual([])
    expect([await read(late, ofLate), await read(late, lost)]).toEqual(['expired', []])
  })

  it('does not expire if a delivery still needs the event', async () => {
    const own = randomUUID()
    const endpoint = sampleEndpoint({ organization_id: own, events: ['quotation.completed'] })
    await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
    const time = daysAgo(51).getTime().toString(16).padStart(12, '0')
    const id = `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
    await record(own, { id, created_at: daysAgo(51) })
    expect(await storage.retention.removeHistory(daysAgo(30))).toMatchObject({ events: 0 })
    expect(await read(own, { position: 0, eventId: null })).toHaveLength(1)
  })

  it('expires if a failover lost its event, even when another event has its position now', async () => {
    const own = randomUUID()
    const before = await positionOf(own, await record(own))
    const lost = await positionOf(own, await record(own))
    await sql`delete from quickquote.events where id = ${lost.eventId}`
    expect(await read(own, lost)).toBe('expired')
    await sql`select setval('quickquote.feed_positions', ${lost.position - 2})`
    const again = await positionOf(own, await record(own, { body: '"after the failover"' }))
    expect(again.position).toBe(lost.position)
    expect(await read(own, lost)).toBe('expired')
    expect(await read(own, before)).toEqual(['"after the failover"'])
  })
})

it('reading moves past events that a filter hides, and so does the end of the page', async () => {
  const own = randomUUID()
  const hidden = { type: 'quotation.failed', generation_source: 'ui' } as const
  await record(own, { body: '"first"' })
  await record(own, hidden)
  const last = await record(own, hidden)
  const read = (filter: object) => storage.eventFeed.read(own, null, { ...ANY, ...filter }, 100)
  for (const filter of [{ source: 'api_key' }, { types: ['quotation.completed'] }]) {
    expect(await read(filter)).toMatchObject({ json: '["first"]', end: { eventId: last.id } })
  }
  expect((await read({ source: 'ui', types: ['quotation.failed'] }))?.count).toBe(2)
  await sql`
    insert into quickquote.events (id, organization_id, type, generation_source, body, created_at, feed_position)
    select gen_random_uuid(), ${own}::uuid, 'quotation.failed', 'ui', 'x', now(), nextval('quickquote.feed_positions')
    from generate_series(1, 1500)`
  const visible = await record(own, { body: '"last"' })
  const first = await read({ source: 'api_key' })
  expect(first?.json).toBe('["first"]')
  const second = await storage.eventFeed.read(
    own,
    first?.end ?? null,
    { types: null, source: 'api_key' },
    100,
  )
  expect(second).toMatchObject({ json: '["last"]', end: { eventId: visible.id } })
})

it('an event at either side of the end of a page is read once', async () => {
  const own = randomUUID()
  const hide = (count: number) => sql`
    insert into quickquote.events (id, organization_id, type, generation_source, body, created_at, feed_position)
    select gen_random_uuid(), ${own}::uuid, 'quotation.failed', 'ui', 'x', now(), nextval('quickquote.feed_positions')
    from generate_series(1, ${count})`
  for (const body of ['"1"', '"2"', '"3"', '"4"']) {
    await hide(999)
    await record(own, { body })
  }
  const filter = { ...ANY, source: 'api_key' as const }
  for (const limit of [1, 2, 100]) {
    expect((await readAll(own, null, limit, filter)).bodies).toEqual(['"1"', '"2"', '"3"', '"4"'])
  }
  await hide(1)
  await record(own, { body: '"5"' })
  expect((await readAll(own, null, 100, filter)).bodies).toHaveLength(5)
})

describe('Waiting readers', () => {
  const findNews = async (readers: Parameters<typeof storage.eventFeed.lookForNews>[0]) =>
    (await storage.eventFeed.lookForNews(readers)).found

  it('are found once a page has events after their position', async () => {
    const [own, other] = [randomUUID(), randomUUID()]
    const start = await storage.eventFeed.findEnd(own)
    const readers = [own, other, own.toUpperCase()].map((organizationId) => ({ organizationId, ...start }))
    expect(await findNews(readers)).toEqual(new Set())
    await record(own)
    expect(await findNews(readers)).toEqual(new Set([0, 2]))
    const seen = await storage.eventFeed.findEnd(own)
    const end = await openWriter(own, '"early"')
    await record(own, { body: '"late"' })
    const behind = [{ organizationId: own, ...start }]
    const upToDate = [{ organizationId: own, ...seen }]
    expect(await findNews([...upToDate, ...behind])).toEqual(new Set([1]))
    await end('commit')
    expect(await findNews(upToDate)).toEqual(new Set([0]))
  })

  it('are found whatever the day of the event', async () => {
    const own = randomUUID()
    await record(own)
    const { position } = await storage.eventFeed.findEnd(own)
    await record(own, { created_at: new Date(MIDNIGHT - 300 * DAY_MS) })
    const readers = [{ organizationId: own, position }]
    expect(await findNews(readers)).toEqual(new Set([0]))
  })

  it('miss nothing if they wait on from where the last look ended, in whatever order transactions commit', async () => {
    const waiting = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const organizationId = randomUUID()
        const { position } = await storage.eventFeed.findEnd(organizationId)
        return { organizationId, position }
      }),
    )
    const ends = await Promise.all(
      waiting.slice(0, 8).map((each) => openWriter(each.organizationId, '"slow"')),
    )
    const writing = Promise.all(waiting.slice(8).map((each) => record(each.organizationId))).then(() =>
      Promise.all(ends.map((end) => end('commit'))),
    )
    let isWritten = false
    void writing.then(() => {
      isWritten = true
    })
    const found = new Set<string>()
    for (let isLast = false; ; ) {
      isLast = isWritten
      const news = await storage.eventFeed.lookForNews(waiting)
      for (const index of news.found) found.add(waiting[index]?.organizationId ?? '')
      for (const each of waiting) each.position = Math.max(each.position, news.lookedUpTo)
      if (isLast) break
    }
    expect(found.size).toBe(waiting.length)
  })

  it.each([
    ['was empty', 0, 20_000],
    ['was small', 60, 20_000],
    ['was large', 20_000, 0],
  ])(
    'are looked up by indexes, those who have waited for a while all at once, with a plan from when the table %s',
    async (_, before, after) => {
      const { url, sql } = await openDatabase({ closeAfter: onTestFinished })
      const fill = (count: number) => sql`
      insert into quickquote.events (id, organization_id, type, body, created_at, feed_position)
      select gen_random_uuid(), gen_random_uuid(), '', '', now() - n % 30 * interval '1 day',
        nextval('quickquote.feed_positions')
      from generate_series(1, ${count}) n`
      const { storage, explain, nodes, close } = openExplained(url)
      onTestFinished(close)
      await fill(before)
      await sql`vacuum analyze`
      const readersAt = (position: number) =>
        Array.from({ length: 100 }, (_, n) => ({ organizationId: randomUUID(), position: position + n }))
      for (let n = 0; n < 8; n += 1) {
        await storage.eventFeed.lookForNews([...readersAt(0), ...readersAt(1_000_000)])
      }
      await fill(after)
      const { lookedUpTo } = await storage.eventFeed.lookForNews([])
      await fill(50)

      async function look(position: number) {
        await explain()
        expect((await storage.eventFeed.lookForNews(readersAt(position))).found).toEqual(new Set())
        const read = nodes()
        expect(read).not.toEqual([])
        for (const node of read) {
          expect(node['Node Type']).toMatch(/^Index (Only )?Scan$/)
          expect(node['Index Name']).toMatch(/^events_(feed|newest)$/)
        }
        return { rows: rowsRead(read), searches: read.reduce((sum, node) => sum + node['Actual Loops'], 0) }
      }
      expect(await look(0)).toMatchObject({ rows: 0 })
      const waited = await look(lookedUpTo - 100)
      expect(waited.rows).toBeLessThanOrEqual(150)
      expect(waited.searches).toBeLessThan(50)
    },
  )
})

it('samples of tests are not in a feed', async () => {
  const endpoint = sampleEndpoint()
  await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
  const event = sampleEvent({ organization_id: endpoint.organization_id })
  await storage.testDeliveries.insert(event, { id: randomUUID(), endpointId: endpoint.id })
  expect((await readAll(endpoint.organization_id)).bodies).toEqual([])
  expect(await storage.eventFeed.findStart(endpoint.organization_id, event.id)).toBeNull()
})

it('reading is refused in a transaction with an outdated snapshot', async () => {
  await sql
    .begin('isolation level repeatable read', async (transaction) => {
      const { eventFeed } = storage.within(transaction)
      await expect(eventFeed.read(randomUUID(), null, ANY, 1)).rejects.toThrow()
    })
    .catch(() => undefined)
})
