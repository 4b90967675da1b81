import { randomUUID } from 'node:crypto'
import type { Storage } from '@quickquote/core'
import type { ClaimedDelivery, DeliveryRound, RoundMemory } from '@quickquote/core/internal'
import { beforeEach, describe, expect, it } from 'vitest'
import { startAnswerThief } from './support/answer-thief.ts'
import { claimOf, failed, openOutbox, succeeded } from './support/delivery-samples.ts'
import { sampleEvent } from './support/samples.ts'

const outbox = await openOutbox()
const { storage, sql } = outbox
const worker = randomUUID()
const other = randomUUID()

beforeEach(() => outbox.clear())

/** Claims round after round until nothing more can be claimed now. */
async function claimAll(
  round: DeliveryRound = claimOf(worker),
  from: Storage = storage,
): Promise<ClaimedDelivery[]> {
  const all: ClaimedDelivery[] = []
  let memory: RoundMemory | undefined
  for (;;) {
    const { claimed, nextDueAt, ...result } = await from.deliveries.round({ ...round, memory })
    memory = result.memory
    all.push(...claimed)
    if (nextDueAt === null || nextDueAt > round.now) return all
  }
}

function endpointsOf(deliveries: readonly ClaimedDelivery[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { endpoint } of deliveries) counts.set(endpoint.id, (counts.get(endpoint.id) ?? 0) + 1)
  return counts
}

async function rowOf(delivery: { id: string }) {
  const [row] = await sql`select * from quickquote.deliveries where id = ${delivery.id}`
  return row
}

async function attempts() {
  return [...(await sql`select * from quickquote.delivery_attempts order by created_at, attempt`)]
}

describe('a claim', () => {
  it('returns everything needed to send, and counts the attempt', async () => {
    const endpoint = await outbox.insertEndpoint()
    const event = await outbox.recordEvent(endpoint)

    const { claimed } = await storage.deliveries.round(claimOf(worker))

    expect(claimed).toEqual([
      {
        id: expect.any(String),
        organization_id: endpoint.organization_id,
        event_id: event.id,
        event_type: event.type,
        event_sequence: 1,
        quotation_id: event.quotation_id,
        body: event.body,
        attempt: 1,
        is_test: false,
        check_kind: null,
        leased_at: expect.any(Date),
        endpoint: {
          id: endpoint.id,
          url: endpoint.url,
          secret: { keyId: 'key-1', ciphertext: expect.any(Buffer) },
          previousSecrets: [],
          headers: null,
          version: 1,
        },
      },
    ])
    expect(await rowOf(claimed[0] ?? { id: '' })).toMatchObject({ leased_by: worker, attempt: 1 })
  })

  it('takes due deliveries, and returns the next due time', async () => {
    const endpoint = await outbox.insertEndpoint()
    const now = new Date()
    const inAMinute = new Date(now.getTime() + 60_000)
    await outbox.recordEvent(endpoint, { created_at: new Date(now.getTime() + 120_000) })
    await outbox.recordEvent(endpoint, { created_at: inAMinute })

    const early = await storage.deliveries.round(claimOf(worker, { now }))
    expect(early).toMatchObject({ claimed: [], nextDueAt: inAMinute, isCatchingUp: false })

    const onTime = await storage.deliveries.round(claimOf(worker, { now: inAMinute }))
    expect(onTime.claimed).toHaveLength(1)
    expect(onTime.nextDueAt).toEqual(new Date(now.getTime() + 120_000))
  })

  it('reports that nothing is waiting', async () => {
    expect(await storage.deliveries.round(claimOf(worker))).toMatchObject({
      claimed: [],
      nextDueAt: null,
      isCatchingUp: false,
    })
  })

  it('never takes a delivery that another worker holds', async () => {
    const endpoints = await outbox.insertEndpoints(30)
    await outbox.insertBacklog(endpoints, 5)

    const claims = await Promise.all(
      [worker, other].map((id) => claimAll(claimOf(id, { limit: 20 }), outbox.anotherStorage())),
    )

    const ids = claims.flat().map(({ id }) => id)
    expect(ids).toHaveLength(150)
    expect(new Set(ids).size).toBe(150)
  })
})

