import { randomUUID } from 'node:crypto'
import type { AttemptFilter } from '@quickquote/core/internal'
import postgres from 'postgres'
import { expect, it } from 'vitest'
import { drizzleStorage } from '../src/index.ts'
import { openDatabase } from './support/database.ts'
import { ANY_ATTEMPT } from './support/samples.ts'

const { sql, storage, url } = await openDatabase()

const [NONE, NOT_FOUND, SERVER_ERROR] = [
  { from: 0, to: 0 },
  { from: 404, to: 404 },
  { from: 500, to: 599 },
]

/**
 * An attempt a second, of quotations with ten events each. Every tenth delivery failed with 500 first and then
 * succeeded; every 5,000th was given up after 404, and the one after it after no response.
 */
async function organization(count: number, since = 1_700_000_000): Promise<string> {
  const organization_id = randomUUID()
  await sql.unsafe(`
    create temp table event as
    select n, (lpad(to_hex((${since} + n) * 1000::bigint), 12, '0') || '70008000' || lpad(n::text, 12, '0'))::uuid as id,
      to_timestamp(${since} + n) as created_at, md5('${organization_id}' || n / 10)::uuid as quotation_id
    from generate_series(1, ${count}) n`)
  await sql.unsafe(`
    insert into quickquote.events (id, organization_id, type, quotation_id, body, created_at)
    select id, '${organization_id}', 'quotation.completed', quotation_id, '{}', created_at from event;
    insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
      quotation_id, attempt, status, http_status, is_test, created_at, next_attempt_at)
    select gen_random_uuid(), (left(id::text, 15) || right(gen_random_uuid()::text, 21))::uuid, '${organization_id}',
      '${organization_id}', id, 'quotation.completed', quotation_id, 1,
      case when n % 5000 < 2 then 'exhausted' when n % 10 = 5 then 'failed' else 'succeeded' end,
      case when n % 5000 = 0 then 404 when n % 5000 = 1 then null when n % 10 = 5 then 500 else 200 end,
      false, created_at, case when n % 10 = 5 then created_at + interval '1 second' end
    from event;
    insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
      quotation_id, attempt, status, http_status, is_test, created_at)
    select gen_random_uuid(), delivery_id, organization_id, endpoint_id, event_id, event_type, quotation_id, 2,
      'succeeded', 200, false, next_attempt_at
    from quickquote.delivery_attempts where organization_id = '${organization_id}' and next_attempt_at is not null;
    drop table event`)
  return organization_id
}

it('a list reads little more than the rows it returns, however many attempts there are', async () => {
  const own = await organization(20_000)
  await sql`analyze quickquote.delivery_attempts, quickquote.events`
  const [event] = await sql<{ id: string; quotation_id: string }[]>`
    select id, quotation_id from quickquote.events order by id offset 10000 limit 1`
  const reads = (filter: Partial<AttemptFilter>) =>
    sql.begin(async (transaction) => {
      const read = async () => {
        const [row] = await transaction<{ read: number }[]>`
          select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::int as read
          from pg_class where relnamespace = 'quickquote'::regnamespace
            and relname ~ '^(events|delivery_attempts)_'`
        return row?.read ?? 0
      }
      const before = await read()
      const { deliveryLog } = storage.within(transaction)
      const page = { after: null, limit: 10 }
      const { items: listed } = await deliveryLog.listAttempts(own, { ...ANY_ATTEMPT, ...filter }, page)
      return { listed: listed.length, read: (await read()) - before }
    })
  // A row is counted in its index and in its table. The planner looks at the ends of indexes.
  const atMost = (rows: number) => expect.toSatisfy((read) => read <= 2 * rows + 100)
  const latest = { attempts: 'latest' } as const

  expect(await reads({})).toEqual({ listed: 10, read: atMost(10) })
  expect(await reads(latest)).toEqual({ listed: 10, read: atMost(20) })
  expect(await reads({ http_status: NOT_FOUND })).toEqual({ listed: 4, read: atMost(4) })
  expect(await reads({ http_status: NOT_FOUND, ...latest })).toEqual({ listed: 4, read: atMost(8) })
  expect(await reads({ http_status: NONE })).toEqual({ listed: 4, read: atMost(4) })
  expect(await reads({ http_status: SERVER_ERROR })).toEqual({ listed: 10, read: atMost(20) })
  expect(await reads({ http_status: { from: 300, to: 399 } })).toEqual({ listed: 0, read: atMost(0) })
  expect(await reads({ http_status: { from: 418, to: 418 } })).toEqual({ listed: 0, read: atMost(0) })
  expect(await reads({ http_status: { from: 400, to: 499 }, status: 'exhausted' })).toMatchObject({
    listed: 4,
  })
  expect(await reads({ http_status: NOT_FOUND, status: 'succeeded' })).toEqual({ listed: 0, read: 0 })
  expect(await reads({ event_id: event?.id ?? null })).toEqual({ listed: 1, read: atMost(2) })
  const quotation_ids = [event?.quotation_id ?? '']
  expect(await reads({ quotation_ids })).toEqual({ listed: 10, read: atMost(22) })
  expect(await reads({ quotation_ids, ...latest })).toEqual({ listed: 10, read: atMost(22) })
  expect(await reads({ quotation_ids, http_status: SERVER_ERROR })).toEqual({ listed: 1, read: atMost(22) })
  expect(await reads({ quotation_ids: [randomUUID()] })).toEqual({ listed: 0, read: atMost(0) })
  expect(await reads({ event_type: 'quotation.completed', ...latest })).toEqual({
    listed: 10,
    read: atMost(20),
  })
  // No index serves these: a page examines 6,500 attempts, and looks up the later attempts of 350.
  const [examined, lookedUp] = [6500, 350]
  expect(await reads({ event_type: 'quotation.failed' })).toEqual({ listed: 0, read: atMost(examined) })
  expect(await reads({ http_status: { from: 201, to: 201 } })).toEqual({ listed: 0, read: atMost(examined) })
  expect(await reads({ status: 'failed', ...latest })).toEqual({ listed: 0, read: atMost(3 * lookedUp) })
  expect(await reads({ status: 'failed', undelivered: 'all' })).toEqual({
    listed: 0,
    read: atMost(3 * lookedUp),
  })
  expect(await reads({ undelivered: 'retrying' })).toEqual({ listed: 0, read: atMost(3 * lookedUp) })
})

