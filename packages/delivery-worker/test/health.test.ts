import type { Receiver, ReceiverOptions } from '@quickquote/dev-servers'
import { describe, expect, it } from 'vitest'
import type { DeliveryWorker, DeliveryWorkerOptions } from '../src/index.ts'
import { certificate, type Host, openHost, openReceiver } from './support/host.ts'

/** Failures for 300 ms count. */
const FAST = { heartbeatMs: 50, deadAfterMs: 300, pollIntervalMs: 50 }
const PATIENT = { timeout: 60_000 }

let host: Host
let receiver: Receiver

async function open(
  options: Partial<DeliveryWorkerOptions> = {},
  respond?: ReceiverOptions['respond'],
): Promise<DeliveryWorker> {
  receiver = await openReceiver(respond)
  host = await openHost()
  return host.createWorker({ ca: certificate.cert, ...options })
}

function healthPort(): unknown {
  return host.logs.find(({ message }) => message === 'the health checks are available')?.fields['port']
}

async function get(path: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://127.0.0.1:${healthPort()}${path}`, init)
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

describe('health()', () => {
  it('follows a worker from start to stop', async () => {
    const worker = await open({}, () => ({ hang: true }))
    expect(worker.health()).toEqual({
      ready: false,
      reasons: ['the worker is stopped'],
      state: 'stopped',
      in_flight: 0,
      heartbeat_age_ms: null,
      warnings: [],
      clock_ahead_ms: null,
    })

    const started = worker.start()
    expect(worker.health()).toMatchObject({ ready: false, state: 'starting' })
    await started
    await host.createEndpoint(receiver.url)
    await host.finishStep()
    await receiver.next()
    expect(worker.health()).toEqual({
      ready: true,
      reasons: [],
      state: 'running',
      in_flight: 1,
      heartbeat_age_ms: expect.any(Number),
      warnings: [],
      clock_ahead_ms: expect.any(Number),
    })

    const stopped = worker.stop({ deadlineMs: 0 })
    expect(worker.health()).toMatchObject({
      ready: false,
      reasons: ['the worker is stopping'],
      state: 'stopping',
    })
    await stopped
    expect(worker.health()).toMatchObject({ state: 'stopped', in_flight: 0 })
  })

  it('is not ready while heartbeats fail, and ready again afterwards', async () => {
    const worker = await open(FAST)
    await worker.start()

    await host.sql`alter table quickquote.workers rename to hidden`
    await expect
      .poll(() => worker.health(), PATIENT)
      .toMatchObject({
        ready: false,
        reasons: [expect.stringMatching(/^the last heartbeat reached the database \d+ ms ago$/)],
      })

    await host.sql`alter table quickquote.hidden rename to workers`
    await expect.poll(() => worker.health(), PATIENT).toMatchObject({ ready: true, reasons: [] })
  })

  it('is not ready while deliveries cannot be claimed', async () => {
    const worker = await open(FAST)
    await worker.start()

    await host.sql`alter table quickquote.deliveries rename to hidden`
    await expect
      .poll(() => worker.health().reasons, PATIENT)
      .toContainEqual(expect.stringMatching(/^deliveries could not be claimed or recorded for \d+ ms$/))

    await host.sql`alter table quickquote.hidden rename to deliveries`
    await expect.poll(() => worker.health().ready, PATIENT).toBe(true)
  })
})

describe('health over HTTP', () => {
  it('is off without a port', async () => {
    const worker = await open()
    await worker.start()
    expect(healthPort()).toBeUndefined()
  })

  it('reports whether the worker is alive and ready', async () => {
    const worker = await open({ health: { port: 0, host: '127.0.0.1' } })
    await worker.start()

    const body = {
      ...worker.health(),
      heartbeat_age_ms: expect.any(Number),
      clock_ahead_ms: expect.any(Number),
    }
    expect(await get('/health/ready')).toEqual({ status: 200, body })
    expect(await get('/health/live?probe=1')).toEqual({ status: 200, body })
    expect(await get('/health/ready', { method: 'HEAD' })).toEqual({ status: 200, body: null })
    expect(await get('/health/ready', { method: 'POST' })).toMatchObject({ status: 405 })
    expect(await get('/metrics')).toMatchObject({ status: 404 })
  })

  it('is 503 while the worker stops, although the process is alive, and closed afterwards', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const worker = await open({ health: { port: 0 } }, async () => {
      await answered
      return { status: 204 }
    })
    await worker.start()
    await host.createEndpoint(receiver.url)
    await host.finishStep()
    await receiver.next()

    const stopped = worker.stop()
    expect(await get('/health/ready')).toMatchObject({ status: 503, body: { state: 'stopping' } })
    expect(await get('/health/live')).toMatchObject({ status: 200 })
    answer()
    await stopped

    await expect(get('/health/live')).rejects.toThrow()
  })

  it('prevents a worker from starting if the port is in use', async () => {
    const worker = await open({ health: { port: 0 } })
    await worker.start()

    const second = host.createWorker({ health: { port: Number(healthPort()) } })
    await expect(second.start()).rejects.toThrow(
      /createDeliveryWorker: health\.port \d+ is already in use, perhaps by another worker on this machine: choose another/,
    )
    expect(await host.sql`select 1 from quickquote.workers`).toHaveLength(1)
  })
})