describe('an outcome', () => {
  it('that is final is recorded, and its delivery leaves the outbox', async () => {
    const event = await outbox.recordEvent(await outbox.insertEndpoint())
    const [delivery] = await claimAll()
    const outcome = succeeded(delivery as ClaimedDelivery)

    await storage.deliveries.round({ ...claimOf(worker), settled: [outcome] })

    expect(await rowOf(outcome.delivery)).toBeUndefined()
    expect(await attempts()).toEqual([
      {
        id: outcome.id,
        delivery_id: outcome.delivery.id,
        organization_id: event.organization_id,
        endpoint_id: outcome.delivery.endpoint.id,
        event_id: event.id,
        event_type: event.type,
        event_sequence: 1,
        endpoint_version: 1,
        quotation_id: event.quotation_id,
        attempt: 1,
        status: 'succeeded',
        http_status: 204,
        error: null,
        duration_ms: 12,
        response_body: 'thanks',
        response_headers: null,
        header_names: null,
        first_byte_ms: 9,
        is_test: false,
        check_kind: null,
        created_at: outcome.created_at,
        next_attempt_at: null,
      },
    ])
  })

  it('with a retry is recorded, and its delivery waits', async () => {
    await outbox.recordEvent(await outbox.insertEndpoint())
    const [delivery] = await claimAll()
    const retryAt = new Date(Date.now() + 10_000)

    const round = await storage.deliveries.round({
      ...claimOf(worker),
      settled: [failed(delivery as ClaimedDelivery, retryAt)],
    })

    expect(round).toMatchObject({ claimed: [], nextDueAt: retryAt, isCatchingUp: false })
    expect(await attempts()).toMatchObject([{ status: 'failed', http_status: 500, next_attempt_at: retryAt }])
    const [again] = (await storage.deliveries.round(claimOf(other, { now: retryAt }))).claimed
    expect(again).toMatchObject({ id: delivery?.id, attempt: 2 })
  })

  it('recorded after its retry is due is followed by the retry in the same round', async () => {
    await outbox.recordEvent(await outbox.insertEndpoint())
    const [delivery] = await claimAll()
    const now = new Date()

    const settled = [failed(delivery as ClaimedDelivery, new Date(now.getTime() - 1000))]
    const round = await storage.deliveries.round({ ...claimOf(worker, { now }), settled })

    expect(round.claimed).toMatchObject([{ id: delivery?.id, attempt: 2 }])
  })

  it('of a lost lease changes nothing', async () => {
    await outbox.recordEvent(await outbox.insertEndpoint())
    const [stale] = await claimAll()
    await storage.workers.heartbeat(other)
    await storage.workers.recoverDead({ silentForMs: 10_000, maxAttempts: 8, now: new Date() })
    const [held] = await claimAll(claimOf(other))
    expect(held).toMatchObject({ id: stale?.id, attempt: 2 })
    const before = await attempts()

    for (const workerId of [worker, other]) {
      await storage.deliveries.round({
        ...claimOf(workerId),
        settled: [succeeded(stale as ClaimedDelivery)],
      })
    }

    expect(await rowOf(held as ClaimedDelivery)).toMatchObject({ leased_by: other, attempt: 2 })
    expect(await attempts()).toEqual(before)
  })

  it('submitted twice is recorded once', async () => {
    await outbox.recordEvent(await outbox.insertEndpoint())
    const [delivery] = await claimAll()
    const settled = [succeeded(delivery as ClaimedDelivery)]

    await storage.deliveries.round({ ...claimOf(worker), settled })
    await storage.deliveries.round({ ...claimOf(worker), settled })

    expect(await attempts()).toHaveLength(1)
  })
})

