import { randomUUID } from 'node:crypto'
import type { ClaimedDelivery, SettledAttempt, StoredWebhookEndpoint } from '@quickquote/core/internal'
import { lockWaiters } from '@quickquote/dev-servers/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { claimOf, failed, openOutbox, succeeded } from './support/delivery-samples.ts'

const outbox = await openOutbox()
const { storage, sql } = outbox
const worker = randomUUID()

beforeEach(() => outbox.clear())

const inOrder = () => outbox.insertEndpoint({ ordering: 'quotation' })

async function record(endpoint: StoredWebhookEndpoint, quotation_id: string | null): Promise<string> {
  const { id } = await outbox.recordEvent(endpoint, { quotation_id })
  return id
}

/** Records outcomes, and claims until nothing more can be claimed now. */
async function claim(settled: SettledAttempt[] = [], now = new Date()): Promise<ClaimedDelivery[]> {
  const claimed: ClaimedDelivery[] = []
  let round = await storage.deliveries.round({ ...claimOf(worker, { now }), settled })
  for (;;) {
    claimed.push(...round.claimed)
    if (round.nextDueAt === null || round.nextDueAt > now) return claimed
    round = await storage.deliveries.round(claimOf(worker, { now }))
  }
}

const eventsOf = (deliveries: readonly ClaimedDelivery[]) => deliveries.map(({ event_id }) => event_id)
const retry = (delivery: ClaimedDelivery, seconds = 3600) =>
  failed(delivery, new Date(Date.now() + seconds * 1000))

describe('the number of an event', () => {
  it('counts within its quotation and organization, and is missing without a quotation', async () => {
    const endpoint = await outbox.insertEndpoint()
    const other = await outbox.insertEndpoint()
    const [one, two] = [randomUUID(), randomUUID()]
    const ids: string[] = []
    for (const quotation of [one, one, two, null, one]) ids.push(await record(endpoint, quotation))
    ids.push(await record(other, one))

    const claimed = await claim()

    const numbers = new Map(claimed.map(({ event_id, event_sequence }) => [event_id, event_sequence]))
    expect(ids.map((id) => numbers.get(id))).toEqual([1, 2, 1, null, 3, 1])
  })

  it('is assigned once, however many events of a quotation are recorded at the same time', async () => {
    const endpoint = await outbox.insertEndpoint()
    const quotation = randomUUID()
    await Promise.all(Array.from({ length: 20 }, () => record(endpoint, quotation)))

    const rows = await sql<{ sequence: number }[]>`select sequence from quickquote.events order by sequence`
    expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
  })
})

