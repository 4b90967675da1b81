import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { numbered, valuesOf } from '../src/connection/run.ts'
import { ADVANCE_REPLAY, LIVE_ON_INDEXES } from '../src/deliveries/replays.sql.ts'
import { openOutbox } from './support/delivery-samples.ts'

const outbox = await openOutbox()

it('a batch reads only rows of its events, however many were sent since, in a database never analyzed', async () => {
  const { sql, storage } = outbox
  const endpoint = await outbox.insertEndpoint()
  const { organization_id, id } = endpoint
  await sql`
    insert into quickquote.events (id, organization_id, type, body, created_at, generation_source)
    select (lpad(to_hex(1790000000000 + n), 12, '0') || '7' || substr(md5(n::text), 14))::uuid, ${organization_id},
      'quotation.completed', '{}', now() - interval '1 hour' + n * interval '1 ms', 'api_key'
    from generate_series(1, 20000) n`
  await sql`
    insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type, attempt,
      status, is_test, created_at)
    select gen_random_uuid(), (left(id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid, organization_id,
      ${id}, id, type, 1, case when get_byte(decode(md5(id::text), 'hex'), 0) < 128 then 'succeeded' else 'exhausted' end,
      false, created_at
    from quickquote.events where organization_id = ${organization_id}`
  const since = new Date(Date.now() - 2 * 60 * 60 * 1000)
  const order = { id: randomUUID(), endpoint_id: id, since, until: new Date(), status: 'missed' } as const
  await storage.replays.insert(organization_id, order, new Date())

  // Explained first and rolled back: the rows it read show the plan.
  const connection = await sql.reserve()
  await connection`begin`
  await connection.unsafe(numbered(LIVE_ON_INDEXES, '"quickquote"').text)
  const advance = numbered(ADVANCE_REPLAY, '"quickquote"')
  const [row] = await connection.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
    `explain (analyze, format json) ${advance.text}`,
    valuesOf(advance, { now: new Date().toISOString(), limit: 200 }) as (string | number)[],
  )
  await connection`rollback`
  connection.release()
  const scans = row === undefined ? [] : scansOf(row['QUERY PLAN'][0].Plan)
  expect(scans.map((scan) => scan['Node Type'])).not.toContain('Seq Scan')
  expect(scans.length).toBeGreaterThan(3)
  expect(scans.reduce((sum, scan) => sum + rowsOf(scan), 0)).toBeLessThan(5000)

  expect(await storage.replays.advance(200, new Date())).toBe(true)
  const replay = await storage.replays.find(organization_id, id, order.id)
  expect(replay?.progress).toEqual({ examined: 200, total: 20_000 })
  const [sent] = await sql`
    select count(*)::int as made, bool_and(attempt.status = 'exhausted') as is_right
    from quickquote.deliveries delivery
    join quickquote.delivery_attempts attempt on attempt.event_id = delivery.event_id
    where delivery.endpoint_id = ${id}`
  expect(sent).toEqual({ made: replay?.resent, is_right: true })
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** The nodes that read events, deliveries or attempts. */
function scansOf(plan: Plan): Plan[] {
  const isScan = /^(events|deliver)/.test(plan['Relation Name'] ?? '') && / Scan$/.test(plan['Node Type'])
  return [...(isScan ? [plan] : []), ...(plan.Plans ?? []).flatMap(scansOf)]
}

function rowsOf(plan: Plan): number {
  return (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
}

describe('an event of a transaction that began before the endpoint was enabled', () => {
  /** Leaves a transaction with an unsent event open; then enables the endpoint and orders a replay. */
  async function openTransaction() {
    const { sql, storage } = outbox
    const endpoint = await outbox.insertEndpoint({ is_enabled: false })
    const { organization_id, id } = endpoint
    const since = new Date(Date.now() - 60_000)
    const record = (at: Date) => outbox.recordEvent(endpoint, { id: uuidAt(at), created_at: at })
    const connection = await sql.reserve()
    await connection`begin`
    const at = new Date()
    await connection`
      insert into quickquote.events (id, organization_id, type, body, created_at, generation_source)
      values (${uuidAt(at)}, ${organization_id}, 'quotation.completed', '{}', ${at}, 'api_key')`
    await sql`select pg_sleep(0.01)`
    await record(new Date())
    await storage.webhookEndpoints.update(organization_id, id, { is_enabled: true }, new Date())
    const order = { id: randomUUID(), endpoint_id: id, since, until: new Date(), status: 'missed' } as const
    await storage.replays.insert(organization_id, order, new Date())
    return {
      connection,
      find: () => storage.replays.find(organization_id, id, order.id),
      /** Other replays of this file may be running. */
      advance: async (now = new Date()) => {
        while (await storage.replays.advance(100, now));
      },
    }
  }

  it('is sent by the replay, which waits for that transaction', async () => {
    const { connection, find, advance } = await openTransaction()
    await advance()
    expect(await find()).toMatchObject({ state: 'running', progress: { examined: 0, total: 1 } })

    await connection`commit`
    connection.release()
    await advance()
    expect(await find()).toMatchObject({ state: 'completed', progress: { examined: 2, total: 2 }, resent: 2 })
  })

  it('is waited for at most a minute, because the transaction may never end', async () => {
    const { connection, find, advance } = await openTransaction()
    await advance(new Date(Date.now() + 61_000))
    expect(await find()).toMatchObject({ state: 'completed', progress: { examined: 1, total: 1 }, resent: 1 })
    await connection`rollback`
    connection.release()
  })
})

function uuidAt(moment: Date): string {
  const time = moment.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
