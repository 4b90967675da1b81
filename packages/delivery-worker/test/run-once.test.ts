import { ConfigurationError } from '@quickquote/core'
import type { Receiver, ReceiverOptions } from '@quickquote/dev-servers'
import { integrationsOn, NOWHERE } from '@quickquote/dev-servers/host'
import { describe, expect, it } from 'vitest'
import {
  certificate,
  type Host,
  type HostOptions,
  NO_WAITING,
  openHost,
  openReceiver,
} from './support/host.ts'
import { runWorker } from './support/worker-process.ts'

/** Nothing here takes that long. */
const FOR_MS = 60_000
/** A busy machine is late. What hangs takes longer. */
const LONGEST_MS = 60_000
/** The least that is accepted with a timeout of a second: a stop may take seven more, and looking for work one. */
const LEAST_MS = 9000
const DELIVERY = { ...NO_WAITING, timeoutMs: 1000 }

let host: Host
let receiver: Receiver

async function open(respond?: ReceiverOptions['respond'], options: HostOptions = {}): Promise<void> {
  receiver = await openReceiver(respond)
  host = await openHost({ delivery: DELIVERY, ...options })
  await host.createEndpoint(receiver.url)
}

const newWorker = () => host.createWorker({ ca: certificate.cert })
const workers = () => host.sql`select * from quickquote.workers`