describe('the limit of an endpoint', () => {
  it('counts deliveries in flight at all workers', async () => {
    const endpoints = await outbox.insertEndpoints(1)
    await outbox.insertBacklog(endpoints, 20)

    const mine = await claimAll(claimOf(worker, { limit: 5 }))
    const theirs = await claimAll(claimOf(other))

    expect([mine.length, theirs.length]).toEqual([8, 0])
  })

  it('makes room in the round that ends deliveries', async () => {
    await outbox.insertBacklog(await outbox.insertEndpoints(1), 20)
    const claimed = await claimAll()

    const round = await storage.deliveries.round({
      ...claimOf(worker),
      settled: claimed.slice(0, 3).map((delivery) => succeeded(delivery)),
    })

    expect(round.claimed).toHaveLength(3)
  })

  it('counts the leases of others, and those that a worker is certain of as it says', async () => {
    const [endpoint = ''] = await outbox.insertEndpoints(1)
    await outbox.insertBacklog([endpoint], 100)
    const claim = async (workerId: string, own?: number) => {
      const leases = own === undefined ? undefined : new Map([[endpoint, own]])
      const round = claimOf(workerId, { limit: 20, ...(leases && { leases }) })
      return (await storage.deliveries.round(round)).claimed.length
    }
    await sql`
      update quickquote.deliveries set leased_by = ${worker} where id in (select id from quickquote.deliveries limit 5)`

    expect(await claim(other, 7)).toBe(0)
    expect(await claim(worker, 8)).toBe(0)
    expect(await claim(other, 0)).toBe(3)
    expect(await claim(worker, 4)).toBe(1)
    expect(await claim(worker)).toBe(0)
  })

  it('holds for concurrent claims while outcomes are recorded', async () => {
    const endpoints = await outbox.insertEndpoints(3)
    await outbox.insertBacklog(endpoints, 400)
    let isOver = false
    let most = 0
    let looks = 0

    async function claimAndSettle(workerId: string, isCertain: boolean): Promise<void> {
      const process = outbox.anotherStorage()
      let held: ClaimedDelivery[] = []
      for (let round = 0; round < 60; round += 1) {
        const ended = held.filter(() => Math.random() < 0.6)
        held = held.filter((delivery) => !ended.includes(delivery))
        const settled = ended.map((delivery) => succeeded(delivery))
        const limit = 1 + Math.floor(Math.random() * 12)
        const round = claimOf(workerId, { limit, ...(isCertain && { leases: endpointsOf(held) }) })
        held.push(...(await process.deliveries.round({ ...round, settled })).claimed)
      }
    }
    // Each is due before all others, so claims that begin at different times disagree about the order.
    async function insertEarlier(): Promise<void> {
      for (let from = 120_000; !isOver; from += 1000) await outbox.insertBacklog(endpoints, 3, from)
    }
    async function watch(): Promise<void> {
      while (!isOver) {
        const [row] = await sql<{ most: number }[]>`
          select coalesce(max(count), 0)::int as most from (
            select count(*) from quickquote.deliveries where leased_by is not null group by endpoint_id
          ) endpoint`
        most = Math.max(most, row?.most ?? 0)
        looks += 1
      }
    }

    const others = [insertEarlier(), watch(), watch()]
    await Promise.all(Array.from({ length: 6 }, (_, n) => claimAndSettle(randomUUID(), n % 2 === 0))).finally(
      () => {
        isOver = true
      },
    )
    await Promise.all(others)

    expect(looks).toBeGreaterThan(50)
    expect(most).toBe(8)
  })
})

