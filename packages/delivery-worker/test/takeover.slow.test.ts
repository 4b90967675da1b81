import { setTimeout as sleep } from 'node:timers/promises'
import { type LossyProxy, lossyProxy, type Receiver } from '@quickquote/dev-servers'
import { afterEach, describe, expect, it } from 'vitest'
import { certificate, type Host, openHost, openReceiver } from './support/host.ts'
import { runWorker } from './support/worker-process.ts'

let host: Host
let receiver: Receiver
let proxies: LossyProxy[] = []

afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()))
  proxies = []
})

const eventIds = () =>
  receiver.requests.map(({ headers, path }) => `${path} ${headers['x-service-event-id']}`)

describe('after an outage of the database', () => {
  const HEARTBEAT_MS = 1000
  const DEAD_AFTER_MS = 10_000

  it('a worker that reconnects earlier does not declare others dead that are still reconnecting', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    receiver = await openReceiver(async () => {
      await answered
      return { status: 204 }
    })
    host = await openHost({ delivery: { timeoutMs: 60_000 } })
    await host.createEndpoint(receiver.url)
    const [late, early] = [await lossyProxy(host.databaseUrl), await lossyProxy(host.databaseUrl)]
    proxies = [late, early]
    for (const { url } of proxies) {
      const worker = runWorker({
        DATABASE_URL: url,
        CA: certificate.cert,
        HEARTBEAT_MS: String(HEARTBEAT_MS),
        DEAD_AFTER_MS: String(DEAD_AFTER_MS),
        LOGGER: 'prints',
      })
      await worker.printed('running')
    }
    // From now on each would take over from a dead one.
    await sleep(DEAD_AFTER_MS + HEARTBEAT_MS)
    for (let n = 0; n < 8; n += 1) await host.finishStep()
    await receiver.waitFor(8)

    const begun = performance.now()
    for (const proxy of proxies) {
      proxy.refuse(true)
      proxy.cut('reset')
    }
    answer()
    await sleep(7000)
    early.refuse(false)
    // The earlier one saw the other as dead for a heartbeat or two.
    await sleep(DEAD_AFTER_MS + 1500 - (performance.now() - begun))
    late.refuse(false)

    await expect.poll(() => host.pending()).toEqual([])
    expect((await host.attempts()).map(({ status }) => status)).toEqual(Array(8).fill('succeeded'))
    expect(receiver.requests).toHaveLength(8)
  })
})

describe('a worker that holds leases, at the defaults', () => {
  /** Answers only after `answer`. The worker has sent the heartbeat that promises others. */
  async function openHolding(databaseUrl = (url: string) => Promise.resolve(url)) {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    receiver = await openReceiver(async () => {
      if (receiver.requests.length <= 8) await answered
      return { status: 204 }
    })
    host = await openHost({ delivery: { timeoutMs: 60_000 } })
    await host.createEndpoint(receiver.url)
    const remote = runWorker({
      DATABASE_URL: await databaseUrl(host.databaseUrl),
      CA: certificate.cert,
      HEARTBEAT_MS: '5000',
      DEAD_AFTER_MS: '15000',
    })
    await remote.printed('running')
    for (let n = 0; n < 12; n += 1) await host.finishStep()
    await receiver.waitFor(8)
    await expect
      .poll(() => host.sql`select from quickquote.workers where lost_after_ms is not null`)
      .toHaveLength(1)
    return { remote, answer }
  }

  it.each(['earlier', 'afterwards'])(
    'and is killed is replaced within seconds by one that began %s',
    async (when) => {
      const { remote } = await openHolding()
      const other = host.createWorker({ ca: certificate.cert })
      if (when === 'earlier') await other.start()
      const killedAt = performance.now()
      remote.signal('SIGKILL')
      await remote.exited
      if (when === 'afterwards') await other.start()

      await receiver.waitFor(20)

      // Its last heartbeat is enough for 15 s.
      expect(performance.now() - killedAt).toBeLessThan(8000)
      await expect.poll(() => host.pending()).toEqual([])
    },
  )

  it('keeps them if its connections are cut again and again, and it reconnects', async () => {
    const { remote, answer } = await openHolding(async (url) => {
      const proxy = await lossyProxy(url)
      proxies = [proxy]
      return proxy.url
    })
    const other = host.createWorker({ ca: certificate.cert })
    await other.start()
    for (let n = 0; n < 3; n += 1) {
      proxies[0]?.cut('reset')
      await sleep(2500)
    }
    answer()

    await expect.poll(() => host.pending()).toEqual([])
    expect((await host.attempts()).map(({ status }) => status)).toEqual(Array(12).fill('succeeded'))
    expect(receiver.requests).toHaveLength(12)
    remote.signal('SIGTERM')
  })
})

describe('a worker that was asleep', () => {
  it('sends none of its leased deliveries, because others may have sent them', async () => {
    receiver = await openReceiver(async () => {
      await sleep(150)
      return { status: 204 }
    })
    host = await openHost()
    for (let n = 0; n < 12; n += 1) await host.createEndpoint(`${receiver.url}/${n}`)
    for (let n = 0; n < 8; n += 1) await host.finishStep()
    // One socket at a time, so that most of its claim has to wait.
    const remote = runWorker({
      DATABASE_URL: host.databaseUrl,
      CA: certificate.cert,
      HEARTBEAT_MS: '500',
      DEAD_AFTER_MS: '2500',
      SOCKETS: '1',
      LOGGER: 'prints',
    })
    await remote.printed('running')
    await receiver.waitFor(5)
    remote.signal('SIGSTOP')

    await host.createWorker({ ca: certificate.cert, heartbeatMs: 500, deadAfterMs: 2500 }).start()
    await expect.poll(() => host.pending()).toEqual([])
    const sent = receiver.requests.length
    expect(new Set(eventIds()).size).toBe(96)
    expect((await host.attempts()).some(({ status }) => status === 'interrupted')).toBe(true)

    remote.signal('SIGCONT')
    await expect.poll(() => host.sql`select * from quickquote.workers`).toHaveLength(2)
    await sleep(3000)
    expect(receiver.requests).toHaveLength(sent)

    await host.finishStep()
    await receiver.waitFor(sent + 12)
  })
})
