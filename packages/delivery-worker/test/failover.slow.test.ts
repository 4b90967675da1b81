import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ReplicatedPostgres, scratchFolder, startReplicatedPostgres } from '@quickquote/dev-servers'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { certificate, type Host, openHost, openReceiver } from './support/host.ts'

/** Everything is sent within a minute of a failover. */
const PATIENTLY = { timeout: 60_000 }

vi.setConfig({ testTimeout: 300_000 })

let folder: string
let replicated: ReplicatedPostgres
let host: Host

beforeEach(async () => {
  folder = mkdtempSync(join(scratchFolder(), 'quickquote-failover-'))
  // The database's user enters it, too.
  chmodSync(folder, 0o755)
  replicated = await startReplicatedPostgres(folder)
}, 300_000)

afterEach(async () => {
  await host?.close().catch(() => undefined)
  await replicated?.stop()
  rmSync(folder, { recursive: true, force: true })
}, 300_000)

/** Starts quotes and reports their first step until `count` more have succeeded. */
async function finishSteps(count: number): Promise<string[]> {
  const done: string[] = []
  while (done.length < count) {
    const id = await host.finishStep().catch((error: unknown) => {
      expect(error).toMatchObject({ name: 'StorageError', statusCode: 503 })
      return sleep(100)
    })
    if (id !== undefined) done.push(id)
  }
  return done
}

describe('a primary and its standby in one connection string', () => {
  it('after the primary dies and the standby is promoted, nothing acknowledged is lost, and everything is sent', async () => {
    host = await openHost({ databaseUrl: replicated.url })
    const receiver = await openReceiver()
    await host.createEndpoint(receiver.url)
    await host.createWorker({ ca: certificate.cert }).start()
    const before = await finishSteps(10)

    replicated.killPrimary()
    const during = finishSteps(10)
    await sleep(500)
    await replicated.promote()
    const answered = [...before, ...(await during)]

    const sent = () =>
      receiver.requests.map(({ rawBody }) => JSON.parse(rawBody.toString()).data.quotation_id)
    await expect.poll(() => answered.filter((id) => !sent().includes(id)), PATIENTLY).toEqual([])
  })

  it('a demoted primary that is still reachable is left for the new one', async () => {
    host = await openHost({ databaseUrl: replicated.url })
    await finishSteps(3)
    await replicated.promote()
    const old = postgres(replicated.primaryUrl, { max: 1 })
    // After a failover of a managed database, the old address may respond, but refuse writes.
    await old`alter system set synchronous_standby_names = ''`
    await old`alter system set default_transaction_read_only = on`
    await old`select pg_reload_conf()`
    await old.end()
    await expect
      .poll(() => host.sql`show default_transaction_read_only`.then(([row]) => row), PATIENTLY)
      .toEqual({
        default_transaction_read_only: 'on',
      })

    const written = await finishSteps(3)

    const current = postgres(replicated.standbyUrl, { max: 1 })
    const found = await current`select id from quickquote.quotations where id = any (${written}::uuid[])`
    expect(found).toHaveLength(3)
    await current.end()
  })

  it('a LISTEN that the standby refused is retried, logged once, and works after the promotion', async () => {
    const sql = postgres(replicated.standbyUrl, { max: 1 })
    const storage = drizzleStorage({ sql })
    const lost: unknown[] = []
    let wakes = 0
    await storage.workers.listen({
      onWake() {
        wakes += 1
      },
      onLost: (error) => lost.push(error),
    })
    await expect.poll(() => lost, PATIENTLY).toHaveLength(1)
    expect(lost[0]).toMatchObject({ name: 'StorageError', code: '25006' })
    expect(wakes).toBe(0)

    await replicated.promote()

    await expect.poll(() => wakes, PATIENTLY).toBe(1)
    await sql`select pg_notify('quickquote_wake', '')`
    await expect.poll(() => wakes, PATIENTLY).toBe(2)
    expect(lost).toHaveLength(1)
    await storage.close()
    await sql.end()
  })
})
