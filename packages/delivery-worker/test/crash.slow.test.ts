import type { Receiver, ReceiverOptions } from '@quickquote/dev-servers'
import { describe, expect, it } from 'vitest'
import { certificate, type Host, type HostOptions, openHost, openReceiver } from './support/host.ts'
import { runWorker, type WorkerProcess } from './support/worker-process.ts'

/** Faster than the defaults, and slow enough for a busy machine. */
const FAST = { heartbeatMs: 300, deadAfterMs: 5000 }
const PATIENTLY = { timeout: 60_000 }

let host: Host
let receiver: Receiver

async function open(respond?: ReceiverOptions['respond'], options: HostOptions = {}): Promise<void> {
  receiver = await openReceiver(respond)
  host = await openHost(options)
}

/** A running worker in another process. */
async function runRemote(env: Record<string, string> = {}): Promise<WorkerProcess> {
  const worker = runWorker({
    DATABASE_URL: host.databaseUrl,
    CA: certificate.cert,
    HEARTBEAT_MS: String(FAST.heartbeatMs),
    DEAD_AFTER_MS: String(FAST.deadAfterMs),
    ...env,
  })
  await worker.printed('running')
  return worker
}

describe('a worker killed while sending', () => {
  it('leaves an interrupted attempt on record, and another worker sends the event again', async () => {
    await open(() => (receiver.requests.length === 1 ? { hang: true } : { status: 204 }))
    await host.createEndpoint(receiver.url)
    const remote = await runRemote()
    await host.finishStep()
    const cutOff = await receiver.next()

    remote.signal('SIGKILL')
    await remote.exited
    await host.createWorker({ ca: certificate.cert, ...FAST }).start()

    const again = await receiver.next()
    expect(again.headers['x-service-event-id']).toBe(cutOff.headers['x-service-event-id'])
    await expect
      .poll(() => host.attempts(), PATIENTLY)
      .toMatchObject([
        { attempt: 1, status: 'interrupted', http_status: null, next_attempt_at: expect.any(Date) },
        { attempt: 2, status: 'succeeded', http_status: 204 },
      ])
    expect(await host.pending()).toEqual([])
    expect(await host.sql`select * from quickquote.workers`).toHaveLength(1)
  })
})

describe('a process killed right after the commit of an event', () => {
  it('leaves its delivery to another worker', async () => {
    await open()
    await host.createEndpoint(receiver.url)
    const remote = await runRemote({ KILLED_AT_COMMIT_OF: await host.startQuote() })
    expect(await remote.exited).toBeNull()
    expect(await host.pending()).toMatchObject([{ leased_by: expect.any(String), attempt: 1 }])

    await host.createWorker({ ca: certificate.cert, ...FAST }).start()

    await expect
      .poll(() => host.attempts(), PATIENTLY)
      .toMatchObject([
        { attempt: 1, status: 'interrupted' },
        { attempt: 2, status: 'succeeded' },
      ])
    expect(receiver.requests).toHaveLength(1)
  })
})

describe('a worker killed during a pipeline start', () => {
  it('leaves the order to another worker', async () => {
    const started: string[] = []
    await open(undefined, {
      pipeline: { start: async (quote) => void started.push(quote.id) },
    })
    const remote = await runRemote()
    const id = await host.startQuote()
    await remote.printed('pipeline started')

    remote.signal('SIGKILL')
    await remote.exited
    await host.createWorker(FAST).start()

    await expect.poll(() => started, PATIENTLY).toEqual([id])
    await expect.poll(() => host.sql`select * from quickquote.pipeline_starts`, PATIENTLY).toHaveLength(0)
  })
})

describe('a worker killed during a pipeline start of a quote that is then cancelled', () => {
  it('leaves it to another worker to cancel: it is not started again', async () => {
    const called: string[] = []
    await open(undefined, {
      pipeline: {
        start: async ({ id }) => void called.push(`start ${id}`),
        cancel: async ({ id }) => void called.push(`cancel ${id}`),
      },
    })
    const remote = await runRemote()
    const id = await host.startQuote()
    await remote.printed('pipeline started')

    remote.signal('SIGKILL')
    await remote.exited
    const { organization_id } = (await host.sql`select organization_id from quickquote.quotations`)[0] ?? {}
    await host.integrations.quotations.cancel?.(organization_id, id)
    await host.createWorker(FAST).start()

    await expect.poll(() => called, PATIENTLY).toEqual([`cancel ${id}`])
    await expect.poll(() => host.sql`select * from quickquote.pipeline_starts`, PATIENTLY).toHaveLength(0)
  })
})

describe('a paused worker', () => {
  it('changes nothing done without it, and continues working', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    await open(async () => {
      if (receiver.requests.length > 1) return { status: 204 }
      await answered
      return { status: 500 }
    })
    await host.createEndpoint(receiver.url)
    const remote = await runRemote()
    await host.finishStep()
    await receiver.next()

    remote.signal('SIGSTOP')
    const worker = host.createWorker({ ca: certificate.cert, ...FAST })
    await worker.start()
    await receiver.next()
    await expect.poll(() => host.attempts(), PATIENTLY).toHaveLength(2)
    answer()
    remote.signal('SIGCONT')
    await worker.stop()
    await host.finishStep()
    await receiver.next()

    // Its failed attempt was reported too late: its lease was gone.
    await expect
      .poll(() => host.attempts(), PATIENTLY)
      .toMatchObject([
        { attempt: 1, status: 'interrupted' },
        { attempt: 2, status: 'succeeded' },
        { attempt: 1, status: 'succeeded' },
      ])
    await expect.poll(() => host.sql`select * from quickquote.workers`, PATIENTLY).toHaveLength(1)
  })
})
