import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EmbeddedPostgres, startPostgres } from '@quickquote/dev-servers'
import { migratedDatabase } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endExamples, runExample, type TemporaryFolder, temporaryFolder } from './example-process.ts'

const EXAMPLE = new URL('../../examples/two-databases/', import.meta.url).pathname
const WORKER = new URL('../../packages/delivery-worker/bin/quickquote-worker.js', import.meta.url).pathname
const NOWHERE = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
const [FIRST, SECOND] = ['6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e', '0d9c8b7a-6f5e-4d4c-9b3a-2f1e0d9c8b7a']

let folder: TemporaryFolder
let second: EmbeddedPostgres
let environment: Record<string, string>
let drop: () => Promise<void>

beforeAll(async () => {
  folder = await temporaryFolder()
  const database = await migratedDatabase()
  drop = () => database.drop()
  second = await startPostgres({ dataDir: join(folder.path, 'second'), persistent: false })
  const storage = drizzleStorage({ connectionString: second.url })
  await storage.migrate()
  await storage.close()
  environment = {
    DATABASE_URL: `${database.url} ${second.url}`,
    ORGANIZATIONS: JSON.stringify([
      [FIRST, 0],
      [SECOND, 1],
    ]),
    INTEGRATIONS_KEY: Buffer.alloc(32, 7).toString('base64'),
    PORT: '0',
    QUICKQUOTE_HEALTH_PORT: 'off',
  }
})

afterAll(async () => {
  await endExamples()
  await second.stop()
  await drop()
  await folder.remove()
})

async function openHost() {
  const process = runExample(`${EXAMPLE}host.js`, environment)
  const [, url = ''] = await process.printed(/Server listening at (http:[^"]+)"/)
  return {
    end: () => process.end('SIGTERM'),
    async call(method: string, path: string, key?: string, json?: object) {
      const response = await fetch(`${url}/v1${path}`, {
        method,
        headers: {
          ...(key !== undefined && { 'X-API-Key': key }),
          ...(json !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      })
      const body = (await response.json()) as Record<string, string>
      return { status: response.status, body, answer: body['code'] ?? response.status }
    },
  }
}

type OpenedHost = Awaited<ReturnType<typeof openHost>>

async function createKey({ call }: OpenedHost, organizationId: string): Promise<string> {
  const json = { name: 'test', expires_at: new Date(Date.now() + 86_400_000 * 30).toISOString() }
  const { body } = await call('POST', `/organizations/${organizationId}/api-keys`, undefined, json)
  return String(body['key'])
}

const start = ({ call }: OpenedHost, key: string) =>
  call('POST', '/integrations/quotations', key, { requirementsText: 'A roof.' })

const read = async ({ call }: OpenedHost, key: string, id = '', query = '') =>
  (await call('GET', `/integrations/quotations/${id}${query}`, key)).answer

it('is at most 40 lines besides the host’s own', () => {
  const code = (name: string) => readFileSync(`${EXAMPLE}${name}`, 'utf8').trim().split('\n')
  expect([...code('integrations.js'), ...code('host.js')].length).toBeLessThanOrEqual(40)
})

it('one host serves organizations in two databases as from one; while one is down, the other is served', async () => {
  const host = await openHost()
  const worker = runExample(WORKER as `${string}.js`, environment, [`${EXAMPLE}integrations.js`])
  const keys = [await createKey(host, FIRST), await createKey(host, SECOND)] as const
  const quotes = [(await start(host, keys[0])).body, (await start(host, keys[1])).body] as const
  const [one, other] = quotes.map(({ quotation_id }) => quotation_id)

  for (const spelled of [SECOND.toUpperCase(), `%30${SECOND.slice(1)}`]) {
    expect((await host.call('GET', `/organizations/${spelled}/api-keys`)).body).toHaveLength(1)
  }

  // The worker has handed both over.
  for (const url of (environment['DATABASE_URL'] ?? '').split(' ')) {
    await expect.poll(() => startsLeft(url)).toBe(0)
  }
  const answers = (at: OpenedHost) =>
    Promise.all([
      read(at, keys[0], one),
      read(at, keys[1], other),
      read(at, keys[0], other),
      read(at, keys[1], one),
      read(at, keys[0], NOWHERE),
      read(at, `${keys[0].slice(0, -4)}AAAA`, one),
    ])
  const both = [
    200,
    200,
    'OTHER_ORGANIZATION',
    'OTHER_ORGANIZATION',
    'QUOTATION_NOT_FOUND',
    'API_KEY_INVALID',
  ]
  expect(await answers(host)).toEqual(both)

  await second.restart({
    async whileDown() {
      const restarted = await openHost()
      for (const each of [host, restarted]) {
        expect(await read(each, keys[0], one)).toBe(200)
        expect((await start(each, keys[0])).status).toBe(202)
        expect(await read(each, keys[1], other)).toBe('SERVICE_UNAVAILABLE')
        // Nobody can know to whom it belongs.
        expect(await read(each, keys[0], other)).toBe('QUOTATION_NOT_FOUND')
      }
      await expect.poll(() => startsLeft(environment['DATABASE_URL']?.split(' ')[0] ?? '')).toBe(0)
      expect(await restarted.end()).toBe(0)
    },
  })
  await expect.poll(() => answers(host)).toEqual(both)
  await start(host, keys[1])
  await expect.poll(() => startsLeft(second.url)).toBe(0)

  // Five of a key may wait: the sixth is answered at once.
  const waiting = [...Array(6)].flatMap(() => [
    read(host, keys[0], one, '?wait=20'),
    read(host, keys[1], other, '?wait=20'),
  ])
  await Promise.all([0, 1].map((number) => Promise.race(waiting.filter((_, index) => index % 2 === number))))
  const ended = host.end()
  expect(await Promise.all(waiting)).toEqual(Array(12).fill(200))
  expect(await ended).toBe(0)
  expect(await worker.end('SIGTERM')).toBe(0)
})

async function startsLeft(url: string): Promise<number> {
  const sql = postgres(url, { max: 1 })
  const [row] = await sql`select count(*)::int as left from quickquote.pipeline_starts`
  await sql.end()
  return row?.['left']
}