it('a list that could sort all failures of a large organization is planned for its filters each time', async () => {
  const client = postgres(url, { max: 1 })
  const { deliveryLog } = drizzleStorage({ sql: client })
  const prepared = async (filter: Partial<AttemptFilter>) => {
    await deliveryLog.listAttempts(randomUUID(), { ...ANY_ATTEMPT, ...filter }, { after: null, limit: 10 })
    return client`select from pg_prepared_statements where statement like '%"quickquote".delivery_attempts%'
      and statement not like '%pg_prepared_statements%'`
  }
  expect(await prepared({ http_status: NOT_FOUND })).toHaveLength(0)
  expect(await prepared({ http_status: NOT_FOUND, undelivered: 'all' })).toHaveLength(0)
  expect(await prepared({ http_status: SERVER_ERROR })).toHaveLength(0)
  expect(await prepared({ event_type: 'quotation.failed' })).toHaveLength(0)
  expect(await prepared({})).toHaveLength(1)
  await client.end()
})

it('whatever the filter, pages together have each match once, however far apart they are', async () => {
  const own = await organization(12_000, 1_600_000_000)
  const rare = await sql`
    update quickquote.delivery_attempts set event_type = 'quotation.failed', http_status = 204
    where organization_id = ${own} and status = 'succeeded' and event_id in (
      select id from quickquote.events where organization_id = ${own} order by id limit 12 offset 3)`
  const filters: Partial<AttemptFilter>[] = [
    { event_type: 'quotation.failed' },
    { event_type: 'quotation.failed', attempts: 'latest', endpoint_id: own },
    { http_status: { from: 204, to: 204 }, status: 'succeeded' },
    { status: 'failed', http_status: SERVER_ERROR },
    { attempts: 'latest', http_status: SERVER_ERROR },
    { undelivered: 'given_up', status: 'exhausted' },
    { undelivered: 'retrying', attempts: 'latest' },
  ]
  const counts: number[] = []
  for (const filter of filters) {
    const found: string[] = []
    let after: { created_at: Date; id: string } | null = null
    let pages = 0
    do {
      const page: Awaited<ReturnType<typeof storage.deliveryLog.listAttempts>> =
        await storage.deliveryLog.listAttempts(own, { ...ANY_ATTEMPT, ...filter }, { after, limit: 5 })
      found.push(...page.items.map(({ id }) => id))
      after = page.items.length === 5 ? (page.items.at(-1) ?? null) : page.reached
      pages += 1
    } while (after !== null && pages < 1000)
    expect(new Set(found).size).toBe(found.length)
    counts.push(found.length)
  }
  expect(counts).toEqual([rare.count, rare.count, rare.count, 1200, 0, 5, 0])
})

it('an attempt grows by at most four bytes for its URL', async () => {
  const [sizes] = await sql<{ bytes: number }[]>`
    select pg_column_size(endpoint_version) as bytes from (select 2147483647::int as endpoint_version) as attempt`
  const [column] = await sql<{ type: string }[]>`
    select format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = 'quickquote.delivery_attempts'::regclass and attname = 'endpoint_version'`
  expect([sizes?.bytes, column?.type]).toEqual([4, 'integer'])
})