describe('fairness', () => {
  it('never lets one endpoint fill a claim, however old its backlog is', async () => {
    const [hoarder = '', ...others] = await outbox.insertEndpoints(21)
    await outbox.insertBacklog([hoarder], 3000, 3_600_000)
    await outbox.insertBacklog(others, 1)

    const { claimed } = await storage.deliveries.round(claimOf(worker, { limit: 64, perEndpoint: 1000 }))
    const rest = await storage.deliveries.round(claimOf(worker, { limit: 64, perEndpoint: 1000 }))

    const counts = endpointsOf([...claimed, ...rest.claimed])
    expect(others.filter((id) => !counts.has(id))).toEqual([])
  })

  it('never lets one organization fill a claim', async () => {
    const big = { organization_id: randomUUID() }
    for (let n = 0; n < 30; n += 1) await outbox.recordEvent(await outbox.insertEndpoint(big))
    const small = await outbox.insertEndpoint()
    await outbox.recordEvent(small)

    // Ties are broken at random, so one run would prove little.
    for (let round = 0; round < 10; round += 1) {
      const { claimed } = await storage.deliveries.round(claimOf(worker, { limit: 4 }))
      expect(claimed).toHaveLength(4)
      expect(endpointsOf(claimed).get(small.id)).toBe(1)
      await storage.deliveries.release(worker, claimed)
    }
  })

  it('never lets one organization hide others behind the backlog of its many endpoints', async () => {
    const [late = '', ...big] = await outbox.insertEndpoints(121)
    await sql`update quickquote.webhook_endpoints set organization_id = ${randomUUID()} where id <> ${late}`
    await outbox.insertBacklog(big, 4, 3_600_000)
    await outbox.insertBacklog([late], 1)

    const { claimed } = await storage.deliveries.round(claimOf(worker, { limit: 100 }))

    expect(endpointsOf(claimed).get(late)).toBe(1)
  })

  it('reserves places for others while some organizations could take all', async () => {
    const [healthy = '', ...big] = await outbox.insertEndpoints(81)
    const [one, other] = [randomUUID(), randomUUID()]
    await sql`update quickquote.webhook_endpoints set organization_id = case when id < ${big[40] ?? ''} then ${one} else ${other} end::uuid
      where id <> ${healthy}`
    await outbox.insertBacklog(big, 20, 3_600_000)
    const CONCURRENCY = 128
    const underWay = new Map<string, number>()
    let free = CONCURRENCY
    async function fill(): Promise<ClaimedDelivery[]> {
      const { claimed } = await storage.deliveries.round(claimOf(worker, { limit: free, underWay }))
      for (const { organization_id: id } of claimed) underWay.set(id, (underWay.get(id) ?? 0) + 1)
      free -= claimed.length
      return claimed
    }

    // None of its deliveries ends.
    for (let round = 0; round < 10; round += 1) await fill()
    // Two organizations that want everything get four ninths each.
    expect([underWay.get(one), underWay.get(other)]).toEqual([57, 57])

    await outbox.insertBacklog([healthy], 20)
    expect(endpointsOf(await fill())).toEqual(new Map([[healthy, 8]]))
  })

  it('claims more for an endpoint with a limit of its own, over all workers', async () => {
    const [quick, other] = [await outbox.insertEndpoint(), await outbox.insertEndpoint()]
    for (let n = 0; n < 20; n += 1) for (const endpoint of [quick, other]) await outbox.recordEvent(endpoint)
    const limits = new Map([[quick.id, 12]])
    const taken = async (workerId: string, options: object) => {
      const { claimed } = await storage.deliveries.round(claimOf(workerId, { perEndpoint: 2, ...options }))
      return [quick, other].map(({ id }) => claimed.filter(({ endpoint }) => endpoint.id === id).length)
    }

    expect(await taken(worker, { limits })).toEqual([12, 2])
    expect(await taken(randomUUID(), {})).toEqual([0, 0])
    expect(await taken(randomUUID(), { limits: new Map([[quick.id, 15]]) })).toEqual([3, 0])
  })

  it('finds the only endpoint with room behind hundreds without', async () => {
    const endpoints = await outbox.insertEndpoints(450)
    await outbox.insertBacklog(endpoints, 2)
    await sql`
      update quickquote.deliveries set leased_by = ${other} where id in (
        select distinct on (endpoint_id) id from quickquote.deliveries
        where endpoint_id <> ${endpoints[317] ?? ''} order by endpoint_id)`

    const { claimed } = await storage.deliveries.round(claimOf(worker, { limit: 10, perEndpoint: 1 }))

    expect([...endpointsOf(claimed)]).toEqual([[endpoints[317], 1]])
  })

  it('does not report more work if no endpoint has room', async () => {
    await outbox.insertBacklog(await outbox.insertEndpoints(2), 300)
    await claimAll()

    expect(await storage.deliveries.round(claimOf(other))).toMatchObject({
      claimed: [],
      nextDueAt: null,
      isCatchingUp: false,
    })
  })
})

