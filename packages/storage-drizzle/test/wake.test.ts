import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Work } from '@quickquote/core/internal'
import { startDatabaseProxy } from '@quickquote/dev-servers'
import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen, PROBE } from '../src/connection/listener.ts'
import { onPostgresJs } from '../src/connection/postgres-js.ts'
import { toStorageError } from '../src/connection/storage-error.ts'
import { createWaker } from '../src/connection/wake.ts'
import { eventStorage } from '../src/deliveries/events.ts'
import { databaseOn } from './support/database-on.ts'
import { openOutbox } from './support/delivery-samples.ts'
import { sampleEvent } from './support/samples.ts'

const outbox = await openOutbox()

/** Counts the notifications delivered by PostgreSQL. */
async function listening() {
  let count = 0
  const unlisten = await outbox.anotherStorage().workers.listen({
    onWake() {
      count += 1
    },
  })
  // Starting to listen wakes once, because earlier notifications may have been missed.
  await expect.poll(() => count).toBe(1)
  return { count: () => count - 1, unlisten }
}

/** Waits until all earlier notifications have arrived: they arrive in order. */
async function settled(listener: { count(): number }): Promise<number> {
  const before = listener.count()
  await outbox.sql`select pg_notify('quickquote_wake', 'the last')`
  await expect.poll(() => listener.count()).toBeGreaterThan(before)
  return listener.count() - 1
}

/** A proxy that can keep its open connections without passing anything on. */
async function throughProxy() {
  const silent = new Set<Socket>()
  const count = { asked: 0, silence: () => {} }
  const proxy = await startDatabaseProxy(outbox.url, (client, database) => {
    count.silence = () => silent.add(client)
    client.on('data', (bytes) => {
      if (bytes.includes('listen ')) count.asked += 1
      if (!silent.has(client)) database.write(bytes)
    })
    database.on('data', (bytes) => silent.has(client) || client.write(bytes))
  })
  onTestFinished(() => proxy.stop())
  return { url: proxy.url, count }
}

describe('waking', () => {
  it('reaches the workers of other processes', async () => {
    const listener = await listening()
    const waker = createWaker(onPostgresJs(outbox.sql, { prepare: true }), 'quickquote')

    waker.wake('deliveries')

    await expect.poll(() => listener.count()).toBe(1)
    await listener.unlisten()
  })

  it('many times within milliseconds sends two notifications: one immediately, and one for all others', async () => {
    const listener = await listening()
    const waker = createWaker(onPostgresJs(outbox.sql, { prepare: true }), 'quickquote')

    for (let n = 0; n < 1000; n += 1) waker.wake('deliveries')

    await expect.poll(() => listener.count()).toBe(2)
    expect(await settled(listener)).toBe(2)
    await listener.unlisten()
  })

  it('calls the workers of its own storage directly, and no others if one of them takes the work', async () => {
    const listener = await listening()
    const storage = outbox.anotherStorage()
    const told: Work[] = []
    let hasPlaces = true
    const unlisten = await storage.workers.listen({
      onWake: (work) => told.push(work),
      takes: () => hasPlaces,
    })
    await expect.poll(() => told).toEqual(['anything'])
    const endpoint = await outbox.insertEndpoint()
    const record = () => storage.events.record(sampleEvent({ organization_id: endpoint.organization_id }))

    await record()
    expect(told).toEqual(['anything', 'deliveries'])
    expect(await settled(listener)).toBe(0)

    hasPlaces = false
    await record()
    await expect.poll(() => listener.count()).toBe(2)
    expect(told.slice(2)).toContain('deliveries')
    await unlisten()
    await listener.unlisten()
  })

  it('every worker of what may concern each: a cancelled start, for example', async () => {
    const listener = await listening()
    const storage = outbox.anotherStorage()
    const unlisten = await storage.workers.listen({ onWake() {}, takes: () => true })

    await storage.quotations.cancelStart?.(randomUUID(), randomUUID(), new Date())

    await expect.poll(() => listener.count()).toBe(1)
    await unlisten()
    await listener.unlisten()
  })

  it('happens in the commit of an event itself', async () => {
    const payloads: string[] = []
    const { unlisten } = await outbox.sql.listen('quickquote_wake', (payload) => payloads.push(payload))
    const endpoint = await outbox.insertEndpoint()
    const statements: string[] = []
    const ours = onPostgresJs(outbox.sql, { prepare: true })
    const driver: typeof ours = {
      ...ours,
      values(...statement) {
        statements.push(statement[0])
        return ours.values(...statement)
      },
    }
    const waker = createWaker(driver, 'quickquote')
    const database = databaseOn(driver, { waker })

    await eventStorage(database).record(sampleEvent({ organization_id: endpoint.organization_id }))

    await expect.poll(() => payloads).toEqual(['deliveries'])
    expect(statements).toHaveLength(1)
    await unlisten()
  })

  it('does not fail if the database is unreachable', async () => {
    const sql = postgres('postgres://nobody:nothing@127.0.0.1:1/nowhere')
    await expect(sql`select 1`).rejects.toThrow('ECONNREFUSED')

    createWaker(onPostgresJs(sql, { prepare: true }), 'quickquote').wake('deliveries')

    await sql.end()
  })
})

