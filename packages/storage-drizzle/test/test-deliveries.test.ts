import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ClaimedDelivery, SettledAttempt, StoredWebhookEndpoint } from '@quickquote/core/internal'
import { beforeEach, expect, it } from 'vitest'
import { openDatabase } from './support/database.ts'
import { succeeded } from './support/delivery-samples.ts'
import { sampleEndpoint, sampleEvent, sampleSecret, sampleSecrets } from './support/samples.ts'

const { sql, storage } = await openDatabase()

const PER_ENDPOINT = 3

beforeEach(() => sql`truncate quickquote.deliveries, quickquote.workers, quickquote.delivery_attempts`)

async function insertEndpoint(fields: Partial<StoredWebhookEndpoint> = {}) {
  const endpoint = sampleEndpoint(fields)
  await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
  return endpoint
}

async function insertTest(fields: Partial<StoredWebhookEndpoint> = {}) {
  return insertTestOf(await insertEndpoint(fields))
}

async function insertTestOf(endpoint: StoredWebhookEndpoint) {
  const event = sampleEvent({ organization_id: endpoint.organization_id })
  // A version 7 uuid contains its creation time.
  const id = Date.now().toString(16).padStart(12, '0').replace(/^.{8}/, '$&-') + randomUUID().slice(13)
  await storage.testDeliveries.insert(event, { id, endpointId: endpoint.id })
  return { id, endpoint, event }
}

const claim = (limit: number, workerId = randomUUID(), settled: SettledAttempt[] = []) =>
  storage.deliveries.round({ workerId, settled, limit, perEndpoint: PER_ENDPOINT, now: new Date() })

it('a test can be claimed from a disabled endpoint, but not from a deleted one', async () => {
  const { id, event } = await insertTest({ is_enabled: false })
  const deleted = await insertTest()
  await storage.webhookEndpoints.delete(deleted.endpoint.organization_id, deleted.endpoint.id, new Date())

  const { claimed } = await claim(10)
  expect(claimed).toMatchObject([{ id, is_test: true, attempt: 1, event_id: event.id, body: event.body }])
  expect((await claim(10)).claimed).toEqual([])
})

it('tests come before other deliveries, and count for the limit', async () => {
  const { endpoint } = await insertTest()
  for (let count = 0; count < 3; count += 1) {
    await storage.events.record(sampleEvent({ organization_id: endpoint.organization_id }))
  }
  const { id } = await insertTest()
  const { claimed, nextDueAt } = await claim(2)
  expect(claimed.map(({ is_test }) => is_test)).toEqual([true, true])
  expect(claimed.map((delivery) => delivery.id)).toContain(id)
  expect(nextDueAt?.getTime()).toBeLessThanOrEqual(Date.now())
})

it('tests count for the limit of their endpoint, over all workers and together with its other deliveries', async () => {
  const endpoint = await insertEndpoint()
  const { organization_id } = endpoint
  await storage.events.record(sampleEvent({ organization_id }))
  const [first] = (await claim(10)).claimed
  for (let count = 0; count < 12; count += 1) await insertTestOf(endpoint)
  for (let count = 0; count < 5; count += 1) await storage.events.record(sampleEvent({ organization_id }))

  const workers = Array.from({ length: 6 }, () => randomUUID())
  const claims: ClaimedDelivery[] = []
  for (let round = 0; round < 3; round += 1) {
    const found = await Promise.all(workers.map((worker) => claim(10, worker)))
    claims.push(...found.flatMap(({ claimed }) => claimed))
  }
  // Three, with the first one, which is in flight.
  expect(first).toMatchObject({ is_test: false })
  expect(claims.map(({ is_test }) => is_test)).toEqual([true, true])

  // Ended deliveries make room, and a test goes first.
  const [owner] = await sql`select leased_by from quickquote.deliveries where id = ${claims[0]?.id ?? ''}`
  const [ended] = claims
  assert(ended !== undefined)
  const { claimed } = await claim(10, owner?.['leased_by'], [succeeded(ended)])
  expect(claimed.map(({ is_test }) => is_test)).toEqual([true])
})

it('tests of an endpoint that hangs delay no others, nor do tests of one organization', async () => {
  const hung = await insertEndpoint()
  for (let count = 0; count < 100; count += 1) await insertTestOf(hung)
  const worker = randomUUID()
  const claimed: ClaimedDelivery[] = []
  for (let round = 0; round < 5; round += 1) claimed.push(...(await claim(100, worker)).claimed)
  expect(claimed).toHaveLength(PER_ENDPOINT)

  const greedy = randomUUID()
  for (let count = 0; count < 40; count += 1) await insertTest({ organization_id: greedy })
  const test = await insertTest()
  const other = await insertEndpoint()
  await storage.events.record(sampleEvent({ organization_id: other.organization_id }))
  const next = (await claim(100, worker)).claimed
  expect(next.map(({ endpoint }) => endpoint.id)).toEqual(
    expect.arrayContaining([test.endpoint.id, other.id]),
  )
  // A round claims up to eight tests; due deliveries get the rest.
  expect(next.filter(({ is_test }) => is_test)).toHaveLength(8)
})

