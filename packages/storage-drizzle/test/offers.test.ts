import { randomUUID } from 'node:crypto'
import type { ClaimedDelivery, Places, StoredWebhookEndpoint } from '@quickquote/core/internal'
import { startDatabaseProxy } from '@quickquote/dev-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DrizzleStorage } from '../src/index.ts'
import { claimOf, openOutbox, succeeded } from './support/delivery-samples.ts'
import { sampleEndpoint, sampleEvent } from './support/samples.ts'

const outbox = await openOutbox()
const { sql, insertEndpoint } = outbox

/** A storage whose worker offers places, with what it got and how often other processes were notified. */
async function openWorker({ count = 8, perEndpoint = 8, url = outbox.url } = {}) {
  const storage = outbox.anotherStorage({ url })
  const worker = { id: randomUUID(), got: [] as Parameters<Places['end']>[0][], woken: 0, notified: 0 }
  const unlisten = await storage.workers.listen({
    onWake: (work) => {
      if (work === 'deliveries') worker.woken += 1
    },
    takes: () => true,
    offer: () => ({
      workerId: worker.id,
      count,
      perEndpoint,
      at: new Date(),
      end: (leased) => void worker.got.push(leased),
    }),
  })
  const { unlisten: deafen } = await sql.listen('quickquote_wake', () => (worker.notified += 1))
  onTestFinished(async () => {
    await Promise.all([unlisten(), deafen()])
    await sql`delete from quickquote.deliveries`
  })
  const record = (
    endpoint: StoredWebhookEndpoint,
    at = new Date(),
    by: DrizzleStorage['events'] = storage.events,
  ) => by.record(sampleEvent({ organization_id: endpoint.organization_id, created_at: at }))
  const leased = () => worker.got.flatMap((each) => (each === 'unknown' ? [] : each))
  return { storage, worker, record, leased }
}

const rows = () => sql`select id, leased_by, attempt from quickquote.deliveries order by leased_by is null`

describe('a delivery is leased to the worker of its process as its event is recorded', () => {
  it('with everything that a round would return, and wakes nobody', async () => {
    const { storage, worker, record, leased } = await openWorker()
    const endpoint = await insertEndpoint()
    await sql`update quickquote.webhook_endpoints set version = 7, previous_secrets = ${sql.json([
      { key_id: 'key-0', ciphertext: '00ff', secret_hint: '', expires_at: '2100-01-01T00:00:00Z' },
    ])} where id = ${endpoint.id}`
    await record(endpoint)

    expect(await rows()).toMatchObject([{ leased_by: worker.id, attempt: 1 }])
    await sql`select pg_notify('quickquote_wake', 'the last')`
    await expect.poll(() => worker.notified).toBe(1)
    expect(worker.woken).toBe(0)
    await storage.deliveries.release(worker.id, leased())
    const { claimed } = await storage.deliveries.round(claimOf(worker.id))
    expect(leased()).toEqual([{ ...claimed[0], leased_at: expect.any(Date) }])
    expect(claimed[0]?.endpoint.previousSecrets).toHaveLength(1)
  })

  it('and its outcome counts', async () => {
    const { storage, worker, record, leased } = await openWorker()
    await record(await insertEndpoint())
    const settled = leased().map((delivery) => succeeded(delivery))
    await storage.deliveries.round(claimOf(worker.id, { settled }))
    expect(await rows()).toEqual([])
  })

  it('only for the subscribed endpoints of its organization, and no more than there are places', async () => {
    const { worker, record, leased } = await openWorker({ count: 2 })
    const organization_id = randomUUID()
    const endpoints = await Promise.all([1, 2, 3].map(() => insertEndpoint({ organization_id })))
    await insertEndpoint({ organization_id, events: ['quotation.failed'] })
    await insertEndpoint()
    await record(endpoints[0] as StoredWebhookEndpoint)

    expect(leased()).toHaveLength(2)
    for (const { endpoint } of leased()) expect(endpoints.map(({ id }) => id)).toContain(endpoint.id)
    expect(await rows()).toMatchObject([
      { leased_by: worker.id },
      { leased_by: worker.id },
      { leased_by: null, attempt: 0 },
    ])
    expect(worker.woken).toBe(1)
  })

  it('by our own transactions, after whose commit the worker gets it', async () => {
    const { storage, worker, record, leased } = await openWorker()
    const endpoint = await insertEndpoint()
    await storage.transaction(async ({ events }) => {
      await record(endpoint, new Date(), events)
      await record(endpoint, new Date(), events)
      expect(worker.got).toEqual([])
    })
    expect(leased()).toHaveLength(2)
    expect(worker.woken).toBe(0)
  })
})

