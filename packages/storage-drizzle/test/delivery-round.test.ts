import { randomUUID } from 'node:crypto'
import type { ClaimedDelivery, RoundMemory } from '@quickquote/core/internal'
import postgres from 'postgres'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { claimOf, failed, type Outbox, openOutbox, succeeded } from './support/delivery-samples.ts'
import { blocksRead, openExplained, type Plan, rowsRead } from './support/explained.ts'

const LIMIT = 100
/** An organization gets no more if it has so many places. */
const FULL = 4 * LIMIT

/** The only plan nodes with which a round may read. */
const INDEXES = [
  'deliveries_due',
  'deliveries_due_first',
  'deliveries_in_order',
  'deliveries_in_flight',
  'deliveries_pkey',
  'deliveries_tests',
  'endpoint_health_paused',
  'endpoint_health_pkey',
  'events_pkey',
  'webhook_endpoints_pkey',
]

let outbox: Outbox
const cleanUps: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

function explained() {
  const opened = openExplained(outbox.url)
  cleanUps.push(opened.close)
  return opened
}

/** 100,000 due deliveries, the oldest tenth of one endpoint, and more events. */
async function fill(): Promise<void> {
  const endpoints = await outbox.insertEndpoints(400)
  await outbox.insertBacklog(endpoints, 225)
  await outbox.insertBacklog(endpoints.slice(0, 1), 10_000, 3_600_000)
  await outbox.sql`
    insert into quickquote.events (id, organization_id, type, body, created_at)
    select gen_random_uuid(), gen_random_uuid(), '', '', now() from generate_series(1, 20000)`
}

/** Enough for two rounds: an endpoint with less than its share of a claim leaves the claim short. */
async function fillALittle(): Promise<void> {
  await outbox.insertBacklog(await outbox.insertEndpoints(3), 16)
}

const vacuum = () => outbox.sql`vacuum analyze`

describe('a round among 100,000 due deliveries', () => {
  it.each([
    ['are new', async () => {}, async () => {}],
    ['were vacuumed while they were empty', vacuum, async () => {}],
    ['were vacuumed while they were small', () => fillALittle().then(vacuum), async () => {}],
    ['were analyzed since', async () => {}, vacuum],
  ])('reads only what it needs, with plans cached earlier, in tables that %s', async (_, before, after) => {
    outbox = await openOutbox(onTestFinished)
    await before()
    const { storage, explain, nodes } = explained()
    const worker = randomUUID()
    const round = (limit: number) => claimOf(worker, { limit })
    for (let n = 0; n < 8; n += 1) await storage.deliveries.round(round(0))
    await fill()
    await after()
    const { claimed } = await storage.deliveries.round(round(LIMIT))
    const later = new Date(Date.now() + 60_000)
    const settled = claimed.map((delivery, n) =>
      n % 4 === 0 ? failed(delivery, later) : succeeded(delivery),
    )

    await explain()
    const next = await storage.deliveries.round({ ...round(LIMIT), settled })

    expect([claimed.length, next.claimed.length]).toEqual([LIMIT, LIMIT])
    const read = nodes()
    expect(read.length).toBeGreaterThan(10)
    expect(read.map((node) => node['Node Type'])).not.toContain('Seq Scan')
    const indexes = read.flatMap((node) => node['Index Name'] ?? [])
    expect(indexes.filter((index) => !INDEXES.includes(index))).toEqual([])
    // At most the order of: the batch, a little more than the look-ahead limit, 200 endpoints of a walk, and the claim.
    expect(rowsRead(read)).toBeLessThan(3000)
  })
})

