import { randomUUID } from 'node:crypto'
import type { AttemptFilter, AuditFilter } from '@quickquote/core/internal'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from './support/database.ts'
import { blocksRead, openExplained, rowsRead } from './support/explained.ts'
import { ANY_ATTEMPT, ANY_ENTRY } from './support/samples.ts'

const { url, sql } = await openDatabase()

const ROWS = 40_000
const ENDPOINTS = 200
const ORGANIZATION = randomUUID()
/** How long ago the first row is. */
const SPAN = '8 days'

/** A version 7 id of that time. An SQL expression. */
const idAt = (
  time: string,
  seed: string,
) => `(lpad(to_hex(floor(extract(epoch from ${time}) * 1000)::bigint), 12, '0')
  || '7' || substr(md5(${seed}), 14, 3) || 'a' || substr(md5(${seed}), 18))::uuid`

// One organization has it all. One endpoint has every second attempt.
beforeAll(async () => {
  await sql.unsafe(`
    create temp table endpoint as
      select n, gen_random_uuid() as id from generate_series(0, ${ENDPOINTS - 1}) n;
    create temp table happened as
      select n, at, ${idAt('at', `'e' || n`)} as id, ${idAt('at', `'q' || n`)} as quotation_id from (
        select n, date_trunc('milliseconds', now() - interval '1 minute' - n * interval '${SPAN}' / ${ROWS}) as at
        from generate_series(1, ${ROWS}) n
      ) moment order by at;
    insert into quickquote.webhook_endpoints (id, organization_id, name, url, events, trigger_mode, is_enabled,
        secret_ciphertext, secret_key_id, secret_hint, created_at, updated_at)
      select id, '${ORGANIZATION}', 'E', 'https://example.com/' || n, '{quotation.completed}', 'always', true, '\\x00', '1',
        'abcd', now() - interval '${SPAN}', now() from endpoint;
    insert into quickquote.quotations (id, organization_id, name, description, status, processed_step, source, created_at,
        updated_at)
      select quotation_id, '${ORGANIZATION}', 'Q', '', 'completed', 'proposal', 'api_key', at, at from happened order by at;
    insert into quickquote.events (id, organization_id, type, quotation_id, sequence, generation_source, body,
        feed_position, created_at)
      select id, '${ORGANIZATION}', 'quotation.completed', quotation_id, 1, 'api_key', '{}', ${ROWS + 1} - n, at
      from happened order by at;
    select setval('quickquote.feed_positions', ${ROWS + 1});
    insert into quickquote.delivery_attempts (id, delivery_id, attempt, organization_id, endpoint_id, event_id, event_type,
        quotation_id, is_test, status, http_status, created_at)
      select ${idAt('at', `'a' || happened.n`)}, (left(happened.id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid, 1,
        '${ORGANIZATION}', endpoint.id, happened.id, 'quotation.completed', quotation_id, false, 'succeeded', 200, at
      from happened join endpoint on endpoint.n = case when happened.n % 2 = 0 then 0 else happened.n % ${ENDPOINTS} end
      order by at;
    insert into quickquote.audit_log (id, organization_id, actor_id, action, resource_type, resource_id, resource_name,
        changes, created_at)
      select gen_random_uuid(), '${ORGANIZATION}', 'm' || n % 50, 'api_key.updated', 'api_key', id, 'K', '[]', at
      from happened;
    select quickquote.count_delivery_hours()`)
  await sql`vacuum analyze`
  const rows = await sql<{ id: string }[]>`select id from quickquote.webhook_endpoints order by url`
  endpointIds = rows.map(({ id }) => id)
})

/** Pages of 8 KiB, of tables and indexes, that a call reads. */
async function pagesOf(call: (storage: ReturnType<typeof openExplained>['storage']) => Promise<unknown>) {
  const { storage, explain, nodes, close } = openExplained(url)
  onTestFinished(close)
  await explain()
  await call(storage)
  const read = nodes()
  expect(read).not.toEqual([])
  return { pages: blocksRead(read), rows: rowsRead(read) }
}

let endpointIds: string[] = []
const ids = () => endpointIds
const busy = () => endpointIds[0] ?? ''

const PAGE = { after: null, limit: 51 }
const log = (filter: Partial<AttemptFilter>) =>
  pagesOf(({ deliveryLog }) => deliveryLog.listAttempts(ORGANIZATION, { ...ANY_ATTEMPT, ...filter }, PAGE))