describe('an endpoint that wants the events of a quotation in order', () => {
  it('gets the next one once the previous one has succeeded, and those of other quotations at once', async () => {
    const endpoint = await inOrder()
    const [one, two] = [randomUUID(), randomUUID()]
    const first = [await record(endpoint, one), await record(endpoint, one), await record(endpoint, one)]
    const other = await record(endpoint, two)
    const none = await record(endpoint, null)

    const claimed = await claim()
    expect(new Set(eventsOf(claimed))).toEqual(new Set([first[0], other, none]))
    const later = await record(endpoint, one)

    const rest: string[] = []
    let next = claimed
    while (next.length > 0) {
      next = await claim(next.map((delivery) => succeeded(delivery)))
      rest.push(...eventsOf(next))
    }
    expect(rest).toEqual([first[1], first[2], later])
  })

  it.each([
    ['is exhausted', 'exhausted'],
    ['is rejected with 410', 'rejected'],
  ] as const)('gets the next one after the previous one %s', async (_, status) => {
    const endpoint = await inOrder()
    const quotation = randomUUID()
    await record(endpoint, quotation)
    const second = await record(endpoint, quotation)
    const [head] = await claim()

    expect(eventsOf(await claim([succeeded(head as ClaimedDelivery, { status })]))).toEqual([second])
  })

  it('gets nothing of a quotation during a back-off, which ends as soon as the endpoint responds', async () => {
    const endpoint = await inOrder()
    const [one, two] = [randomUUID(), randomUUID()]
    const head = await record(endpoint, one)
    await record(endpoint, one)
    await record(endpoint, two)
    const [first, other] = await claim()

    // No other delivery waits for the second one.
    expect(await claim([retry(first as ClaimedDelivery)])).toEqual([])

    expect(eventsOf(await claim([succeeded(other as ClaimedDelivery)]))).toEqual([head])
  })

  it('keeps the back-off of a delivery that no other waits for', async () => {
    const endpoint = await inOrder()
    await record(endpoint, randomUUID())
    await record(endpoint, randomUUID())
    const [first, other] = await claim()

    await claim([retry(first as ClaimedDelivery)])

    expect(await claim([succeeded(other as ClaimedDelivery)])).toEqual([])
  })

  it('shows a delivery that waits for another as pending, without a time', async () => {
    const endpoint = await inOrder()
    const quotation = randomUUID()
    await record(endpoint, quotation)
    await record(endpoint, quotation)
    await claim()

    const [held] = await sql<{ id: string }[]>`select id from quickquote.deliveries where leased_by is null`
    expect(await storage.deliveryLog.find(endpoint.organization_id, held?.id ?? '')).toMatchObject({
      status: 'pending',
      next_attempt_at: null,
    })
  })

  it('gets the next one when the worker of the previous one died at its last attempt', async () => {
    const endpoint = await inOrder()
    const quotation = randomUUID()
    await record(endpoint, quotation)
    const second = await record(endpoint, quotation)
    await sql`update quickquote.deliveries set attempt = 7 where event_id <> ${second}`
    await claim()

    await storage.workers.recoverDead({ silentForMs: 15_000, maxAttempts: 8, now: new Date() })

    expect(eventsOf(await claim())).toEqual([second])
  })

  it('gets the next one at once if its worker stopped while another one held the endpoint', async () => {
    const endpoint = await inOrder()
    const quotation = randomUUID()
    await record(endpoint, quotation)
    const second = await record(endpoint, quotation)
    const [head] = await claim()

    await sql.begin(async (other) => {
      await other`select from quickquote.webhook_endpoints for no key update`
      await storage.deliveries.round({
        ...claimOf(worker, { limit: 0 }),
        settled: [succeeded(head as ClaimedDelivery)],
      })
    })
    await storage.workers.retire(worker)

    const { claimed } = await storage.deliveries.round(claimOf(randomUUID()))
    expect(eventsOf(claimed)).toEqual([second])
  })

  it('holds nothing back for a delivery that is just being removed', async () => {
    const endpoint = await inOrder()
    const quotation = randomUUID()
    await record(endpoint, quotation)
    const [head] = await claim()
    const second = await record(endpoint, quotation)
    const now = new Date()

    await sql.begin(async (other) => {
      await other`delete from quickquote.deliveries where id = ${head?.id ?? ''}`
      const round = await storage.deliveries.round(claimOf(randomUUID(), { now }))
      expect(round).toMatchObject({ claimed: [], nextDueAt: now })
    })

    expect(eventsOf(await claim())).toEqual([second])
  })

  it('releases what a claim holds back at the same moment', async () => {
    const endpoint = await inOrder()
    const quotation = randomUUID()
    await record(endpoint, quotation)
    const [head] = await claim()
    const second = await record(endpoint, quotation)

    let settling: Promise<unknown> | undefined
    await storage.transaction(async (transaction) => {
      expect((await transaction.deliveries.round(claimOf(randomUUID()))).claimed).toEqual([])
      settling = outbox.anotherStorage().deliveries.round({
        ...claimOf(worker, { limit: 0 }),
        settled: [succeeded(head as ClaimedDelivery)],
      })
      await expect.poll(() => lockWaiters(sql)).toBe(1)
    })
    await settling

    expect(eventsOf(await claim())).toEqual([second])
  })

  it('refuses transactions in which it could not see what others have committed', async () => {
    await expect(
      sql.begin('isolation level repeatable read', (transaction) => [
        transaction`select from quickquote.delivery_round(${worker}::uuid, now(), 1, 1, null, ${worker}::uuid, false, null,
          '-infinity', '[]'::json, null, '{}', null, 4)`,
      ]),
    ).rejects.toThrow('read committed')
  })

  it('gets all of them in order from any number of workers, with none lost', async () => {
    const endpoint = await inOrder()
    const quotations = Array.from({ length: 6 }, () => randomUUID())
    const EVENTS = 12
    const delivered: ClaimedDelivery[] = []
    let isRecorded = false

    async function deliver(): Promise<void> {
      const process = outbox.anotherStorage()
      const workerId = randomUUID()
      let settled: SettledAttempt[] = []
      for (let idle = 0; idle < 3; ) {
        const { claimed, nextDueAt } = await process.deliveries.round({
          ...claimOf(workerId),
          settled,
        })
        // Noted before its outcome can be recorded, because only then its successor can be claimed.
        const outcomes = claimed.map((delivery) =>
          Math.random() < 0.2 ? failed(delivery, new Date()) : succeeded(delivery),
        )
        delivered.push(
          ...outcomes.filter(({ status }) => status === 'succeeded').map(({ delivery }) => delivery),
        )
        settled = outcomes
        const isOver = isRecorded && claimed.length === 0 && nextDueAt === null
        idle = isOver && delivered.length === quotations.length * EVENTS ? idle + 1 : 0
      }
    }
    async function recordAll(): Promise<void> {
      for (let n = 0; n < EVENTS; n += 1) {
        await Promise.all(quotations.map((quotation) => record(endpoint, quotation)))
      }
      isRecorded = true
    }

    await Promise.all([recordAll(), ...Array.from({ length: 4 }, deliver)])

    for (const quotation of quotations) {
      const numbers = delivered
        .filter(({ quotation_id }) => quotation_id === quotation)
        .map(({ event_sequence }) => event_sequence)
      expect(numbers).toEqual(Array.from({ length: EVENTS }, (_, n) => n + 1))
    }
    expect(await sql`select from quickquote.deliveries`).toHaveLength(0)
  })
})

describe('ordering', () => {
  it('applies to waiting deliveries when turned on, and no longer when turned off', async () => {
    const endpoint = await outbox.insertEndpoint()
    const quotation = randomUUID()
    const first = await record(endpoint, quotation)
    const second = await record(endpoint, quotation)
    const change = (ordering: StoredWebhookEndpoint['ordering']) =>
      storage.webhookEndpoints.update(endpoint.organization_id, endpoint.id, { ordering }, new Date())

    await change('quotation')
    expect(eventsOf(await claim())).toEqual([first])
    await change('none')
    expect(eventsOf(await claim())).toEqual([second])
  })

  it('costs other endpoints nothing: their deliveries have no position in a quotation', async () => {
    const endpoint = await outbox.insertEndpoint()
    await record(endpoint, randomUUID())
    expect([...(await sql`select quotation_id, sequence from quickquote.deliveries`)]).toEqual([
      { quotation_id: null, sequence: null },
    ])
  })
})