describe('it is left to a round', () => {
  it.each<[string, (endpoint: StoredWebhookEndpoint) => Promise<unknown>]>([
    [
      'if its endpoint is paused',
      ({ id }) =>
        sql`insert into quickquote.endpoint_health (endpoint_id, paused_until) values (${id}, now() + interval '1 hour')`,
    ],
    ['if other deliveries to its endpoint are due', (endpoint) => outbox.recordEvent(endpoint)],
    [
      'if its endpoint has its share',
      async ({ id }) => {
        await outbox.insertBacklog([id], 8)
        await sql`update quickquote.deliveries set leased_by = ${randomUUID()}, leased_at = now() where endpoint_id = ${id}`
      },
    ],
    [
      'if its endpoint wants order',
      ({ id }) => sql`update quickquote.webhook_endpoints set ordering = 'quotation' where id = ${id}`,
    ],
    [
      'if deliveries of its endpoint are catching up',
      ({ id }) => sql`update quickquote.webhook_endpoints set generation = 1 where id = ${id}`,
    ],
  ])('%s', async (_, prepare) => {
    const { worker, record, leased } = await openWorker()
    const endpoint = await insertEndpoint()
    await prepare(endpoint)
    await record(endpoint)
    expect(leased()).toEqual([])
    expect(worker.got).toEqual([[]])
    expect(worker.woken).toBeGreaterThan(0)
    expect((await rows()).filter(({ leased_by }) => leased_by === worker.id)).toEqual([])
  })

  it('if it is due later', async () => {
    const { record, leased } = await openWorker()
    await record(await insertEndpoint(), new Date(Date.now() + 60_000))
    expect(leased()).toEqual([])
  })

  it('if its endpoint is being changed at this moment: disabled, for example', async () => {
    const { worker, record } = await openWorker()
    const endpoint = await insertEndpoint()
    await sql.begin(async (transaction) => {
      await transaction`update quickquote.webhook_endpoints set is_enabled = false where id = ${endpoint.id}`
      await record(endpoint)
    })
    expect(worker.got).toEqual([[]])
    expect(await rows()).toMatchObject([{ leased_by: null }])
  })

  it('in a transaction of the host, of which nobody says whether it was committed', async () => {
    const { storage, worker, record } = await openWorker()
    const endpoint = await insertEndpoint()
    await sql.begin((transaction) => record(endpoint, new Date(), storage.within(transaction).events))
    expect(worker.got).toEqual([])
    expect(await rows()).toMatchObject([{ leased_by: null }])
  })
})

it('the share of an endpoint holds beside rounds and other processes, whatever the order of their commits', async () => {
  const perEndpoint = 2
  const workers = await Promise.all([1, 2, 3].map(() => openWorker({ perEndpoint })))
  const endpoint = await insertEndpoint()
  let most = 0
  const held: [string, ClaimedDelivery][] = []
  for (let round = 0; round < 15; round += 1) {
    await Promise.all(
      workers.flatMap(({ storage, worker, record }) => [
        record(endpoint),
        record(endpoint),
        storage.deliveries
          .round(claimOf(worker.id, { perEndpoint }))
          .then(({ claimed }) =>
            held.push(...claimed.map((each) => [worker.id, each] as [string, ClaimedDelivery])),
          ),
      ]),
    )
    for (const { worker, leased } of workers) {
      held.push(...leased().map((each) => [worker.id, each] as [string, ClaimedDelivery]))
      worker.got.length = 0
    }
    const leases = await sql`select from quickquote.deliveries where leased_by is not null`
    expect(leases.length).toBe(held.length)
    most = Math.max(most, leases.length)
    const done = held.splice(0, 1 + (round % 2))
    for (const [id, delivery] of done) {
      await workers[0]?.storage.deliveries.round(
        claimOf(id, { perEndpoint, limit: 0, settled: [succeeded(delivery)] }),
      )
    }
  }
  expect(most).toBe(perEndpoint)
})

describe('the worker is notified', () => {
  it('that nothing was leased if the event was refused or rolled back', async () => {
    const { storage, worker, record } = await openWorker()
    const endpoint = await insertEndpoint()
    const event = sampleEvent({ organization_id: endpoint.organization_id })
    await outbox.storage.events.record(event)
    await expect(storage.events.record(event)).rejects.toMatchObject({ code: '23505' })
    expect(worker.got).toEqual([[]])
    await expect(
      storage.transaction(async ({ events }) => {
        await record(endpoint, new Date(), events)
        throw new Error('rolled back')
      }),
    ).rejects.toThrow('rolled back')
    expect(worker.got).toHaveLength(2)
    expect(await rows()).toMatchObject([{ leased_by: null }])
  })

  it('that it is unknown if the connection was lost, and its next round returns the lease', async () => {
    let answers = true
    const proxy = await startDatabaseProxy(outbox.url, (client, database) => {
      client.on('data', (bytes) => database.write(bytes))
      database.on('data', (bytes) => (answers ? client.write(bytes) : client.destroy()))
    })
    onTestFinished(() => proxy.stop())
    const { worker, record } = await openWorker({ url: proxy.url })
    const endpoint = await insertEndpoint()
    // From now on its statement is prepared.
    await record(sampleEndpoint())
    answers = false
    await expect(record(endpoint)).rejects.toMatchObject({ name: 'StorageError' })
    expect(worker.got).toEqual([[], 'unknown'])
    const lost = [{ leased_by: worker.id, attempt: 1 }]
    await expect.poll(rows).toMatchObject(lost)

    const look = (offeredAt?: Date) =>
      outbox.storage.deliveries.round(claimOf(worker.id, { held: [], offeredAt, limit: 0 }))
    await look(new Date(0))
    // Its event may still be recorded.
    expect(await rows()).toMatchObject(lost)
    await look()
    expect(await rows()).toMatchObject([{ leased_by: null, attempt: 0 }])
  })
})
