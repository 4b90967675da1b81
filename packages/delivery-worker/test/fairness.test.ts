import { randomUUID } from 'node:crypto'
import type { Receiver, ReceiverOptions } from '@quickquote/dev-servers'
import { adminOf } from '@quickquote/dev-servers/host'
import { describe, expect, it } from 'vitest'
import { certificate, type Host, ORGANIZATION, openHost, openReceiver, STEP_EVENT } from './support/host.ts'

let host: Host
let receiver: Receiver

async function open(respond: ReceiverOptions['respond']): Promise<void> {
  receiver = await openReceiver(respond)
  // Hanging requests last longer than the test.
  host = await openHost({ delivery: { timeoutMs: 60_000 } })
}

describe('an endpoint that hangs', () => {
  it('delays no other: all their events arrive while its own are in flight', async () => {
    await open(({ path }) => (path === '/hung' ? { hang: true } : { status: 204 }))
    const hung = randomUUID()
    await host.createEndpoint(`${receiver.url}/hung`, hung)
    for (let n = 0; n < 100; n += 1) await host.finishStep(hung)
    const healthy = Array.from({ length: 20 }, () => randomUUID())
    for (const organization of healthy)
      await host.createEndpoint(`${receiver.url}/${organization}`, organization)
    // Fewer at once than the hanging endpoint's backlog, all of it older.
    await host.createWorker({ ca: certificate.cert, concurrency: 16 }).start()
    await receiver.waitFor(8)

    for (let n = 0; n < 5; n += 1)
      await Promise.all(healthy.map((organization) => host.finishStep(organization)))

    const requests = await receiver.waitFor(8 + 100)
    const paths = requests.map(({ path }) => path.slice(1))
    expect(paths.filter((path) => path === 'hung')).toHaveLength(8)
    expect(new Set(paths)).toEqual(new Set([...healthy, 'hung']))
    // None of its attempts had ended, so no other endpoint waited for them.
    await expect.poll(() => host.attempts()).toHaveLength(100)
    expect((await host.pending()).filter(({ leased_by }) => leased_by !== null)).toHaveLength(8)
  })
})

describe('two organizations with endpoints that hang', () => {
  it('leave places to others, although they could fill all of them', async () => {
    await open(({ path }) => (path.startsWith('/hung') ? { hang: true } : { status: 204 }))
    const hung = [randomUUID(), randomUUID()]
    for (const organization of hung) {
      for (let n = 0; n < 4; n += 1) await host.createEndpoint(`${receiver.url}/hung/${n}`, organization)
      for (let n = 0; n < 10; n += 1) await host.finishStep(organization)
    }
    const healthy = randomUUID()
    await host.createEndpoint(`${receiver.url}/healthy`, healthy)
    // 64 of their deliveries could be in flight at once.
    await host.createWorker({ ca: certificate.cert, concurrency: 32 }).start()
    // Fourteen each, of 32.
    await receiver.waitFor(28)

    for (let n = 0; n < 10; n += 1) await host.finishStep(healthy)

    const sent = () => receiver.requests.filter(({ path }) => path === '/healthy')
    await expect.poll(sent, { timeout: 30_000 }).toHaveLength(10)
  })
})

describe('tests of an endpoint that hangs', () => {
  it('take as many places as its deliveries may, and delay no other endpoint', async () => {
    await open(({ path }) => (path === '/hung' ? { hang: true } : { status: 204 }))
    const { id } = await host.createEndpoint(`${receiver.url}/hung`)
    const other = randomUUID()
    await host.createEndpoint(`${receiver.url}/other`, other)
    await host.createWorker({ ca: certificate.cert, concurrency: 32 }).start()
    const admin = adminOf(ORGANIZATION)
    const test = () => host.integrations.testDeliveries.send(admin, id, { event_type: STEP_EVENT })
    const tests = Promise.allSettled(Array.from({ length: 60 }, test))
    await receiver.waitFor(8)

    for (let n = 0; n < 20; n += 1) await host.finishStep(other)

    const requests = await receiver.waitFor(8 + 20)
    expect(requests.filter(({ path }) => path === '/hung')).toHaveLength(8)
    // Not those of the other endpoint: a delivery that has arrived is leased until it is recorded.
    const leased = await host.sql`
      select from quickquote.deliveries where endpoint_id = ${id} and leased_by is not null`
    expect(leased.length).toBeLessThanOrEqual(8 + 1)
    await host.sql`delete from quickquote.deliveries`
    await tests
  })
})

describe('an endpoint that has not answered often', () => {
  it('gets at most 8 requests at once, over all workers', async () => {
    let underWay = 0
    let most = 0
    let fill = () => {}
    const full = new Promise<void>((resolve) => (fill = resolve))
    await open(async () => {
      underWay += 1
      most = Math.max(most, underWay)
      if (underWay === 8) fill()
      await full
      await new Promise((resolve) => setTimeout(resolve, 10))
      underWay -= 1
      return { status: 204 }
    })
    await host.createEndpoint(receiver.url)
    const other = await openHost({ databaseUrl: host.databaseUrl })
    await host.createWorker({ ca: certificate.cert }).start()
    await other.createWorker({ ca: certificate.cert }).start()

    for (let n = 0; n < 10; n += 1) await Promise.all(Array.from({ length: 12 }, () => host.finishStep()))

    await expect.poll(() => host.attempts()).toHaveLength(120)
    const ids = receiver.requests.map(({ headers }) => headers['x-service-event-id'])
    await other.close()
    expect(new Set(ids).size).toBe(120)
    expect(ids).toHaveLength(120)
    expect(most).toBe(8)
  })
})

describe('a worker in the process that records an event, with fewer places than the event has deliveries', () => {
  it('leaves the others to another worker, long before that one polls', async () => {
    await open(() => ({ hang: true }))
    for (let n = 0; n < 10; n += 1) await host.createEndpoint(`${receiver.url}/${n}`)
    const other = await openHost({ databaseUrl: host.databaseUrl, delivery: { timeoutMs: 60_000 } })
    const quotationId = await host.startQuote()
    const options = { ca: certificate.cert, pollIntervalMs: 600_000 }
    const workers = [host.createWorker({ ...options, concurrency: 2 }), other.createWorker(options)]
    for (const worker of workers) await worker.start()
    // Each connection that listens holds a lock.
    await expect
      .poll(
        () => host.sql`
        select from pg_locks where locktype = 'advisory'
          and database = (select oid from pg_database where datname = current_database())`,
      )
      .toHaveLength(2)
    for (const worker of workers) await worker.idle()

    await host.integrations.pipeline(quotationId).stepCompleted('requirement_analysis')

    await receiver.waitFor(10)
    const leased = await host.sql`
      select count(*)::int as deliveries from quickquote.deliveries group by leased_by order by deliveries`
    expect(leased).toEqual([{ deliveries: 2 }, { deliveries: 8 }])
  })
})
