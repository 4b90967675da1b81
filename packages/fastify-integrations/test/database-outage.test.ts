import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { type EmbeddedPostgres, startPostgres } from '@quickquote/dev-servers'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ACME, type Host, startHost } from './support/host.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const PATIENTLY = { timeout: 100_000 }

let postgres: EmbeddedPostgres
let databaseUrl: string
let host: Host

beforeEach(async () => {
  const dataDir = join(tmpdir(), `quickquote-api-outage-${randomUUID()}`)
  postgres = await startPostgres({ dataDir, persistent: false })
  databaseUrl = await postgres.createDatabase()
  const storage = drizzleStorage({ connectionString: databaseUrl })
  await storage.migrate()
  await storage.close()
  host = await startHost({ databaseUrl })
})

afterEach(async () => {
  await host.close()
  await postgres.stop()
})

/** The warnings and errors in the log. */
function troubles() {
  return host.logs
    .map((line) => JSON.parse(line) as { level: number; msg: string; err?: { code?: string } })
    .filter(({ level }) => level >= 40)
    .map(({ msg, err }) => `${msg}${err === undefined ? '' : ` (${typeof err.code})`}`)
}

const AWAY = expect.stringMatching(/^the database is unreachable: requests get 503, .* \(string\)$/)

it('A database that is stopped and restarted: 503 with Retry-After, one log line at the beginning and one at the end', async () => {
  const { key } = await host.createKey()
  const quotation = `/v1/integrations/quotations/${await host.startQuotation(key)}`
  const ask = () =>
    Promise.all([
      host.call('GET', quotation, { key }),
      host.call('POST', '/v1/integrations/quotations', { key, json: { requirementsText: 'A roof.' } }),
      host.call('GET', `/v1/organizations/${ACME}/webhooks`, { member: 'acme-admin' }),
      host.call('POST', `/v1/organizations/${ACME}/api-keys`, {
        member: 'acme-admin',
        json: { name: 'x', expires_at: new Date(Date.now() + 86_400_000).toISOString() },
      }),
    ])
  // In the same process: together they log it once.
  const worker = createDeliveryWorker({ integrations: host.integrations, pollIntervalMs: 100 })
  await worker.start()
  expect(troubles()).toEqual([])

  await postgres.restart({
    mode: 'immediate',
    async whileDown() {
      for (let round = 0; round < 5; round += 1) {
        for (const { status, headers, body } of await ask()) {
          expect({ status, code: body['code'] }).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' })
          expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
        }
      }
      expect(troubles()).toEqual([AWAY])
    },
  })

  await expect
    .poll(async () => (await ask()).map(({ status }) => status), PATIENTLY)
    .toEqual([200, 202, 200, 201])
  await expect.poll(troubles, PATIENTLY).toEqual([AWAY, 'the database is reachable again'])
  await worker.stop()
})

it('Fifty requests that wait while the database is restarted are answered by the next report', async () => {
  const waits = { eventWaitsPerApiKey: 50, requestsPerMinute: 10_000 }
  const other = await startHost({ databaseUrl, integrations: { limits: waits } })
  const { key } = await other.createKey()
  const id = await other.startQuotation(key)
  const read = () => other.call('GET', `/v1/integrations/quotations/${id}?wait=20`, { key })
  const waiting = Array.from({ length: 51 }, read)
  // One more than may wait is answered at once.
  await Promise.race(waiting)

  await postgres.restart({ mode: 'immediate' })
  const report = () => other.integrations.pipeline(id).stepCompleted('requirement_analysis')
  await expect.poll(() => report().then(() => 'reported', String), PATIENTLY).toBe('reported')

  const answers = await Promise.all(waiting)
  expect(answers.map(({ status }) => status)).toEqual(Array(51).fill(200))
  const steps = answers.map(({ body }) => body['processed_step'])
  expect(steps.filter((step) => step === 'requirement_analysis')).toHaveLength(50)
  await other.close()
})
