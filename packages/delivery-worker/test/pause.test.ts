import type { Receiver, ReceiverOptions } from '@quickquote/dev-servers'
import { adminOf } from '@quickquote/dev-servers/host'
import { describe, expect, it } from 'vitest'
import {
  certificate,
  type Host,
  type HostOptions,
  ORGANIZATION,
  openHost,
  openReceiver,
  STEP_EVENT,
} from './support/host.ts'
import { runWorker } from './support/worker-process.ts'

const PATIENTLY = { timeout: 30_000 }
const HOUR = { 'retry-after': '3600' }
const admin = adminOf(ORGANIZATION)

let host: Host
let receiver: Receiver
let endpoint: string

async function open(respond: ReceiverOptions['respond'], options: HostOptions = {}): Promise<void> {
  receiver = await openReceiver(respond)
  host = await openHost(options)
  endpoint = (await host.createEndpoint(receiver.url)).id
}

async function finishSteps(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await host.finishStep()
}

const workers = (count: number) =>
  Promise.all(Array.from({ length: count }, () => host.createWorker({ ca: certificate.cert }).start()))

/** In the time of the database. */
async function pausedFor(): Promise<number | null> {
  const [row] = await host.sql<{ seconds: number | null }[]>`
    select extract(epoch from paused_until - now())::float as seconds from quickquote.endpoint_health`
  return row?.seconds ?? null
}

const pauseIsSet = () => expect.poll(async () => (await pausedFor()) ?? 0, PATIENTLY).toBeGreaterThan(0)
const endPause = () =>
  host.sql`update quickquote.endpoint_health set paused_until = now() - interval '1 millisecond'`
const pausedUntil = async () => (await host.integrations.webhookEndpoints.get(admin, endpoint)).paused_until
const attempts = () => host.sql`select attempt from quickquote.deliveries where attempt > 0`

/** Resolves once no worker holds a delivery. */
const nothingIsInFlight = () =>
  expect
    .poll(() => host.sql`select from quickquote.deliveries where leased_by is not null`, PATIENTLY)
    .toHaveLength(0)

describe('after a 429', () => {
  it('at most as many requests as were in flight reach the endpoint, from any number of workers', async () => {
    await open(() => (receiver.requests.length <= 20 ? { status: 204 } : { status: 429, headers: HOUR }))
    await finishSteps(60)
    const remote = runWorker({ DATABASE_URL: host.databaseUrl, CA: certificate.cert })
    await remote.printed('running')
    await workers(2)
    await pauseIsSet()
    await nothingIsInFlight()

    const seen = receiver.requests.length
    expect(seen).toBeGreaterThan(20)
    expect(seen).toBeLessThanOrEqual(20 + 8)
    // Nothing else has used up an attempt. A claim that did not see the pause may still be committed.
    await expect.poll(async () => (await attempts()).length - receiver.requests.length, PATIENTLY).toBe(-20)
    expect((await host.pending()).length).toBe(40)
    expect((await pausedUntil())?.getTime()).toBeGreaterThan(Date.now() + 3_500_000)
  })

  it('one delivery is tried when the time is over, and its success lets the rest follow', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    await open(async () => {
      if (receiver.requests.length === 1) return { status: 429, headers: HOUR }
      if (receiver.requests.length === 2) await answered
      return { status: 204 }
    })
    await host.finishStep()
    await workers(1)
    await pauseIsSet()
    await finishSteps(20)
    await endPause()
    await workers(2)
    await receiver.waitFor(2)
    await finishSteps(5)

    // The probe is in flight, and nothing else.
    expect(receiver.requests).toHaveLength(2)
    expect((await host.pending()).filter(({ leased_by }) => leased_by !== null)).toHaveLength(1)
    answer()
    await expect.poll(() => host.pending(), PATIENTLY).toMatchObject([{ attempt: 1 }])
    expect(receiver.requests).toHaveLength(1 + 25)
    expect(await pausedFor()).toBeNull()
  })

  it.each([
    ['another 429 sets the pause again', { status: 429, headers: { 'retry-after': '60' } }, true],
    ['another failure ends the pause', { status: 500 }, false],
    ['a 410 ends the pause', { status: 410 }, false],
    ['a 503 without Retry-After ends the pause', { status: 503 }, false],
  ])('%s, if the one that is tried gets it', async (_, answer, isPaused) => {
    await open(() => (receiver.requests.length === 1 ? { status: 429, headers: HOUR } : answer))
    await host.finishStep()
    await workers(1)
    await pauseIsSet()
    await nothingIsInFlight()
    await host.finishStep()
    await endPause()
    await workers(1)
    await receiver.waitFor(2)
    await nothingIsInFlight()

    const seconds = await pausedFor()
    if (!isPaused) expect(seconds).toBeNull()
    else {
      expect(seconds).toBeGreaterThan(30)
      expect(seconds).toBeLessThan(61)
    }
  })

  it('a delivery in flight that succeeds does not end the pause', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    await open(async () => {
      if (receiver.requests.length > 1) return { status: 429, headers: HOUR }
      await answered
      return { status: 204 }
    })
    await host.finishStep()
    await workers(1)
    await receiver.waitFor(1)
    await host.finishStep()
    await pauseIsSet()

    answer()
    await nothingIsInFlight()

    expect(await host.pending()).toHaveLength(1)
    expect(await pausedFor()).toBeGreaterThan(3000)
  })

  it('tests by hand are sent, end no pause and set none, and a resend waits', async () => {
    let testStatus = 204
    await open(() =>
      receiver.requests.length === 1
        ? { status: 429, headers: HOUR }
        : { status: testStatus, headers: { 'retry-after': '99999' } },
    )
    await host.finishStep()
    await workers(1)
    await pauseIsSet()
    const test = () => host.integrations.testDeliveries.send(admin, endpoint, { event_type: STEP_EVENT })
    expect(await test()).toMatchObject({ success: true })
    testStatus = 429
    expect(await test()).toMatchObject({ success: false, http_status: 429 })
    const [row] = await host.sql<{ id: string }[]>`select id from quickquote.deliveries`
    await host.integrations.deliveryLog.resend(admin, row?.id ?? '')
    testStatus = 204
    // By the time of this answer, a worker has looked.
    expect(await test()).toMatchObject({ success: true })

    expect(receiver.requests).toHaveLength(4)
    expect(await host.pending()).toMatchObject([{ attempt: 0, leased_by: null }])
    const seconds = await pausedFor()
    expect(seconds).toBeGreaterThan(3000)
    expect(seconds).toBeLessThan(3601)
  })

  it('disabling and enabling keep the pause; a new origin ends it', async () => {
    await open(() => ({ status: 429, headers: HOUR }))
    await host.finishStep()
    await workers(1)
    await pauseIsSet()
    await nothingIsInFlight()
    const change = (fields: object) => host.integrations.webhookEndpoints.update(admin, endpoint, fields)

    expect(await change({ is_enabled: false })).toMatchObject({ paused_until: expect.any(Date) })
    expect(await change({ is_enabled: true })).toMatchObject({ paused_until: expect.any(Date) })
    expect(await change({ url: `${receiver.url}/other` })).toMatchObject({ paused_until: expect.any(Date) })
    await host.finishStep()
    const moved = await openReceiver()
    expect(await change({ url: moved.url })).toMatchObject({ paused_until: null })
    await moved.next()
    expect(receiver.requests).toHaveLength(1)
  })

  it('an answer of the former origin does not pause the new one', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    await open(async () => {
      await answered
      return { status: 429, headers: HOUR }
    })
    await host.finishStep()
    await workers(1)
    await receiver.next()
    const moved = await openReceiver()
    await host.integrations.webhookEndpoints.update(admin, endpoint, { url: moved.url })
    answer()
    await expect.poll(() => host.attempts(), PATIENTLY).toMatchObject([{ http_status: 429 }])

    expect(await pausedUntil()).toBeNull()
    await host.finishStep()
    await moved.next()
  })
})

