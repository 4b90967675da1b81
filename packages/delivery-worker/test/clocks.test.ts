import { randomUUID } from 'node:crypto'
import type { Receiver } from '@quickquote/dev-servers'
import { beforeEach, describe, expect, it } from 'vitest'
import { certificate, type Host, ORGANIZATION, openHost, openReceiver } from './support/host.ts'
import { runWorker, type WorkerProcess } from './support/worker-process.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

let host: Host
let receiver: Receiver

beforeEach(async () => {
  receiver = await openReceiver()
  host = await openHost()
})

/** A worker on a machine with a wrong clock. */
async function runAhead(aheadMs: number): Promise<WorkerProcess> {
  const worker = runWorker({
    NODE_OPTIONS: `--import=${new URL('./programs/shift-clock.js', import.meta.url).href}`,
    CLOCK_AHEAD_MS: String(aheadMs),
    DATABASE_URL: host.databaseUrl,
    CA: certificate.cert,
    LOGGER: 'prints',
    HEALTH: 'prints',
  })
  await worker.printed('running')
  return worker
}

async function healthOf({
  lines,
}: WorkerProcess): Promise<{ ready: boolean; reasons: string[]; warnings: string[] }> {
  await expect.poll(() => lines.some((line) => line.startsWith('{'))).toBe(true)
  return JSON.parse(lines.find((line) => line.startsWith('{')) ?? '')
}

const ages = (count: number) => `${count} milliseconds`

/** Adds a row of everything that a worker removes or fails, that old by the database's clock. */
async function plant(name: string, factor: number): Promise<void> {
  const { sql } = host
  const quotation = await host.startQuote()
  await sql`update quickquote.quotations set updated_at = now() - ${ages(factor * DAY_MS)}::interval where id = ${quotation}`
  await sql`insert into quickquote.uploads (id, organization_id, created_at)
    values (${randomUUID()}, ${ORGANIZATION}, now() - ${ages(factor * HOUR_MS)}::interval)`
  await sql`insert into quickquote.idempotency_keys (organization_id, key, request_hash, quotation_id, created_at)
    values (${ORGANIZATION}, ${name}, '', ${quotation}, now() - ${ages(factor * DAY_MS)}::interval)`
  const { id } = await host.createEndpoint(`${receiver.url}/${name}`)
  await sql`insert into quickquote.endpoint_health (endpoint_id, failing_since)
    values (${id}, now() - ${ages(factor * 5 * DAY_MS)}::interval)`
}

async function planted(): Promise<unknown> {
  const { sql } = host
  const [row] = await sql`select
    (select count(*)::int from quickquote.quotations where status = 'failed') as failed,
    (select count(*)::int from quickquote.uploads) as uploads,
    (select array_agg(key) from quickquote.idempotency_keys) as keys,
    (select count(*)::int from quickquote.webhook_endpoints where not is_enabled) as disabled`
  return row
}

describe.each([
  ['32 days ahead', 32 * DAY_MS],
  ['32 days behind', -32 * DAY_MS],
])('a worker whose clock is %s', (_, aheadMs) => {
  it('removes and fails only rows that are old by the database’s clock', async () => {
    await plant('old', 1.1)
    await plant('young', 0.9)
    await host.createEndpoint('https://receiver.example/')
    await host.finishStep()
    await host.sql`update quickquote.deliveries set due_at = now() + interval '1 hour', attempt = 1`
    const days = () => host.sql`select count(*)::int as days from pg_inherits`
    const [before] = await days()

    await runAhead(aheadMs)

    await expect.poll(planted).toEqual({ failed: 1, uploads: 1, keys: ['young'], disabled: 1 })
    expect(await host.pending()).toHaveLength(3)
    expect(await host.attempts()).toEqual([])
    expect((await days())[0]?.['days']).toBeGreaterThanOrEqual(before?.['days'])
  })

  it('is not ready and says why, and receivers notice nothing', async () => {
    await host.createEndpoint(receiver.url)
    const worker = await runAhead(aheadMs)
    await host.finishStep()

    const { headers } = await receiver.next()
    const signedAt = 1000 * Number(headers['x-service-timestamp'])
    expect(Math.abs(signedAt - Date.now())).toBeLessThan(60_000)

    const where = aheadMs > 0 ? 'ahead of' : 'behind'
    expect(await healthOf(worker)).toMatchObject({
      ready: false,
      // 32 days, give or take the duration of the comparison.
      reasons: [
        expect.stringMatching(
          new RegExp(`^the clock of this machine is 2764[78]\\d\\d s ${where} the database's$`),
        ),
      ],
    })
    expect(worker.lines).toContain(
      "the clock of this machine is wrong: correct it (NTP); the database's time is used",
    )
    await expect.poll(() => host.attempts()).toMatchObject([{ status: 'succeeded' }])
    const [row] =
      await host.sql`select abs(extract(epoch from now() - created_at))::int as age from quickquote.delivery_attempts`
    expect(row?.['age']).toBeLessThan(300)
  })
})

describe('a worker whose clock is slightly off', () => {
  it('warns from 5 s on, and stays ready', async () => {
    const worker = await runAhead(7000)
    const { ready, warnings } = await healthOf(worker)
    expect(ready).toBe(true)
    expect(warnings).toEqual([
      expect.stringMatching(/^the clock of this machine is \d+ s ahead of the database's$/),
    ])
    expect(worker.lines).toContain(
      "the clock of this machine differs from the database's: correct it (NTP); the database's time is used",
    )
  })
})