describe('listening', () => {
  it('continues after a lost connection, and wakes, because notifications may have been missed', async () => {
    const listener = await listening()

    await outbox.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen%'`

    await expect.poll(() => listener.count()).toBeGreaterThanOrEqual(1)
    const before = listener.count()
    await outbox.sql`select pg_notify('quickquote_wake', '')`
    await expect.poll(() => listener.count()).toBeGreaterThan(before)
    await listener.unlisten()
  })

  it('notices within 60 s that a proxy keeps a connection whose other side has gone', async () => {
    expect(PROBE.everyMs + PROBE.timeoutMs).toBeLessThan(60_000)
    const { url, count } = await throughProxy()
    const sql = postgres(url)
    const heard: unknown[] = []
    const listener = listen(
      sql.options,
      'quickquote_wake',
      {
        onHeard: () => heard.push('heard'),
        onLost: (error) => heard.push(toStorageError('listen', error)),
      },
      { everyMs: 20, timeoutMs: 1000 },
    )
    onTestFinished(async () => {
      await listener.end()
      await sql.end()
    })
    await expect.poll(() => heard).toEqual(['heard'])
    // Several probes are answered, and none of them wakes.
    await expect.poll(() => count.asked).toBeGreaterThan(3)
    expect(heard).toEqual(['heard'])

    count.silence()

    await expect
      .poll(() => heard, { timeout: 10_000 })
      .toEqual(['heard', expect.objectContaining({ code: 'CONNECTION_SILENT', isOutage: false }), 'heard'])
    await outbox.sql`select pg_notify('quickquote_wake', '')`
    await expect.poll(() => heard).toHaveLength(4)
  })

  it('ends', async () => {
    const listener = await listening()
    const other = await listening()

    await listener.unlisten()
    await outbox.sql`select pg_notify('quickquote_wake', '')`

    await expect.poll(() => other.count()).toBe(1)
    expect(listener.count()).toBe(0)
    await other.unlisten()
  })
})

describe('an event', () => {
  it('committed in our transaction wakes once, when it can be claimed', async () => {
    const listener = await listening()
    const { insertEndpoint, storage } = outbox
    const endpoint = await insertEndpoint()

    await storage.transaction(async (transaction) => {
      await transaction.events.record(sampleEvent({ organization_id: endpoint.organization_id }))
      await transaction.events.record(sampleEvent({ organization_id: endpoint.organization_id }))
      expect(await settled(listener)).toBe(0)
    })

    await expect.poll(() => listener.count()).toBe(2)
    await listener.unlisten()
  })
})