describe('the pause', () => {
  it.each([
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '600' } }, [590, 601]],
    ['503 with Retry-After', { status: 503, headers: { 'retry-after': '600' } }, [590, 601]],
    ['429 without', { status: 429 }, [85, 101]],
    ['429 with an unreadable one', { status: 429, headers: { 'retry-after': 'soon' } }, [85, 101]],
    ['429 with days', { status: 429, headers: { 'retry-after': '999999' } }, [43_100, 43_201]],
    ['503 without Retry-After', { status: 503 }, null],
    ['500 with Retry-After', { status: 500, headers: { 'retry-after': '600' } }, null],
  ])('lasts as long as the receiver asks for: %s', async (_, answer, seconds) => {
    await open(() => answer, { delivery: { backoffMs: 100_000, jitter: 0 } })
    await host.finishStep()
    await workers(1)
    await expect.poll(() => host.attempts(), PATIENTLY).toHaveLength(1)

    const pausedSeconds = await pausedFor()
    if (seconds === null) return expect(pausedSeconds).toBeNull()
    expect(pausedSeconds).toBeGreaterThan(seconds[0] ?? 0)
    expect(pausedSeconds).toBeLessThan(seconds[1] ?? 0)
    const [line] = host.logs.filter(({ message }) => message === 'delivery.attempted')
    expect(line?.fields).toMatchObject({ paused_until: expect.any(Date) })
  })

  it('is over at the latest of several ends', async () => {
    const asked = ['600', '3600', '60']
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    await open(async () => {
      const seconds = asked.shift() ?? ''
      if (asked.length === 0) answer()
      await answered
      return { status: 429, headers: { 'retry-after': seconds } }
    })
    await finishSteps(3)
    await workers(1)
    await expect.poll(() => host.attempts(), PATIENTLY).toHaveLength(3)

    expect(await pausedFor()).toBeGreaterThan(3500)
  })

  it('is set by a last attempt, too', async () => {
    await open(() => ({ status: 429, headers: HOUR }), { delivery: { maxAttempts: 1 } })
    await host.finishStep()
    await workers(1)
    await expect.poll(() => host.attempts(), PATIENTLY).toMatchObject([{ status: 'exhausted' }])

    expect(await pausedFor()).toBeGreaterThan(3000)
  })

  it('leaves other endpoints alone, whatever waits behind it', async () => {
    await open(() => ({ status: 429, headers: HOUR }))
    await host.finishStep()
    const worker = host.createWorker({ ca: certificate.cert, concurrency: 16 })
    await worker.start()
    await pauseIsSet()
    await finishSteps(100)
    const other = await openReceiver()
    const neighbour = '9a1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'
    await host.createEndpoint(other.url, neighbour)
    await host.finishStep(neighbour)
    await other.next()
    await worker.idle()

    expect(receiver.requests).toHaveLength(1)
  })
})
