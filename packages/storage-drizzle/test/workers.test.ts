import { randomUUID } from 'node:crypto'
import type { ClaimedDelivery } from '@quickquote/core/internal'
import { beforeEach, describe, expect, it } from 'vitest'
import { claimOf, openOutbox, succeeded } from './support/delivery-samples.ts'
import { sampleAuditEntry, sampleQuotation } from './support/samples.ts'

const outbox = await openOutbox()
const { storage, sql } = outbox
const dead = randomUUID()
const alive = randomUUID()

beforeEach(async () => {
  await sql`truncate quickquote.quotations, quickquote.pipeline_starts, quickquote.webhook_endpoints, quickquote.events, quickquote.deliveries,
    quickquote.delivery_attempts, quickquote.workers cascade`
})

async function silence(workerId: string, seconds: number): Promise<void> {
  await sql`update quickquote.workers set heartbeat_at = now() - ${seconds} * interval '1 second' where id = ${workerId}`
}

function recover(now = new Date()) {
  return storage.workers.recoverDead({ silentForMs: 15_000, maxAttempts: 8, now })
}

async function claimWith(workerId: string): Promise<ClaimedDelivery> {
  const { claimed } = await storage.deliveries.round(claimOf(workerId))
  expect(claimed).toHaveLength(1)
  return claimed[0] as ClaimedDelivery
}

describe('a lease of a dead worker', () => {
  beforeEach(async () => {
    await storage.workers.heartbeat(dead)
    await storage.workers.heartbeat(alive)
  })

  it('is recorded as interrupted, and due at once', async () => {
    const event = await outbox.recordEvent(await outbox.insertEndpoint())
    const lost = await claimWith(dead)
    await silence(dead, 16)
    const now = new Date()

    expect(await recover(now)).toEqual({ deliveries: 1, starts: 0 })

    const attempts = await sql`select * from quickquote.delivery_attempts`
    expect([...attempts]).toEqual([
      {
        id: expect.any(String),
        delivery_id: lost.id,
        organization_id: event.organization_id,
        endpoint_id: lost.endpoint.id,
        event_id: event.id,
        event_type: event.type,
        event_sequence: 1,
        endpoint_version: null,
        quotation_id: event.quotation_id,
        attempt: 1,
        status: 'interrupted',
        http_status: null,
        error: null,
        duration_ms: null,
        response_body: null,
        response_headers: null,
        header_names: null,
        first_byte_ms: null,
        is_test: false,
        check_kind: null,
        created_at: expect.any(Date),
        next_attempt_at: now,
      },
    ])
    expect(await claimWith(alive)).toMatchObject({ id: lost.id, attempt: 2 })
  })

  it('is recovered after the clock of the database was put back two hours, and that of a living one is not', async () => {
    await outbox.recordEvent(await outbox.insertEndpoint())
    const lost = await claimWith(dead)
    await silence(dead, -7200)
    await silence(alive, -14)
    expect(await storage.inspection.countWorkers(15_000)).toEqual({ alive: 1, silent: 1 })
    expect(await recover()).toEqual({ deliveries: 1, starts: 0 })
    expect(await storage.inspection.countWorkers(15_000)).toEqual({ alive: 1, silent: 0 })
    expect(await claimWith(alive)).toMatchObject({ id: lost.id, attempt: 2 })
  })

  it('keeps its place in the queue', async () => {
    const endpoint = await outbox.insertEndpoint()
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1) {
      ids.push((await outbox.recordEvent(endpoint, { created_at: new Date(Date.now() - 60_000 + n) })).id)
    }
    const { claimed } = await storage.deliveries.round({ ...claimOf(dead), limit: 1 })
    expect(claimed.map(({ event_id }) => event_id)).toEqual(ids.slice(0, 1))
    await silence(dead, 16)

    await recover()

    const next = await storage.deliveries.round({ ...claimOf(alive), limit: 1 })
    expect(next.claimed.map(({ event_id }) => event_id)).toEqual(ids.slice(0, 1))
  })

  it('is not sent again after the last attempt', async () => {
    await outbox.recordEvent(await outbox.insertEndpoint())
    await sql`update quickquote.deliveries set attempt = 7`
    await claimWith(dead)
    await silence(dead, 16)

    expect(await recover()).toEqual({ deliveries: 1, starts: 0 })

    expect(await sql`select * from quickquote.deliveries`).toHaveLength(0)
    const attempts = await sql`select attempt, status, next_attempt_at from quickquote.delivery_attempts`
    expect([...attempts]).toEqual([{ attempt: 8, status: 'interrupted', next_attempt_at: null }])
  })

  it('is not sent again if it was a test', async () => {
    await outbox.recordEvent(await outbox.insertEndpoint())
    await sql`update quickquote.deliveries set is_test = true, parked_at = now()`
    await claimWith(dead)
    await silence(dead, 16)

    await recover()

    expect(await sql`select * from quickquote.deliveries`).toHaveLength(0)
  })

  it('is started again if it was a pipeline start', async () => {
    const quotation = sampleQuotation({ created_at: new Date() })
    await storage.quotations.accept(quotation, null)
    await storage.pipelineStarts.claim({ workerId: dead, limit: 1, now: new Date() })
    await silence(dead, 16)

    expect(await recover()).toEqual({ deliveries: 0, starts: 1 })

    const { claimed } = await storage.pipelineStarts.claim({ workerId: alive, limit: 1, now: new Date() })
    expect(claimed).toMatchObject([{ quote: { id: quotation.id }, attempt: 2 }])
  })

  it('is freed once, however many workers notice', async () => {
    await outbox.insertBacklog(await outbox.insertEndpoints(20), 5)
    await storage.deliveries.round(claimOf(dead))
    await silence(dead, 16)

    const noticed = await Promise.all(
      Array.from({ length: 4 }, () =>
        outbox.anotherStorage().workers.recoverDead({ silentForMs: 15_000, maxAttempts: 8, now: new Date() }),
      ),
    )

    const leased = noticed.reduce((sum, { deliveries }) => sum + deliveries, 0)
    const attempts = await sql`select distinct delivery_id from quickquote.delivery_attempts`
    expect(leased).toBeGreaterThan(0)
    expect(attempts).toHaveLength(leased)
    expect(await sql`select * from quickquote.delivery_attempts`).toHaveLength(leased)
    expect(await sql`select * from quickquote.deliveries where leased_by is not null`).toHaveLength(0)
  })

  it('wakes the other workers', async () => {
    let woken = 0
    const unlisten = await storage.workers.listen({
      onWake() {
        woken += 1
      },
    })
    // Starting to listen counts as a call.
    await expect.poll(() => woken).toBe(1)
    await outbox.recordEvent(await outbox.insertEndpoint())
    await claimWith(dead)
    await silence(dead, 16)
    await expect.poll(() => woken).toBeGreaterThan(1)
    const before = woken

    await recover()

    await expect.poll(() => woken).toBeGreaterThan(before)
    await unlisten()
  })
})