describe('draining a backlog', () => {
  it('includes deliveries that become due late with an older time than the rest', async () => {
    const [late = '', ...endpoints] = await outbox.insertEndpoints(81)
    await outbox.insertBacklog(endpoints, 5)
    const first = await storage.deliveries.round(claimOf(worker))
    expect(first.claimed.length).toBeGreaterThan(64)

    await outbox.insertBacklog([late], 3, 3_600_000)
    const rest = await claimAll()

    expect(first.claimed.length + rest.length).toBe(403)
    expect(endpointsOf(rest).get(late)).toBe(3)
  })

  it('claims from several organizations at once, down to the last delivery', async () => {
    await outbox.insertBacklog(await outbox.insertEndpoints(120), 8)
    const claimed: string[] = []
    let settled: ClaimedDelivery[] = []
    do {
      const outcomes = settled.map((delivery) => succeeded(delivery))
      const round = await storage.deliveries.round({
        ...claimOf(worker, { limit: 150 }),
        settled: outcomes,
      })
      settled = round.claimed
      claimed.push(...settled.map(({ id }) => id))
    } while (settled.length > 0)
    expect(new Set(claimed).size).toBe(960)
  })
})

describe('deliveries of a disabled or deleted endpoint', () => {
  it('are parked instead of claimed, and hide no others', async () => {
    const endpoints = await outbox.insertEndpoints(3)
    const [disabled = '', deleted = '', healthy = ''] = endpoints
    await outbox.insertBacklog([disabled, deleted], 700, 3_600_000)
    await outbox.insertBacklog([healthy], 3)
    await sql`update quickquote.webhook_endpoints set is_enabled = false where id = ${disabled}`
    await sql`update quickquote.webhook_endpoints set deleted_at = now() where id = ${deleted}`

    const claimed = await claimAll()

    expect([...endpointsOf(claimed)]).toEqual([[healthy, 3]])
    const parked = await sql`
      select endpoint_id, count(*)::int, count(*) filter (where attempt = 0 and leased_by is null)::int as untouched
      from quickquote.deliveries where parked_at is not null group by endpoint_id order by endpoint_id`
    expect([...parked]).toEqual(
      [disabled, deleted].sort().map((endpoint_id) => ({ endpoint_id, count: 700, untouched: 700 })),
    )
  })

  it('are not retried if it was disabled between two attempts', async () => {
    const endpoint = await outbox.insertEndpoint()
    await outbox.recordEvent(endpoint)
    const [delivery] = await claimAll()
    await sql`update quickquote.webhook_endpoints set is_enabled = false`
    const retryAt = new Date(Date.now() + 1000)

    await storage.deliveries.round({
      ...claimOf(worker),
      settled: [failed(delivery as ClaimedDelivery, retryAt)],
    })
    expect(await claimAll(claimOf(worker, { now: retryAt }))).toEqual([])

    expect(await rowOf(delivery as ClaimedDelivery)).toMatchObject({ parked_at: retryAt, leased_by: null })
  })
})

describe('a delivery that can never be sent', () => {
  it('is removed if its endpoint does not exist, but not if the endpoint is only locked', async () => {
    const [gone, locked] = [await outbox.insertEndpoint(), await outbox.insertEndpoint()]
    for (const endpoint of [gone, locked]) {
      await outbox.recordEvent(endpoint)
      const test = { id: randomUUID(), endpointId: endpoint.id }
      await storage.testDeliveries.insert(sampleEvent({ organization_id: endpoint.organization_id }), test)
    }
    await sql`delete from quickquote.webhook_endpoints where id = ${gone.id}`
    const rows = (endpoint: { id: string }) =>
      sql`select from quickquote.deliveries where endpoint_id = ${endpoint.id} and leased_by is null`
    await sql.begin(async (tx) => {
      await tx`select from quickquote.webhook_endpoints where id = ${locked.id} for update`
      expect((await storage.deliveries.round(claimOf(randomUUID()))).claimed).toEqual([])
      expect([await rows(gone), await rows(locked)]).toMatchObject([{ length: 0 }, { length: 2 }])
    })
    const round = await storage.deliveries.round(claimOf(randomUUID()))
    expect(round.claimed).toHaveLength(2)
    // The worker can idle.
    expect((await storage.deliveries.round(claimOf(randomUUID()))).nextDueAt).toBeNull()
  })

  it('is removed if its event is gone or erased, and the others of the claim are sent', async () => {
    const endpoint = await outbox.insertEndpoint()
    const [gone, erased, kept] = [
      await outbox.recordEvent(endpoint),
      await outbox.recordEvent(endpoint),
      await outbox.recordEvent(endpoint),
    ]
    await sql`delete from quickquote.events where id = ${gone.id}`
    await sql`update quickquote.events set body = '[erased]' where id = ${erased.id}`
    const { claimed } = await storage.deliveries.round(claimOf(randomUUID()))
    expect(claimed).toMatchObject([{ event_id: kept.id }])
    expect(await sql`select event_id from quickquote.deliveries where endpoint_id = ${endpoint.id}`).toEqual([
      { event_id: kept.id },
    ])
  })
})