describe('a round while an old transaction holds up vacuum', () => {
  it('reads few dead rows in the middle of a backlog', async () => {
    outbox = await openOutbox(onTestFinished)
    const endpoints = await outbox.insertEndpoints(100)
    for (let minutes = 10; minutes > 0; minutes -= 1)
      await outbox.insertBacklog(endpoints, 8, minutes * 60_000)
    await holdUpVacuum()
    const worker = randomUUID()
    const draining = explained()
    let claimed: ClaimedDelivery[] = []
    let memory: RoundMemory | undefined
    let rounds = 0
    async function round(): Promise<void> {
      const settled = claimed.map((delivery) => succeeded(delivery))
      // An organization has all the places that it may have in every other round.
      const underWay = new Map([[claimed[0]?.organization_id ?? worker, rounds % 2 === 0 ? FULL : 0]])
      rounds += 1
      const wanted = claimOf(worker, { limit: LIMIT, settled, memory, underWay })
      const result = await draining.storage.deliveries.round(wanted)
      claimed = result.claimed
      memory = result.memory
    }
    for (let n = 0; n < 60; n += 1) await round()

    // An occasional round scans everything.
    const blocks: number[] = []
    for (let n = 0; n < 5; n += 1) {
      await draining.explain()
      await round()
      expect(claimed.length).toBeGreaterThan(LIMIT / 2)
      blocks.push(blocksOf(draining.nodes(), 'deliveries_due_first'))
    }
    const fresh = explained()
    await fresh.explain()
    await fresh.storage.deliveries.round(claimOf(randomUUID(), { limit: LIMIT }))

    const few = blocks.filter((count) => count < blocksOf(fresh.nodes(), 'deliveries_due_first') / 2)
    expect(few.length).toBeGreaterThanOrEqual(4)
  })

  it('reads few dead rows when little is due, and still finds what commits late', async () => {
    outbox = await openOutbox(onTestFinished)
    const [endpoint = ''] = await outbox.insertEndpoints(1)
    await holdUpVacuum()
    await outbox.insertBacklog([endpoint], 20_000)
    await outbox.sql`delete from quickquote.deliveries`
    const { storage, explain, nodes } = explained()
    const worker = randomUUID()
    let memory: RoundMemory | undefined
    async function round() {
      const result = await storage.deliveries.round(claimOf(worker, { memory, leases: new Map() }))
      memory = result.memory
      return result
    }
    await explain()
    await round()
    const blocksOfAll = blocksOf(nodes(), 'deliveries_due_first')

    await outbox.insertBacklog([endpoint], 1, 100)
    await explain()
    expect((await round()).claimed).toHaveLength(1)
    expect(blocksOf(nodes(), 'deliveries_due_first')).toBeLessThan(blocksOfAll / 10)

    await outbox.insertBacklog([endpoint], 1, 30_000)
    const { claimed, nextDueAt } = await round()
    expect(claimed).toEqual([])
    expect(nextDueAt?.getTime()).toBeLessThan(Date.now() + 1000)
    await vi.waitFor(async () => expect((await round()).claimed).toHaveLength(1), 10_000)
  })
})

describe('rounds while an organization has all the places that it may have', () => {
  it('pass over its backlog once, and return to it when it has places or a second is over', async () => {
    outbox = await openOutbox(onTestFinished)
    const full = await outbox.insertEndpoint()
    const other = await outbox.insertEndpoint()
    await outbox.insertBacklog([full.id], 2000)
    await outbox.recordEvent(other)
    const { storage, explain, nodes } = explained()
    const worker = randomUUID()
    let memory: RoundMemory | undefined
    async function round(places: number) {
      const underWay = new Map([[full.organization_id, places]])
      const result = await storage.deliveries.round(
        claimOf(worker, { limit: LIMIT, memory, underWay, leases: new Map() }),
      )
      memory = result.memory
      return result
    }
    async function rowsOfRound(): Promise<number> {
      await explain()
      await round(FULL)
      return rowsRead(nodes().filter((node) => node['Index Name'] === 'deliveries_due_first'))
    }
    const first = await round(FULL)
    const rows = []
    for (let n = 0; n < 20; n += 1) rows.push(await rowsOfRound())

    expect(first.claimed.map(({ endpoint }) => endpoint.id)).toEqual([other.id])
    // A full look may fall among the last rounds.
    expect(Math.min(...rows.slice(-3))).toBeLessThan(5)
    const event = await outbox.recordEvent(other)
    expect((await round(FULL)).claimed.map(({ event_id }) => event_id)).toEqual([event.id])
    await outbox.recordEvent(other)
    const { claimed } = await round(FULL / 2)
    expect(claimed.map(({ endpoint }) => endpoint.id)).toContain(full.id)

    await round(FULL)
    await outbox.insertBacklog([other.id], 1, 50_000)
    await vi.waitFor(async () => expect((await round(FULL)).claimed).toHaveLength(1), 10_000)
  })

  it('wait for the next look, instead of making one round after the other', async () => {
    outbox = await openOutbox(onTestFinished)
    const full = await outbox.insertEndpoint()
    await outbox.insertBacklog([full.id], 2000)
    const underWay = new Map([[full.organization_id, FULL]])
    const wanted = { limit: LIMIT, underWay, leases: new Map() }
    const { memory } = await outbox.storage.deliveries.round(claimOf(randomUUID(), wanted))
    const { claimed, nextDueAt } = await outbox.storage.deliveries.round(
      claimOf(randomUUID(), { ...wanted, memory }),
    )
    expect(claimed).toEqual([])
    expect(nextDueAt?.getTime()).toBeGreaterThan(Date.now() + 100)
  })
})

async function holdUpVacuum(): Promise<void> {
  const other = postgres(outbox.url, { max: 1 })
  cleanUps.push(() => other.end())
  await other.unsafe('begin isolation level repeatable read; select pg_current_xact_id()')
}

function blocksOf(nodes: readonly Plan[], index: string): number {
  return blocksRead(nodes.filter((node) => node['Index Name'] === index))
}
