import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  type EmbeddedPostgres,
  type Receiver,
  type ReceiverOptions,
  scratchFolder,
  startPostgres,
} from '@quickquote/dev-servers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { certificate, type Host, type HostOptions, openHost, openReceiver } from './support/host.ts'

/** Clients wait longer before each reconnect. */
const PATIENTLY = { timeout: 50_000 }

vi.setConfig({ testTimeout: 300_000 })

let postgres: EmbeddedPostgres
let host: Host
let receiver: Receiver

beforeAll(async () => {
  postgres = await startPostgres({
    dataDir: join(scratchFolder(), `quickquote-outage-${randomUUID()}`),
    persistent: false,
  })
})

afterAll(() => postgres.stop())

async function open(respond?: ReceiverOptions['respond'], options: HostOptions = {}): Promise<void> {
  receiver = await openReceiver(respond)
  host = await openHost({ databaseUrl: await postgres.createDatabase(), ...options })
}

/** The warnings and errors that an operator sees, without deliveries. */
function troubles() {
  return host.logs
    .filter(({ level, message }) => /^(warn|error)$/.test(level) && message !== 'delivery.attempted')
    .map(({ level, message }) => `${level}: ${message}`)
}

const AWAY = expect.stringMatching(
  /^error: the database is unreachable: .* check that it is running and reachable$/,
)
const BACK = 'warn: the database is reachable again'

describe('connections that are cut repeatedly', () => {
  it('only cause delay: every event arrives, and every request is on record', async () => {
    await open(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return { status: 204 }
    })
    for (let n = 0; n < 4; n += 1) await host.createEndpoint(`${receiver.url}/${n}`)
    const quotes = await Promise.all(Array.from({ length: 40 }, () => host.finishStep()))
    await host.createWorker({ ca: certificate.cert, pollIntervalMs: 200 }).start()

    for (let cut = 0; cut < 5; cut += 1) {
      await receiver.waitFor(20 * (cut + 1))
      await host.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'quickquote'`
    }

    await expect.poll(() => host.pending(), PATIENTLY).toEqual([])
    const attempts = await host.attempts()
    // No worker was declared dead and no outcome was lost, so nothing was sent twice.
    expect(attempts.map(({ status }) => status)).toEqual(Array(160).fill('succeeded'))
    expect(receiver.requests).toHaveLength(160)
    const received = new Set(
      receiver.requests.map(
        ({ path, rawBody }) => `${path} ${JSON.parse(rawBody.toString()).data.quotation_id}`,
      ),
    )
    expect(received.size).toBe(4 * quotes.length)
  })
})

describe('a database that goes down', () => {
  it.each(['fast', 'immediate'] as const)('(%s) has all outcomes once it is back', async (mode) => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    await open(async () => {
      if (receiver.requests.length <= 5) await answered
      return { status: 204 }
    })
    await host.createEndpoint(receiver.url)
    await host.createWorker({ ca: certificate.cert, pollIntervalMs: 100 }).start()
    for (let n = 0; n < 5; n += 1) await host.finishStep()
    await receiver.waitFor(5)

    await postgres.restart({
      mode,
      whileDown: async () => {
        answer()
        await expect.poll(troubles, PATIENTLY).toEqual([AWAY])
        // Deliveries, starts, heartbeats and housekeeping all fail repeatedly, but only one line is logged.
        await new Promise((resolve) => setTimeout(resolve, 2000))
      },
    })

    await expect.poll(() => host.attempts().catch(() => []), PATIENTLY).toHaveLength(5)
    expect((await host.attempts()).map(({ status, attempt }) => [status, attempt])).toEqual(
      Array(5).fill(['succeeded', 1]),
    )
    expect(receiver.requests).toHaveLength(5)
    await expect.poll(troubles, PATIENTLY).toEqual([AWAY, BACK])
    await host.finishStep()
    await receiver.waitFor(6, { timeoutMs: PATIENTLY.timeout })
  })

  it('during a pipeline start has its result once it is back', async () => {
    let started = () => {}
    let starts = 0
    await open(undefined, {
      pipeline: {
        start() {
          starts += 1
          return new Promise((resolve) => (started = resolve))
        },
      },
    })
    await host.createWorker().start()
    await host.startQuote()
    await expect.poll(() => starts).toBe(1)

    await postgres.restart({
      mode: 'immediate',
      whileDown: async () => {
        started()
        await expect.poll(troubles, PATIENTLY).toEqual([AWAY])
      },
    })

    await expect
      .poll(() => host.sql`select * from quickquote.pipeline_starts`.catch(() => undefined), PATIENTLY)
      .toHaveLength(0)
    expect(starts).toBe(1)
  })

  it('forever does not prevent a worker from stopping', async () => {
    await open(() => ({ status: 204 }))
    await host.createEndpoint(receiver.url)
    const worker = host.createWorker({ ca: certificate.cert, pollIntervalMs: 50 })
    await worker.start()

    await postgres.restart({
      whileDown: async () => {
        await expect.poll(troubles, PATIENTLY).toEqual([AWAY])
        await worker.stop({ deadlineMs: 100 })
      },
    })

    expect(host.logs.at(-1)).toMatchObject({ message: 'the delivery worker has stopped' })
  })
})
