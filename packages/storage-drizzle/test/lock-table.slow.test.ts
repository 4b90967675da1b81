import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { scratchFolder, startPostgres } from '@quickquote/dev-servers'
import postgres from 'postgres'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { drizzleStorage } from '../src/index.ts'
import { ANY_ATTEMPT, sampleEvent } from './support/samples.ts'

let url = ''

// A server of its own: what fills its lock table fails in every database.
beforeAll(async () => {
  const server = await startPostgres({
    dataDir: join(scratchFolder(), `quickquote-locks-${randomUUID()}`),
    persistent: false,
    // PostgreSQL's default, which the size of the table depends on.
    settings: { max_connections: '100' },
  })
  url = await server.createDatabase()
  const storage = drizzleStorage({ connectionString: url })
  await storage.migrate()
  await storage.close()
  return () => server.stop()
})

function open() {
  const sql = postgres(url, { onnotice() {} })
  const storage = drizzleStorage({ sql })
  onTestFinished(async () => {
    await storage.close()
    await sql.end()
  })
  return { sql, storage }
}

describe('The lock table of a server', () => {
  it('full of the organizations that one transaction emits to: the error says what to do, and nothing stays behind', async () => {
    const { sql, storage } = open()
    const emitting = sql.begin(async (transaction) => {
      const { events } = storage.within(transaction)
      for (let n = 0; n < 20_000; n += 1) await events.record(sampleEvent({ organization_id: randomUUID() }))
    })
    await expect(emitting).rejects.toMatchObject({
      name: 'StorageError',
      code: '53200',
      isOutage: false,
      message: expect.stringContaining('raise max_locks_per_transaction of the server'),
    })
    expect(await sql`select from quickquote.events`).toEqual([])
    expect(await sql`select from pg_locks where locktype = 'advisory'`).toEqual([])
    await storage.events.record(sampleEvent())
    expect(await sql`select from quickquote.events`).toHaveLength(1)
  })

  it('has room for 50 searches of the log at once', async () => {
    const { sql } = open()
    const storage = drizzleStorage({ connectionString: url, maxConnections: 50 })
    onTestFinished(() => storage.close())
    await sql`
      insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type, attempt,
        is_test, status, created_at)
      select gen_random_uuid(), gen_random_uuid(), ${ORGANIZATION}, ${ORGANIZATION}, gen_random_uuid(), 'quotation.completed', 1,
        false, 'succeeded', now() - n * interval '1 hour' from generate_series(1, 366 * 24) n`
    const filters = [
      {},
      { status: 'failed' as const },
      { undelivered: 'all' as const },
      { event_type: 'quotation.failed' },
    ]
    const searches = Array.from({ length: 50 }, (_, n) =>
      storage.deliveryLog.listAttempts(
        ORGANIZATION,
        { ...ANY_ATTEMPT, ...filters[n % filters.length] },
        { after: null, limit: 51 },
      ),
    )
    expect(await Promise.all(searches)).toHaveLength(50)
  })
})

const ORGANIZATION = randomUUID()