describe('with a long history, few pages are read by', () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000)
  const replay = () => ({
    endpoint_id: busy(),
    since: daysAgo(4),
    until: daysAgo(3.9),
    status: 'missed' as const,
  })

  it('the count before a replay', async () => {
    const { pages } = await pagesOf(({ replays }) => replays.count(ORGANIZATION, replay(), 1000))
    // 500 events.
    expect(pages).toBeLessThan(3000)
  })

  it('a batch of a replay', async () => {
    const order = { ...replay(), id: randomUUID() }
    await pagesOf(async ({ replays }) => {
      await replays.insert(ORGANIZATION, order, new Date())
    })
    const { pages } = await pagesOf(({ replays }) => replays.advance(200, new Date()))
    expect(pages).toBeLessThan(2000)
  })

  it.each(['event', 'delivery_attempt', 'quotation', 'audit_entry'] as const)(
    'a page of an export: %s',
    async (part) => {
      let place: string | null = null
      for (let page = 0; page < 3; page += 1) {
        const { pages } = await pagesOf(async ({ exports }) => {
          const rows = await exports.readPage(ORGANIZATION, part, place, 100)
          expect(rows).toHaveLength(100)
          place = rows.at(-1)?.place ?? null
        })
        expect(pages).toBeLessThan(part === 'quotation' ? 1000 : 400)
      }
    },
  )

  it.each<Partial<AuditFilter>>([
    { actor_id: 'nobody' },
    { action: 'api_key.revoked' },
    { actor_id: 'm1', action: 'api_key.revoked' },
    { actor_id: 'm1' },
  ])('the audit log, filtered: %o', async (filter) => {
    const { pages } = await pagesOf(({ auditLog }) =>
      auditLog.list(ORGANIZATION, { ...ANY_ENTRY, ...filter }, PAGE),
    )
    expect(pages).toBeLessThan(200)
  })

  it('the list of 200 endpoints with their health', async () => {
    const { pages } = await pagesOf(async (storage) => {
      await storage.webhookEndpoints.list(ORGANIZATION)
      await storage.endpointHealth.read(ORGANIZATION, ids())
    })
    expect(pages).toBeLessThan(1000)
  })

  it('the chart of seven days', async () => {
    const span = { since: daysAgo(7), until: new Date() }
    const ofAll = await pagesOf(({ deliveryLog }) =>
      deliveryLog.countByHour(ORGANIZATION, { ...span, endpoint_id: null }),
    )
    expect(ofAll.pages).toBeLessThan(2500)
    const ofOne = await pagesOf(({ deliveryLog }) =>
      deliveryLog.countByHour(ORGANIZATION, { ...span, endpoint_id: busy() }),
    )
    expect(ofOne.pages).toBeLessThan(250)
  })

  it.each(['queued', 'running', 'completed', 'failed'] as const)(
    'the list of quotes that are %s',
    async (status) => {
      const filter = { status, source: null, external_id: null, created_since: null, created_until: null }
      const { pages } = await pagesOf(async ({ quotations }) => quotations.list?.(ORGANIZATION, filter, PAGE))
      expect(pages).toBeLessThan(200)
    },
  )

  it('the log, whatever its filter', async () => {
    const [event] = await sql<{ event_id: string; quotation_id: string }[]>`
      select event_id, quotation_id from quickquote.delivery_attempts where created_at < ${daysAgo(5)} limit 1`
    const filters: Partial<AttemptFilter>[] = [
      {},
      { event_id: event?.event_id ?? '' },
      { quotation_ids: [event?.quotation_id ?? ''] },
      { status: 'failed' },
      { status: 'succeeded' },
      { endpoint_id: ids()[7] ?? '' },
      { endpoint_id: busy(), status: 'failed' },
      { http_status: { from: 500, to: 599 } },
      { undelivered: 'all' },
      { attempts: 'latest' },
      { since: daysAgo(5), until: daysAgo(4) },
    ]
    for (const filter of filters) {
      const { pages } = await log(filter)
      expect(pages, JSON.stringify(filter)).toBeLessThan(700)
    }
  })

  it('the log of a type that never occurs, in one page', async () => {
    const filter = { ...ANY_ATTEMPT, event_type: 'quotation.failed' }
    const { pages } = await pagesOf(async ({ deliveryLog }) => {
      expect(await deliveryLog.listAttempts(ORGANIZATION, filter, PAGE)).toEqual({ items: [], reached: null })
    })
    expect(pages).toBeLessThan(700)
  })

  it('a page of the feed, and the view of an event', async () => {
    const [event] = await sql<{ id: string; position: number }[]>`
      select id, feed_position::int as position from quickquote.events where created_at < ${daysAgo(5)} limit 1`
    const { id, position } = event ?? { id: '', position: 0 }
    const feed = await pagesOf(({ eventFeed }) =>
      eventFeed.read(ORGANIZATION, { position, eventId: id }, { types: null, source: null }, 100),
    )
    expect(feed.rows).toBeLessThan(500)
    expect((await pagesOf(({ deliveryLog }) => deliveryLog.findBody(ORGANIZATION, id))).pages).toBeLessThan(
      20,
    )
  })
})

describe('locks', () => {
  /** Relations that a statement locks, with their indexes. */
  async function locked(run: (transaction: typeof sql) => Promise<unknown>): Promise<number> {
    let count = 0
    await sql
      .begin(async (transaction) => {
        await run(transaction as unknown as typeof sql)
        const [row] = await transaction`select count(*)::int as count from pg_locks
          where pid = pg_backend_pid() and locktype = 'relation' and relation::regclass::text like 'quickquote.%'`
        count = row?.['count']
        throw new Error('roll back')
      })
      .catch((error) => expect(error.message).toBe('roll back'))
    return count
  }

  it('are few: at most 40 relations for a round, a page of the feed and an event', async () => {
    const round = await locked(
      (on) =>
        on`select * from quickquote.delivery_round(gen_random_uuid(), now(), 100, 8, null, null, true, 8, '-infinity', '[]', '{}', '{}', null, 4)`,
    )
    const feed = await locked(
      (on) => on`select * from quickquote.read_feed(${ORGANIZATION}, null, null, null, null, 100, 1000)`,
    )
    const position = await locked(
      (on) => on`
      insert into quickquote.events (id, organization_id, type, body, created_at, feed_position)
      values (gen_random_uuid(), ${ORGANIZATION}, 'quotation.completed', '{}', now(), quickquote.next_feed_position(${ORGANIZATION}))`,
    )
    for (const relations of [round, feed, position]) {
      expect(relations).toBeGreaterThan(1)
      expect(relations).toBeLessThanOrEqual(40)
    }
  })
})