describe('a change of an endpoint', () => {
  it('applies from the next claim on', async () => {
    const endpoint = await outbox.insertEndpoint()
    await outbox.recordEvent(endpoint)
    await sql`update quickquote.webhook_endpoints set url = 'https://new.example/', version = version + 1`

    const [delivery] = await claimAll()

    expect(delivery?.endpoint).toMatchObject({ url: 'https://new.example/', version: 2 })
  })

  it('delays only its own deliveries while uncommitted', async () => {
    const [changing = '', calm = ''] = await outbox.insertEndpoints(2)
    await outbox.insertBacklog([changing, calm], 1)

    await sql.begin(async (transaction) => {
      await transaction`update quickquote.webhook_endpoints set is_enabled = false where id = ${changing}`
      const { claimed } = await storage.deliveries.round(claimOf(worker))
      expect([...endpointsOf(claimed).keys()]).toEqual([calm])
    })

    expect(await claimAll()).toEqual([])
  })
})

describe('a returned lease', () => {
  it('can be claimed by others, and its attempt does not count', async () => {
    await outbox.recordEvent(await outbox.insertEndpoint())
    const claimed = await claimAll()

    await storage.deliveries.release(worker, claimed)

    expect(await claimAll(claimOf(other))).toMatchObject([{ id: claimed[0]?.id, attempt: 1 }])
  })

  it('is not taken from its current worker', async () => {
    await outbox.recordEvent(await outbox.insertEndpoint())
    const claimed = await claimAll()
    await storage.deliveries.release(worker, claimed)
    await claimAll(claimOf(other))

    await storage.deliveries.release(worker, claimed)

    expect(await rowOf(claimed[0] as ClaimedDelivery)).toMatchObject({ leased_by: other, attempt: 1 })
  })
})

describe('a claim whose response is lost', () => {
  it('is returned by the next claim, so that no lease is left with a worker that does not know of it', async () => {
    const [held = '', lost = ''] = await outbox.insertEndpoints(2)
    const thief = await startAnswerThief(outbox.url)
    const far = outbox.anotherStorage({ url: thief.url })
    await outbox.insertBacklog([held], 1)
    const [known] = (await far.deliveries.round(claimOf(worker))).claimed
    await outbox.insertBacklog([lost], 3)

    // Its id is in the message with the parameters, which executes the statement.
    thief.stealAnswerTo(worker)
    await expect(far.deliveries.round(claimOf(worker))).rejects.toMatchObject({
      name: 'StorageError',
    })
    expect(await sql`select id from quickquote.deliveries where leased_by = ${worker}`).toHaveLength(4)

    const again = await claimAll({ ...claimOf(worker), held: [(known as ClaimedDelivery).id] }, far)
    await far.close()
    await thief.stop()

    expect([...endpointsOf(again)]).toEqual([[lost, 3]])
    expect(again.map(({ attempt }) => attempt)).toEqual([1, 1, 1])
    expect(await rowOf(known as ClaimedDelivery)).toMatchObject({ leased_by: worker, attempt: 1 })
  })
})