describe('runOnce', () => {
  it('starts quotes, sends what they report and what was due, keeps house, and deregisters', async () => {
    await open(undefined, {
      pipeline: { start: async (_, { report }) => report.stepCompleted('requirement_analysis') },
    })
    await host.finishStep()
    await host.startQuote()
    await host.sql`insert into quickquote.uploads (id, organization_id, created_at)
      values (gen_random_uuid(), gen_random_uuid(), now() - interval '2 hours')`
    const worker = newWorker()
    expect(await worker.runOnce({ forMs: FOR_MS })).toEqual({ done: true })
    expect((await host.attempts()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
    expect(receiver.requests).toHaveLength(2)
    expect(await host.pending()).toEqual([])
    expect(await host.sql`select * from quickquote.uploads`).toEqual([])
    expect(await workers()).toEqual([])
    // Again, with more to do.
    await host.finishStep()
    expect(await worker.runOnce({ forMs: FOR_MS })).toEqual({ done: true })
    expect(receiver.requests).toHaveLength(3)
  })

  it('does nothing if nothing is due, and leaves retries that are due later', async () => {
    await open(() => ({ status: 503 }), { delivery: { ...DELIVERY, backoffMs: 60_000 } })
    const worker = newWorker()
    expect(await worker.runOnce({ forMs: FOR_MS })).toEqual({ done: true })
    expect(await host.attempts()).toEqual([])
    await host.finishStep()
    await worker.runOnce({ forMs: FOR_MS })
    expect(await worker.runOnce({ forMs: FOR_MS })).toEqual({ done: true })
    expect(await host.attempts()).toMatchObject([{ attempt: 1, status: 'failed', http_status: 503 }])
    expect(await host.pending()).toMatchObject([{ leased_by: null }])
  })

  it('waits for an endpoint that hangs until the timeout of its attempt', async () => {
    await open(() => ({ hang: true }), { delivery: { timeoutMs: 1000, backoffMs: 60_000 } })
    await host.finishStep()
    expect(await newWorker().runOnce({ forMs: FOR_MS })).toEqual({ done: true })
    expect(await host.attempts()).toMatchObject([
      { status: 'failed', error: expect.not.stringContaining('stopped') },
    ])
    expect(await host.pending()).toMatchObject([{ attempt: 1, leased_by: null }])
  })

  it('lets an attempt end that began late, and begins no other', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const timeoutMs = 60_000
    await open(() => answered.then(() => ({ status: 204 })), { delivery: { timeoutMs } })
    await host.finishStep()
    const worker = newWorker()
    // Looks for work for five seconds.
    const run = worker.runOnce({ forMs: timeoutMs + 12_000 })
    await receiver.next()
    await expect.poll(() => worker.health().state).toBe('stopping')
    await host.finishStep()
    answer()
    expect(await run).toEqual({ done: false })
    expect((await host.attempts()).map(({ status }) => status)).toEqual(['succeeded'])
    expect(await host.pending()).toMatchObject([{ attempt: 0, leased_by: null }])
  })

  it('is back in time if a pipeline start hangs, which counts no attempt and stays in the queue', async () => {
    let calls = 0
    await open(undefined, {
      pipeline: {
        start() {
          calls += 1
          return new Promise(() => {})
        },
      },
    })
    await host.startQuote()
    const begun = performance.now()
    expect(await newWorker().runOnce({ forMs: LEAST_MS + 5000 })).toEqual({ done: false })
    expect(performance.now() - begun).toBeLessThan(LONGEST_MS)
    expect(calls).toBe(1)
    expect(await host.sql`select attempt, leased_by from quickquote.pipeline_starts`).toMatchObject([
      { attempt: 0, leased_by: null },
    ])
  })

  it('twice at the same time sends each event once', async () => {
    await open()
    const events = await Promise.all(Array.from({ length: 20 }, () => host.finishStep()))
    const runs = await Promise.all([
      newWorker().runOnce({ forMs: FOR_MS }),
      newWorker().runOnce({ forMs: FOR_MS }),
    ])
    expect(runs).toEqual([{ done: true }, { done: true }])
    expect(receiver.requests).toHaveLength(events.length)
    expect(await host.pending()).toEqual([])
  })

  it('that is killed while it sends loses nothing: the next run records the attempt and sends again', async () => {
    await open(() => (receiver.requests.length === 1 ? { hang: true } : { status: 204 }))
    await host.finishStep()
    const killed = runWorker({
      DATABASE_URL: host.databaseUrl,
      CA: certificate.cert,
      RUN_ONCE_FOR: '60000',
    })
    await receiver.next()
    killed.signal('SIGKILL')
    await killed.exited
    await host.sql`update quickquote.workers set heartbeat_at = heartbeat_at - interval '1 minute'`

    expect(await newWorker().runOnce({ forMs: FOR_MS })).toEqual({ done: true })
    expect(await host.attempts()).toMatchObject([
      { attempt: 1, status: 'interrupted' },
      { attempt: 2, status: 'succeeded' },
    ])
    expect(await workers()).toEqual([])
  })

  it('leaves nothing open: the process ends by itself', async () => {
    await open()
    await host.finishStep()
    const process = runWorker({ DATABASE_URL: host.databaseUrl, CA: certificate.cert, RUN_ONCE_FOR: '60000' })
    expect(await process.exited).toBe(0)
    expect(process.lines).toContain('{"done":true}')
    expect((await host.attempts()).map(({ status }) => status)).toEqual(['succeeded'])
  })

  it('is refused if the time is too short for the timeout of an attempt, or the worker is running', async () => {
    await open()
    const worker = newWorker()
    await expect(worker.runOnce({ forMs: LEAST_MS - 1 })).rejects.toThrow(ConfigurationError)
    await expect(worker.runOnce({ forMs: LEAST_MS - 1 })).rejects.toThrow(
      /runOnce: forMs must be .* from 9000/,
    )
    await worker.start()
    await expect(worker.runOnce({ forMs: LEAST_MS })).rejects.toThrow('already running')
  })

  it('rejects if the database cannot be reached, and can be called again', async () => {
    await open()
    const integrations = integrationsOn(NOWHERE, { delivery: DELIVERY })
    const worker = host.createWorker({ integrations })
    for (let call = 1; call <= 2; call += 1) {
      await expect(worker.runOnce({ forMs: FOR_MS })).rejects.toMatchObject({ statusCode: 503 })
    }
    await integrations.close()
  })
})
