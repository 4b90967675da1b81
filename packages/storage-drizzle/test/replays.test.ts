import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SETTINGS } from '../src/delivery-statements.ts'
import { advanceStatement } from '../src/replays.ts'
import { type Outbox, openOutbox } from './delivery-samples.ts'

let outbox: Outbox

beforeAll(async () => {
  outbox = await openOutbox()
})
afterAll(() => outbox.close())

it('a batch reads what belongs to its events, however much was sent since, in a database that nobody has analyzed', async () => {
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
  await storage.insertReplay(organization_id, order, new Date())

  // Explained first, and rolled back: what it read tells the plan.
  const connection = await sql.reserve()
  await connection`begin`
  await connection.unsafe(SETTINGS)
  const [row] = await connection.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
    `explain (analyze, format json) ${advanceStatement('quickquote')}`,
    [new Date().toISOString(), 200],
  )
  await connection`rollback`
  connection.release()
  const scans = row === undefined ? [] : scansOf(row['QUERY PLAN'][0].Plan)
  expect(scans.map((scan) => scan['Node Type'])).not.toContain('Seq Scan')
  expect(scans.length).toBeGreaterThan(5)
  expect(scans.reduce((sum, scan) => sum + rowsOf(scan), 0)).toBeLessThan(5000)

  expect(await storage.advanceReplay(200, new Date())).toBe(true)
  const replay = await storage.findReplay(organization_id, id, order.id)
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
