import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type EmbeddedPostgres, startPostgres } from '@quickquote/dev-servers'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import { ACME, startHost } from './support/host.ts'

const WORKER = new URL('../../delivery-worker/', import.meta.url).pathname
const LINE = 'the positions of the event feed were behind the stored events'

async function openServer(settings: Record<string, string> = {}) {
  const dataDir = join(tmpdir(), `quickquote-moved-${randomUUID()}`)
  const server = await startPostgres({ dataDir, persistent: false, settings })
  const storage = drizzleStorage({ connectionString: server.url })
  await storage.migrate()
  await storage.close()
  const sql = postgres(server.url, { max: 2, onnotice() {} })
  onTestFinished(async () => {
    await sql.end()
    await server.stop()
  })
  return { server, sql }
}

async function openReader({ url }: EmbeddedPostgres) {
  const host = await startHost({ databaseUrl: url })
  async function read(key: string, query = '') {
    const path = `/v1/integrations/events?generation_source=all&limit=100${query}`
    const { status, headers, body } = await host.call('GET', path, { key })
    const [, after] = /after=([^&>]+)/.exec(headers.get('link') ?? '') ?? []
    const ids = Array.isArray(body) ? body.map(({ id }: { id: string }) => id) : []
    return { status, ids, next: `&after=${after}` }
  }
  async function emit(count: number) {
    for (let left = count; left > 0; left -= 1) {
      const quote = { organizationId: ACME, source: 'ui', body: { requirementsText: 'x' } } as const
      const { quotation_id } = await host.integrations.quotations.start(quote)
      await host.integrations.pipeline(quotation_id).failed()
    }
  }
  return { ...host, read, emit }
}

/** What the doctor finds. */
async function doctor(url: string): Promise<string> {
  const args = ['bin/quickquote-worker.js', 'doctor', 'test/programs/cli-host.js', '--json']
  const child = spawn(process.execPath, args, {
    cwd: WORKER,
    env: { PATH: process.env['PATH'], DATABASE_URL: url },
  })
  return text(child.stdout)
}

it('after a move by logical replication, the first process that starts repairs the feed: no reader misses an event', async () => {
  const from = await openServer({ wal_level: 'logical' })
  const to = await openServer()
  const before = await openReader(from.server)
  const { key } = await before.createKey()
  await before.emit(20)
  const known = await before.read(key)
  expect(known.ids).toHaveLength(20)

  // The copy replaces what the migration wrote.
  const tables =
    await to.sql`select relname from pg_class where relnamespace = 'quickquote'::regnamespace and relkind in ('r', 'p')`
  await to.sql`truncate ${to.sql(tables.map(({ relname }) => `quickquote.${relname}`))}`
  await from.sql`create publication moving for tables in schema quickquote`
  await to.sql.unsafe(`create subscription moving connection '${from.server.url}' publication moving`)
  const copying = () => to.sql`select from pg_subscription_rel where srsubstate <> 'r'`
  await expect.poll(copying).toEqual([])
  await before.emit(2)
  const copied = async () => (await to.sql`select from quickquote.events`).length
  await expect.poll(copied).toBe(22)
  await before.close()
  await to.sql`drop subscription moving`

  expect(await doctor(to.server.url)).toContain('FEED_BEHIND')
  const after = await openReader(to.server)
  await expect.poll(() => after.logs.filter((line) => line.includes(LINE))).toHaveLength(1)
  await after.emit(5)
  expect((await after.read(key, known.next)).ids).toHaveLength(2 + 5)
  const all = await after.read(key)
  expect([all.ids.length, new Set(all.ids).size]).toEqual([27, 27])
  expect(all.ids.slice(0, 20)).toEqual(known.ids)
  expect(await doctor(to.server.url)).not.toContain('FEED_BEHIND')
  await after.close()
})