describe('a worker that sends heartbeats', () => {
  it('keeps its leases', async () => {
    await storage.workers.heartbeat(alive)
    await outbox.recordEvent(await outbox.insertEndpoint())
    const held = await claimWith(alive)
    await silence(alive, 14)

    expect(await recover()).toEqual({ deliveries: 0, starts: 0 })

    await storage.deliveries.round({ ...claimOf(alive), settled: [succeeded(held)] })
    expect(await sql`select status from quickquote.delivery_attempts`).toMatchObject([
      { status: 'succeeded' },
    ])
  })

  it('is a worker again after being declared dead', async () => {
    await storage.workers.heartbeat(dead)
    await silence(dead, 16)
    await recover()
    expect(await storage.workers.hasLive(15_000)).toBe(false)

    await storage.workers.heartbeat(dead)

    expect(await storage.workers.hasLive(15_000)).toBe(true)
  })

  it('leaves no lease unrecovered if it claims between being declared dead and its next heartbeat', async () => {
    // A paused process that claims before its next heartbeat, and then dies.
    await outbox.recordEvent(await outbox.insertEndpoint())
    await claimWith(dead)

    expect(await recover()).toEqual({ deliveries: 1, starts: 0 })
  })
})

describe('a worker whose session lock is gone', () => {
  const PROMISES = { silentForMs: 15_000, lostAfterMs: 2000 }
  const recoverLost = () =>
    storage.workers.recoverDead({ silentForMs: null, maxAttempts: 8, now: new Date() })

  /** A worker with a lease, and a connection that listens. */
  async function holding() {
    const changes: boolean[] = []
    const unlisten = await outbox.anotherStorage().workers.listen({
      onWake() {},
      session: { workerId: dead, onChange: (isHeld) => changes.push(isHeld) },
    })
    await storage.workers.heartbeat(dead, PROMISES)
    await outbox.recordEvent(await outbox.insertEndpoint())
    await claimWith(dead)
    await expect.poll(() => changes).toEqual([true])
    return { unlisten, changes }
  }

  it('is dead 2 s after its last heartbeat', async () => {
    const { unlisten } = await holding()
    await silence(dead, 3)
    expect(await recoverLost()).toMatchObject({ deliveries: 0 })

    await unlisten()

    await expect.poll(async () => (await recoverLost()).deliveries).toBe(1)
  })

  it('is alive as long as it sends the heartbeats that it promised', async () => {
    const { unlisten } = await holding()
    await unlisten()
    await silence(dead, 1)

    expect(await recoverLost()).toMatchObject({ deliveries: 0 })
  })

  it('is alive if it promised none', async () => {
    const { unlisten } = await holding()
    await unlisten()
    await storage.workers.heartbeat(dead, { ...PROMISES, lostAfterMs: null })
    await silence(dead, 14)

    expect(await recoverLost()).toMatchObject({ deliveries: 0 })
  })

  it('takes the lock again with a new connection, and both are reported', async () => {
    const { unlisten, changes } = await holding()
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like '%pg_advisory_lock_shared%' and pid <> pg_backend_pid()`
    await expect.poll(() => changes).toEqual([true, false, true])
    await silence(dead, 3)

    expect(await recoverLost()).toMatchObject({ deliveries: 0 })
    await unlisten()
  })

  it('is noticed by the heartbeats of others', async () => {
    const { unlisten } = await holding()
    expect(await storage.workers.heartbeat(alive, PROMISES)).toMatchObject({
      isAnotherBusy: true,
      isOneSilent: false,
    })
    await silence(dead, 3)
    expect(await storage.workers.heartbeat(alive, PROMISES)).toMatchObject({ isOneSilent: true })
    await unlisten()
  })
})

describe('work that nobody announced', () => {
  const NONE = { deliveries: false, starts: false, replays: false, changes: false, erasing: false }
  const found = () => storage.workers.findWork(new Date())

  it('is found by its kind', async () => {
    await sql`delete from quickquote.erased_organizations`
    expect(await found()).toEqual(NONE)

    const endpoint = await outbox.insertEndpoint()
    await outbox.recordEvent(endpoint)
    expect(await found()).toEqual({ ...NONE, deliveries: true })
    await sql`delete from quickquote.deliveries`

    await storage.quotations.accept(sampleQuotation(), null)
    expect(await found()).toEqual({ ...NONE, starts: true })
    await sql`delete from quickquote.pipeline_starts`

    await sql`update quickquote.webhook_endpoints set generation = caught_up_to + 1 where id = ${endpoint.id}`
    expect(await found()).toEqual({ ...NONE, changes: true })
    await sql`update quickquote.webhook_endpoints set generation = caught_up_to`

    const replay = {
      id: randomUUID(),
      endpoint_id: endpoint.id,
      since: new Date(0),
      until: new Date(),
      status: 'all' as const,
    }
    await storage.replays.insert(endpoint.organization_id, replay, new Date())
    expect(await found()).toEqual({ ...NONE, replays: true })
    await sql`delete from quickquote.replays`

    await storage.erasure.begin(endpoint.organization_id, {
      keepAuditLog: false,
      entry: sampleAuditEntry({ organization_id: endpoint.organization_id }),
      now: new Date(),
    })
    expect((await found()).erasing).toBe(true)
    await sql`delete from quickquote.erased_organizations`
  })
})

describe('a worker that stops', () => {
  it('is removed, and its aborted starts are returned as if never attempted', async () => {
    await storage.workers.heartbeat(dead)
    const { id } = sampleQuotation()
    await storage.quotations.accept(sampleQuotation({ id, created_at: new Date() }), null)
    await storage.pipelineStarts.claim({ workerId: dead, limit: 1, now: new Date() })

    await storage.workers.retire(dead)

    expect(await sql`select * from quickquote.workers`).toHaveLength(0)
    const { claimed } = await storage.pipelineStarts.claim({ workerId: alive, limit: 1, now: new Date() })
    expect(claimed).toMatchObject([{ quote: { id }, attempt: 1 }])
  })
})
