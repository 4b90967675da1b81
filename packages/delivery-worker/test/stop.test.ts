import { type Receiver, type ReceiverOptions, sendSignal } from '@quickquote/dev-servers'
import { ownsPostgres } from '@quickquote/dev-servers/vitest'
import { describe, expect, it } from 'vitest'
import type { DeliveryWorker } from '../src/index.ts'
import { certificate, type Host, openHost, openReceiver } from './support/host.ts'
import { runWorker } from './support/worker-process.ts'

let host: Host
let receiver: Receiver

async function open(respond?: ReceiverOptions['respond']): Promise<void> {
  receiver = await openReceiver(respond)
  host = await openHost()
}

const workers = () => host.sql`select * from quickquote.workers`

describe('stop', () => {
  it('finishes and records everything in flight, and leaves nothing leased', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    await open(async () => {
      await answered
      return { status: 204 }
    })
    await host.createEndpoint(receiver.url)
    const worker = host.createWorker({ ca: certificate.cert })
    await worker.start()
    await Promise.all(Array.from({ length: 12 }, () => host.finishStep()))
    await receiver.waitFor(8)

    const stopped = worker.stop()
    await host.finishStep()
    answer()
    await stopped

    expect(receiver.requests).toHaveLength(8)
    expect((await host.attempts()).map(({ status }) => status)).toEqual(Array(8).fill('succeeded'))
    const left = await host.pending()
    expect(left.map(({ leased_by, attempt }) => ({ leased_by, attempt }))).toEqual(
      Array(5).fill({ leased_by: null, attempt: 0 }),
    )
    expect(await workers()).toHaveLength(0)
  })

  it('aborts and records unfinished attempts at the deadline', async () => {
    await open(() => ({ hang: true }))
    await host.createEndpoint(receiver.url)
    const worker = host.createWorker({ ca: certificate.cert })
    await worker.start()
    await host.finishStep()
    await receiver.next()

    await worker.stop({ deadlineMs: 50 })

    expect(await host.attempts()).toMatchObject([
      {
        attempt: 1,
        status: 'failed',
        http_status: null,
        error: 'the worker was stopped before a response arrived',
      },
    ])
    expect(await host.pending()).toMatchObject([{ attempt: 1, leased_by: null }])
    expect(await workers()).toHaveLength(0)
  })

  it('does nothing for a worker that is not running, and a second call waits for the first', async () => {
    await open()
    const worker = host.createWorker()
    await worker.stop()
    await worker.start()

    await Promise.all([worker.stop(), worker.stop()])
    await worker.stop()

    expect(await workers()).toHaveLength(0)
  })

  it('can be followed by a start', async () => {
    await open()
    await host.createEndpoint(receiver.url)
    const worker = host.createWorker({ ca: certificate.cert })
    await worker.start()
    await expect(worker.start()).rejects.toThrow('The worker is already running.')
    await worker.stop()

    await worker.start()

    await host.finishStep()
    await receiver.next()
  })

  it('leaves no socket, timer or connection: the process ends by itself', async () => {
    await open()
    await host.createEndpoint(receiver.url)
    await host.finishStep()

    const process = runWorker({ DATABASE_URL: host.databaseUrl, CA: certificate.cert, STOP_AFTER: '1' })
    await process.printed('stopped')

    expect(await process.exited).toBe(0)
    expect((await host.attempts()).map(({ status }) => status)).toEqual(['succeeded'])
  })
})

describe('stop keeps its deadline', () => {
  const DEADLINE_MS = 200
  /** A worker may take five seconds more for its last steps. The hanging parts of these tests take longer. */
  const LONGEST_MS = 30_000

  async function expectToStop(worker: DeliveryWorker): Promise<void> {
    const begun = performance.now()
    await worker.stop({ deadlineMs: DEADLINE_MS })
    expect(performance.now() - begun).toBeLessThan(LONGEST_MS)
  }

  it('while a file store never finishes a delete', async () => {
    receiver = await openReceiver()
    let deletes = 0
    host = await openHost({
      hookTimeoutMs: 60_000,
      files: {
        async put() {},
        async *get() {},
        delete() {
          deletes += 1
          return new Promise(() => {})
        },
      },
    })
    await host.sql`insert into quickquote.uploads (id, organization_id, created_at)
      values (gen_random_uuid(), gen_random_uuid(), now() - interval '2 hours')`
    const worker = host.createWorker()
    await worker.start()
    await expect.poll(() => deletes).toBe(1)

    await expectToStop(worker)

    expect(await workers()).toHaveLength(0)
  })

  it('while the hooks of five disabled endpoints hang, none of which waits for another', async () => {
    receiver = await openReceiver()
    let calls = 0
    host = await openHost({
      hookTimeoutMs: 60_000,
      onEndpointDisabled() {
        calls += 1
        return new Promise(() => {})
      },
    })
    for (let n = 0; n < 5; n += 1) {
      const { id } = await host.createEndpoint(`${receiver.url}/${n}`)
      await host.sql`insert into quickquote.endpoint_health (endpoint_id, failing_since)
        values (${id}, now() - interval '6 days')`
    }
    const worker = host.createWorker()
    await worker.start()
    await expect.poll(() => calls).toBe(5)

    await expectToStop(worker)

    expect(await workers()).toHaveLength(0)
  })

  it.runIf(ownsPostgres)(
    'while the listening connection is half open, and the worker has been removed',
    async () => {
      await open()
      const worker = host.createWorker()
      await worker.start()
      // The connection that listens holds the lock of its worker, and does nothing else for 25 seconds.
      const listening = () => host.sql<{ pid: number }[]>`select pid from pg_stat_activity
        where datname = current_database() and state = 'idle' and query like 'select pg_advisory_lock_shared(%'`
      await expect.poll(listening).toHaveLength(1)
      const pid = (await listening())[0]?.pid ?? 0
      sendSignal('SIGSTOP', pid)

      try {
        await expectToStop(worker)
        expect(await workers()).toHaveLength(0)
      } finally {
        sendSignal('SIGCONT', pid)
      }
    },
  )

  it('while a start hangs, which is stopped once it has ended', async () => {
    await open()
    const worker = host.createWorker()
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    let isLocked = () => {}
    const locked = new Promise<void>((resolve) => (isLocked = resolve))
    const holder = host.sql.begin(async (sql) => {
      await sql`lock table quickquote.workers`
      isLocked()
      await released
    })
    await locked
    const started = worker.start().catch(() => undefined)

    await expectToStop(worker)

    release()
    await holder
    await started
    await expect.poll(() => worker.health().state).toBe('stopped')
    expect(await workers()).toHaveLength(0)
  })
})

describe('start', () => {
  it('rejects if the database cannot be reached, and can be retried', async () => {
    await open()
    const worker = host.createWorker()
    await host.sql`alter table quickquote.workers rename to hidden`

    await expect(worker.start()).rejects.toMatchObject({ name: 'StorageError' })

    await host.sql`alter table quickquote.hidden rename to workers`
    await worker.start()
    expect(await workers()).toHaveLength(1)
  })
})
