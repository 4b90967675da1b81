import { randomUUID } from 'node:crypto'
import type { AuditEntry } from '@quickquote/core'
import type { ClaimedDelivery, SettledAttempt, StoredWebhookEndpoint } from '@quickquote/core/internal'
import { lockWaiters } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import { drizzleStorage } from '../src/index.ts'
import { openOutbox, succeeded } from './support/delivery-samples.ts'
import { sampleAuditEntry } from './support/samples.ts'

const outbox = await openOutbox()
const worker = randomUUID()
const START = Date.now() - 60 * 60 * 1000

/** Seconds after the start of the test's time. */
const at = (seconds: number) => new Date(START + seconds * 1000)

function attempted(
  delivery: ClaimedDelivery,
  status: SettledAttempt['status'],
  created_at: Date,
): SettledAttempt {
  const nothing = { http_status: null, duration_ms: 1, response_body: null, first_byte_ms: null }
  return succeeded(delivery, { ...nothing, status, created_at })
}

/** A worker's round that records an attempt for each status, made at the given second. */
async function settle(endpoint: StoredWebhookEndpoint, ...attempts: [SettledAttempt['status'], number][]) {
  for (const _ of attempts) await outbox.recordEvent(endpoint)
  const round = { workerId: worker, limit: 50, perEndpoint: 50, now: new Date(Date.now() + 1000) }
  const { claimed } = await outbox.storage.deliveries.round({ ...round, settled: [] })
  expect(claimed).toHaveLength(attempts.length)
  const settled = attempts.map(([status, second], index): SettledAttempt => {
    const delivery = claimed[index]
    if (delivery === undefined) throw new Error('too few were claimed')
    return attempted(delivery, status, at(second))
  })
  await outbox.storage.deliveries.round({ ...round, limit: 0, settled })
}

async function healthOf({ organization_id, id }: StoredWebhookEndpoint) {
  return (await outbox.storage.endpointHealth.read(organization_id, [id])).get(id)?.health
}

it('an endpoint without deliveries has no health yet', async () => {
  expect(await healthOf(await outbox.insertEndpoint())).toEqual({
    last_success_at: null,
    failing_since: null,
    recent_attempts: 0,
    recent_success_rate: null,
    changed_before_failing: null,
  })
})

it('an endpoint fails from its first failure after a success until the next success', async () => {
  const endpoint = await outbox.insertEndpoint()
  await settle(endpoint, ['exhausted', 1])
  await settle(endpoint, ['exhausted', 2])
  expect(await healthOf(endpoint)).toMatchObject({ last_success_at: null, failing_since: at(1) })

  await settle(endpoint, ['succeeded', 3])
  expect(await healthOf(endpoint)).toMatchObject({ last_success_at: at(3), failing_since: null })

  await settle(endpoint, ['exhausted', 4], ['exhausted', 5])
  expect(await healthOf(endpoint)).toEqual({
    last_success_at: at(3),
    failing_since: at(4),
    recent_attempts: 5,
    recent_success_rate: 0.2,
    changed_before_failing: null,
  })
})

it('a batch with successes and failures counts in the order of its attempts', async () => {
  const endpoint = await outbox.insertEndpoint()
  await settle(endpoint, ['exhausted', 1], ['succeeded', 2], ['exhausted', 3], ['exhausted', 4])
  expect(await healthOf(endpoint)).toMatchObject({ last_success_at: at(2), failing_since: at(3) })
  await settle(endpoint, ['exhausted', 5], ['succeeded', 6])
  expect(await healthOf(endpoint)).toMatchObject({ last_success_at: at(6), failing_since: null })
})

it('is written once a minute while deliveries succeed, not for each attempt', async () => {
  const endpoint = await outbox.insertEndpoint()
  const versions = async () =>
    (
      await outbox.sql`select xmin::text from quickquote.endpoint_health where endpoint_id = ${endpoint.id}`
    )[0]?.['xmin']
  await settle(endpoint, ['succeeded', 0])
  const first = await versions()
  await settle(endpoint, ['succeeded', 59])
  expect(await versions()).toBe(first)
  expect(await healthOf(endpoint)).toMatchObject({ last_success_at: at(59) })
  await settle(endpoint, ['succeeded', 61])
  expect(await healthOf(endpoint)).toMatchObject({ last_success_at: at(61) })
})

