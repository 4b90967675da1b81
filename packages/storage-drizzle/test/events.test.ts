import { newId, type RecordedEvent, type StoredWebhookEndpoint, type Work } from '@quickquote/core/internal'
import { describe, expect, it } from 'vitest'
import type { Database } from '../src/connection/database.ts'
import { onPostgresJs } from '../src/connection/postgres-js.ts'
import { eventStorage } from '../src/deliveries/events.ts'
import { drizzleStorage } from '../src/index.ts'
import { quotationStorage } from '../src/quotations/quotations.ts'
import { openDatabase } from './support/database.ts'
import { databaseOn } from './support/database-on.ts'
import { sampleEndpoint, sampleEvent, sampleQuotation, sampleSecrets } from './support/samples.ts'
import { localWaker } from './support/wakers.ts'

const { sql } = await openDatabase()
const storage = drizzleStorage({ sql })

/** Whether an endpoint gets an event. */
async function reaches(
  event: Partial<RecordedEvent>,
  fields: Partial<StoredWebhookEndpoint>,
  deleted = false,
): Promise<boolean> {
  const endpoint = sampleEndpoint(fields)
  const recorded = sampleEvent({ organization_id: endpoint.organization_id, ...event })
  await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
  if (deleted) await sql`update quickquote.webhook_endpoints set deleted_at = now() where id = ${endpoint.id}`
  await storage.events.record(recorded)

  expect(await sql`select body from quickquote.events where id = ${recorded.id}`).toEqual([
    { body: recorded.body },
  ])
  const deliveries = await sql`select endpoint_id from quickquote.deliveries where event_id = ${recorded.id}`
  return deliveries.length === 1 && deliveries[0]?.['endpoint_id'] === endpoint.id
}

describe('trigger modes', () => {
  it.each([
    { trigger_mode: 'headless_only', generation_source: 'api_key', notified: true },
    { trigger_mode: 'headless_only', generation_source: 'ui', notified: false },
    { trigger_mode: 'always', generation_source: 'api_key', notified: true },
    { trigger_mode: 'always', generation_source: 'ui', notified: true },
  ] as const)('$trigger_mode, a quote of source $generation_source: notified $notified', async (mode) => {
    const { trigger_mode, generation_source, notified } = mode
    expect(await reaches({ generation_source }, { trigger_mode })).toBe(notified)
  })
})

describe('an endpoint receives only the event types in its list, and only while enabled', () => {
  it('gets a type in its list', async () => {
    const events = ['quotation.failed', 'quotation.completed']
    expect(await reaches({ type: 'quotation.completed' }, { events })).toBe(true)
  })

  it('not a type that is not in its list', async () => {
    expect(await reaches({ type: 'quotation.completed' }, { events: ['quotation.failed'] })).toBe(false)
    expect(await reaches({ type: 'quotation' }, { events: ['quotation.failed'] })).toBe(false)
  })

  it('not while disabled', async () => {
    expect(await reaches({}, { is_enabled: false })).toBe(false)
  })

  it('not once deleted', async () => {
    expect(await reaches({}, {}, true)).toBe(false)
  })
})

it('an event has one delivery for each endpoint, due at once', async () => {
  const event = sampleEvent()
  const endpoints = [1, 2, 3].map(() => sampleEndpoint({ organization_id: event.organization_id }))
  for (const endpoint of endpoints) await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)

  await storage.events.record(event)

  const deliveries = await sql`select * from quickquote.deliveries where event_id = ${event.id}`
  expect(deliveries.map((row) => row['endpoint_id']).sort()).toEqual(endpoints.map(({ id }) => id).sort())
  expect(deliveries.map((row) => row['due_at'])).toEqual(Array(3).fill(event.created_at))
})

it('recording an event twice is refused', async () => {
  const event = sampleEvent()
  await storage.events.record(event)
  await expect(storage.events.record(event)).rejects.toMatchObject({ code: '23505' })
})

describe('workers are woken', () => {
  async function wakesDuring(work: (database: Database) => Promise<unknown>): Promise<number> {
    let wakes = 0
    const wake = () => {
      wakes += 1
    }
    await work(databaseOn(onPostgresJs(sql, { prepare: true }), { waker: localWaker(wake) })).catch(
      () => undefined,
    )
    return wakes
  }

  async function sampleEventWithEndpoint(): Promise<RecordedEvent> {
    const endpoint = sampleEndpoint()
    await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
    return sampleEvent({ organization_id: endpoint.organization_id })
  }

  it('by an event with deliveries, not by one without subscribers', async () => {
    const event = await sampleEventWithEndpoint()
    expect(await wakesDuring((database) => eventStorage(database).record(event))).toBe(1)
    expect(await wakesDuring((database) => eventStorage(database).record(sampleEvent()))).toBe(0)
  })

  it('by an accepted quote', async () => {
    expect(await wakesDuring((database) => quotationStorage(database).accept(sampleQuotation(), null))).toBe(
      1,
    )
  })

  it('once for each kind of work by a transaction, on commit', async () => {
    const event = await sampleEventWithEndpoint()
    const wakes: Work[] = []
    await databaseOn(onPostgresJs(sql, { prepare: true }), {
      waker: localWaker((work) => wakes.push(work)),
    }).transaction(async (transaction) => {
      await eventStorage(transaction).record(event)
      await eventStorage(transaction).record({ ...event, id: newId(new Date()) })
      await quotationStorage(transaction).accept(sampleQuotation(), null)
      expect(wakes).toEqual([])
    })
    expect(wakes).toEqual(['deliveries', 'starts'])
  })

  it('not by a rolled back transaction', async () => {
    const wakes = await wakesDuring((database) =>
      database.transaction(async (transaction) => {
        await quotationStorage(transaction).accept(sampleQuotation(), null)
        throw new Error('rolled back')
      }),
    )
    expect(wakes).toBe(0)
  })
})