it('a round that leaves tests behind is followed by another immediately', async () => {
  for (let count = 0; count < 10; count += 1) await insertTest()
  const first = await claim(100)
  expect(first.claimed).toHaveLength(8)
  expect(first.nextDueAt?.getTime()).toBeLessThanOrEqual(Date.now())
  expect((await claim(100)).claimed).toHaveLength(2)
})

it('a test is claimed once, by any number of workers at once', async () => {
  const { id } = await insertTest()
  const claims = await Promise.all(Array.from({ length: 5 }, () => claim(5)))
  expect(claims.flatMap(({ claimed }) => claimed).map((delivery) => delivery.id)).toEqual([id])
})

it('a test, or one of a check, whose worker dies is recorded as interrupted, and not sent again', async () => {
  const { id, endpoint } = await insertTest()
  await sql`update quickquote.deliveries set check_kind = 'forged' where id = ${id}`
  await claim(1)
  const recovered = await storage.workers.recoverDead({ silentForMs: 1000, maxAttempts: 8, now: new Date() })
  expect(recovered.deliveries).toBe(1)
  expect(await storage.testDeliveries.find(endpoint.organization_id, id)).toMatchObject({
    state: 'over',
    attempt: { status: 'interrupted', http_status: null },
  })
  expect(
    await sql`select status, is_test, check_kind, next_attempt_at from quickquote.delivery_attempts where delivery_id = ${id}`,
  ).toEqual([{ status: 'interrupted', is_test: true, check_kind: 'forged', next_attempt_at: null }])
  expect((await claim(1)).claimed).toEqual([])
})

it('a test can be withdrawn until a worker claims it', async () => {
  const waiting = await insertTest()
  const { organization_id } = waiting.endpoint
  expect((await storage.testDeliveries.find(organization_id, waiting.id)).state).toBe('waiting')
  expect(await storage.testDeliveries.withdraw(organization_id, waiting.id)).toBe(true)
  expect((await claim(1)).claimed).toEqual([])

  const taken = await insertTest()
  await claim(1)
  expect((await storage.testDeliveries.find(taken.endpoint.organization_id, taken.id)).state).toBe('sending')
  expect(await storage.testDeliveries.withdraw(taken.endpoint.organization_id, taken.id)).toBe(false)
})

it('a test is repeated with the same event, and a round says how each of a check is signed', async () => {
  const { id, endpoint, event } = await insertTest()
  const delivery = { endpointId: endpoint.id, check_kind: 'repeated' } as const
  const repeated = await storage.testDeliveries.repeat(event, delivery)
  const { claimed } = await claim(10)
  const found = claimed.map(({ id, event_id, check_kind }) => ({ id, event_id, check_kind }))
  expect(found).toHaveLength(2)
  expect(found).toContainEqual({ id, event_id: event.id, check_kind: null })
  expect(found).toContainEqual({ id: repeated, event_id: event.id, check_kind: 'repeated' })
  await sql`delete from quickquote.events where id = ${event.id}`
  expect(await storage.testDeliveries.repeat(event, delivery)).toBeNull()
})

it('a worker is alive while it sends heartbeats', async () => {
  expect(await storage.workers.hasLive(15_000)).toBe(false)
  const id = randomUUID()
  await storage.workers.heartbeat(id)
  expect(await storage.workers.hasLive(15_000)).toBe(true)
  await sql`update quickquote.workers set heartbeat_at = now() - interval '16 seconds'`
  expect(await storage.workers.hasLive(15_000)).toBe(false)
})

it('the previous secret is included during its overlap', async () => {
  const { endpoint } = await insertTest()
  const now = new Date()
  const rotate = (previousUntil: Date) =>
    storage.webhookEndpoints.rotateSecret(
      endpoint.organization_id,
      endpoint.id,
      { secret: sampleSecret(), hint: 'whsec_…new1', previousUntil },
      now,
    )
  await rotate(new Date(now.getTime() + 60_000))
  const [during] = (await claim(1)).claimed
  const [previous, ...others] = during?.endpoint.previousSecrets ?? []
  expect([previous?.keyId, others]).toEqual(['key-1', []])
  expect(previous?.ciphertext).not.toEqual(during?.endpoint.secret.ciphertext)

  const next = await insertTest()
  await storage.webhookEndpoints.rotateSecret(
    next.endpoint.organization_id,
    next.endpoint.id,
    { secret: sampleSecret(), hint: 'whsec_…new2', previousUntil: new Date(now.getTime() - 1) },
    now,
  )
  expect((await claim(1)).claimed[0]?.endpoint.previousSecrets).toEqual([])
})