it('an endpoint is found once all its deliveries have failed for long enough', async () => {
  const failing = await outbox.insertEndpoint()
  await settle(failing, ['exhausted', 10])
  const found = async (second: number) =>
    (await outbox.storage.endpointHealth.findFailing(at(second), 100)).filter(({ id }) => id === failing.id)
  expect(await found(9)).toEqual([])
  const { id, organization_id, name } = failing
  expect(await found(10)).toEqual([{ id, organization_id, name, failing_since: at(10) }])

  // Another worker recorded a success first, so later failures looked like the first ones.
  await outbox.sql`insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id,
      event_type, attempt, status, is_test, created_at)
    values (${randomUUID()}, ${randomUUID()}, ${organization_id}, ${id}, ${randomUUID()}, 'x', 1, 'succeeded', false,
      ${at(11)})`
  expect(await found(10)).toEqual([])
})

it('enabling an endpoint again resets its failures', async () => {
  const endpoint = await outbox.insertEndpoint()
  await settle(endpoint, ['exhausted', 1])
  const { organization_id, id } = endpoint
  await outbox.storage.webhookEndpoints.update(organization_id, id, { is_enabled: true }, new Date())
  expect(await healthOf(endpoint)).toMatchObject({ failing_since: null, recent_attempts: 1 })
})

it('workers that record for the same endpoints in different orders do not deadlock', async () => {
  const endpoints = await Promise.all(Array.from({ length: 20 }, () => outbox.insertEndpoint()))
  // A client of the host waits for a lock until it has it: our own would try again and again, each at its own moments.
  const workers = [1, 2, 3].map(() => {
    const sql = postgres(outbox.url, { connection: { application_name: 'recorder' } })
    onTestFinished(() => sql.end())
    return { id: randomUUID(), sql, storage: drizzleStorage({ sql }) }
  })
  await settle(endpoints[10] as StoredWebhookEndpoint, ['exhausted', 1])
  for (const endpoint of endpoints) for (const _ of workers) await outbox.recordEvent(endpoint)
  const rounds: (() => Promise<unknown>)[] = []
  // One delivery of each endpoint for each worker, before any is settled.
  for (const [index, { id: workerId, storage }] of workers.entries()) {
    const round = { workerId, limit: 20, perEndpoint: index + 1, now: new Date(Date.now() + 1000) }
    const { claimed } = await storage.deliveries.round({ ...round, settled: [] })
    expect(new Set(claimed.map(({ endpoint }) => endpoint.id)).size).toBe(20)
    const settled = claimed.map((delivery) => attempted(delivery, 'succeeded', new Date()))
    settled.sort(() => Math.random() - 0.5)
    rounds.push(() => storage.deliveries.round({ ...round, limit: 0, settled }))
  }
  // All of them stop at a row in the middle, so each holds what it locks before that one.
  const recorded = await outbox.sql.begin(async (holder) => {
    await holder`select from quickquote.endpoint_health where endpoint_id = ${endpoints[10]?.id ?? ''} for update`
    const all = rounds.map((round) => round())
    await expect.poll(() => lockWaiters(outbox.sql)).toBe(workers.length)
    return { all }
  })
  await Promise.all(recorded.all)
  // A deadlock is tried again, so only PostgreSQL knows of it. A connection that ends reports its count.
  for (const { sql } of workers) await sql.end()
  const connected = () => outbox.sql`
    select from pg_stat_activity where datname = current_database() and application_name = 'recorder'`
  await expect.poll(connected).toHaveLength(0)
  expect(
    await outbox.sql`select deadlocks::int from pg_stat_database where datname = current_database()`,
  ).toEqual([{ deadlocks: 0 }])
})

it('what changed before the first failure is the newest change of the endpoint until then, and no sending', async () => {
  const endpoint = await outbox.insertEndpoint()
  const { organization_id, id } = endpoint
  const record = (second: number, action: AuditEntry['action'], other: Partial<AuditEntry> = {}) =>
    outbox.storage.auditLog.record(
      sampleAuditEntry({ organization_id, resource_id: id, action, created_at: at(second), ...other }),
    )
  await record(1, 'webhook_endpoint.created')
  await record(2, 'webhook_endpoint.updated', { actor_id: 'ada' })
  await record(3, 'webhook_endpoint.tested')
  await record(4, 'webhook_endpoint.updated', { organization_id: randomUUID() })
  await record(4, 'webhook_endpoint.updated', { resource_id: randomUUID() })
  await settle(endpoint, ['exhausted', 5], ['exhausted', 6])
  await record(7, 'webhook_endpoint.secret_rotated')
  expect(await healthOf(endpoint)).toMatchObject({
    changed_before_failing: { action: 'webhook_endpoint.updated', actor_id: 'ada', at: at(2) },
  })
  await settle(endpoint, ['succeeded', 8])
  expect(await healthOf(endpoint)).toMatchObject({ failing_since: null, changed_before_failing: null })
})
