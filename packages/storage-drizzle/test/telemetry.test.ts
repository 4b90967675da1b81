import { randomUUID } from 'node:crypto'
import { QUEUE_COUNT_LIMIT } from '@quickquote/core/internal'
import { beforeEach, describe, expect, it } from 'vitest'
import { READ_QUEUE } from '../src/workers/telemetry.sql.ts'
import { openOutbox } from './support/delivery-samples.ts'
import { SAMPLE_TRACE } from './support/samples.ts'

const outbox = await openOutbox()
const { storage, sql } = outbox

beforeEach(async () => {
  await sql`truncate quickquote.deliveries`
})

describe('readQueueState', () => {
  it('counts nothing in an empty queue', async () => {
    expect(await storage.telemetry.readQueueState(new Date())).toEqual({
      due: 0,
      paused: 0,
      scheduled: 0,
      oldestDueAt: null,
    })
  })

  it('counts due and scheduled deliveries separately, without those in flight or parked', async () => {
    const endpoint = await outbox.insertEndpoint()
    await outbox.insertBacklog([endpoint.id], 5, 60_000)
    const now = new Date()
    await sql`update quickquote.deliveries set due_at = now() + interval '1 h'
      where id = (select id from quickquote.deliveries order by due_at desc limit 1)`
    await sql`update quickquote.deliveries set leased_by = gen_random_uuid()
      where id = (select id from quickquote.deliveries order by due_at limit 1)`
    await sql`update quickquote.deliveries set parked_at = now()
      where id = (select id from quickquote.deliveries order by due_at limit 1 offset 1)`
    const [third] = await sql`select due_at from quickquote.deliveries order by due_at limit 1 offset 2`

    expect(await storage.telemetry.readQueueState(now)).toEqual({
      due: 2,
      paused: 0,
      scheduled: 1,
      oldestDueAt: third?.['due_at'],
    })
  })

  it('counts what waits behind a pause apart', async () => {
    const [paused, other] = [await outbox.insertEndpoint(), await outbox.insertEndpoint()]
    await outbox.insertBacklog([paused.id], 5, 600_000)
    await outbox.insertBacklog([other.id], 1, 60_000)
    const until = (seconds: number) => sql`
      insert into quickquote.endpoint_health (endpoint_id, paused_until) values (${paused.id}, now() + ${seconds} * interval '1 s')
      on conflict (endpoint_id) do update set paused_until = excluded.paused_until`
    const [newest] = await sql`select max(due_at) as due_at from quickquote.deliveries`

    await until(3600)
    expect(await storage.telemetry.readQueueState(new Date())).toEqual({
      due: 1,
      paused: 5,
      scheduled: 0,
      oldestDueAt: newest?.['due_at'],
    })
    await until(-1)
    expect(await storage.telemetry.readQueueState(new Date())).toMatchObject({ due: 6, paused: 0 })
  })

  it('counts up to its limit, and reads only an index', async () => {
    const endpoint = await outbox.insertEndpoint()
    await outbox.insertBacklog([endpoint.id], QUEUE_COUNT_LIMIT + 500, 600_000)
    await sql`analyze quickquote.deliveries`

    expect(await storage.telemetry.readQueueState(new Date())).toMatchObject({
      due: QUEUE_COUNT_LIMIT,
      scheduled: 0,
    })
    const values = { $schema: 'quickquote', $now: 'now()', $limit: '10000' }
    const text = READ_QUEUE.text.replaceAll(/\$[a-z]+/g, (name) => values[name as keyof typeof values])
    const plan = await sql.unsafe(`explain ${text}`)
    const nodes = plan.map((row) => row['QUERY PLAN']).join('\n')
    expect(nodes.match(/deliveries_due_first/g)).toHaveLength(2)
    expect(nodes).not.toContain('Seq Scan on deliveries')
  })
})

describe('findDeliveryOrigins', () => {
  it('returns when deliveries were due, and the trace of their event', async () => {
    const endpoint = await outbox.insertEndpoint()
    const traced = await outbox.recordEvent(endpoint, { trace: SAMPLE_TRACE })
    const untraced = await outbox.recordEvent(endpoint, { trace: null })
    const rows = await sql`select id, event_id from quickquote.deliveries`
    const deliveryOf = (event: { id: string }) => rows.find((row) => row['event_id'] === event.id)?.['id']

    expect(
      await storage.telemetry.findDeliveryOrigins([...rows.map((row) => row['id']), randomUUID()]),
    ).toEqual(
      new Map([
        [deliveryOf(traced), { due_at: traced.created_at, trace: SAMPLE_TRACE }],
        [deliveryOf(untraced), { due_at: untraced.created_at, trace: null }],
      ]),
    )
  })

  it('includes test deliveries', async () => {
    const endpoint = await outbox.insertEndpoint()
    const event = { ...(await outbox.recordEvent(endpoint)), id: randomUUID(), trace: SAMPLE_TRACE }
    const id = randomUUID()
    await storage.testDeliveries.insert(event, { id, endpointId: endpoint.id })

    expect((await storage.telemetry.findDeliveryOrigins([id])).get(id)?.trace).toEqual(SAMPLE_TRACE)
  })
})
