import { randomUUID } from 'node:crypto'
import type { StoredWebhookEndpoint } from '@quickquote/core/internal'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { claimOf, type Outbox, openOutbox, succeeded } from './support/delivery-samples.ts'
import { blocksRead, openExplained, rowsRead } from './support/explained.ts'

/** More than one statement parks. */
const BACKLOG = 2500

let outbox: Outbox
let endpoint: StoredWebhookEndpoint

beforeEach(async () => {
  outbox = await openOutbox(onTestFinished)
  endpoint = await outbox.insertEndpoint()
  await outbox.insertBacklog([endpoint.id], BACKLOG)
})
const setEnabled = (is_enabled: boolean) =>
  outbox.storage.webhookEndpoints.update(endpoint.organization_id, endpoint.id, { is_enabled }, new Date())

async function pending(): Promise<{ id: string }[]> {
  return outbox.sql`select id from quickquote.deliveries where parked_at is null`
}

describe('an endpoint with a long backlog', () => {
  it('is disabled as fast as one without: claims park the rest, and none of it is sent', async () => {
    const other = await outbox.insertEndpoint()
    await outbox.insertBacklog([other.id], 3)

    await setEnabled(false)
    expect(await pending()).toHaveLength(BACKLOG - 1000 + 3)

    const claims = []
    while ((await pending()).length > 3) {
      claims.push(...(await outbox.storage.deliveries.round(claimOf(randomUUID(), { limit: 1 }))).claimed)
    }
    expect(claims.filter((claim) => claim.endpoint.id === endpoint.id)).toEqual([])
  })

  it.each<[string, () => Promise<unknown>]>([
    ['disabled', () => setEnabled(false)],
    ['disabled and enabled', async () => [await setEnabled(false), await setEnabled(true)]],
    [
      'deleted',
      () => outbox.storage.webhookEndpoints.delete(endpoint.organization_id, endpoint.id, new Date()),
    ],
  ])('is %s without parking the deliveries in flight, which end normally', async (_, change) => {
    const claim = claimOf(randomUUID(), { limit: 8 })
    const { claimed } = await outbox.storage.deliveries.round(claim)
    expect(claimed.length).toBeGreaterThan(1)
    await change()
    const inFlight = await outbox.sql`select parked_at from quickquote.deliveries where leased_by is not null`
    expect(inFlight.map(({ parked_at }) => parked_at)).toEqual(claimed.map(() => null))
    await outbox.storage.deliveries.round({
      ...claim,
      limit: 0,
      settled: claimed.map((each) => succeeded(each)),
    })
    expect(
      await outbox.sql`select status, count(*)::int from quickquote.delivery_attempts group by status`,
    ).toEqual([{ status: 'succeeded', count: claimed.length }])
  })

  it('shows its whole backlog as parked once disabled', async () => {
    const { storage } = outbox
    const [row] = await pending()
    const find = () => storage.deliveryLog.find(endpoint.organization_id, row?.id ?? '')
    expect(await find()).toMatchObject({ status: 'pending', next_attempt_at: expect.any(Date) })

    await setEnabled(false)
    const left = await pending()
    const unparked = await storage.deliveryLog.find(endpoint.organization_id, left[0]?.id ?? '')
    expect(unparked).toMatchObject({ status: 'parked', next_attempt_at: null })
  })

  it('gets none of its backlog if it is enabled again before all of it was parked', async () => {
    await setEnabled(false)
    await setEnabled(true)

    expect(await pending()).toEqual([])
    expect((await outbox.storage.deliveries.round(claimOf(randomUUID()))).claimed).toEqual([])
  })

  it('keeps its pending deliveries if it is enabled while enabled', async () => {
    await setEnabled(true)
    expect(await pending()).toHaveLength(BACKLOG)
  })

  it('is deleted as fast as one without', async () => {
    await outbox.storage.webhookEndpoints.delete(endpoint.organization_id, endpoint.id, new Date())
    expect(await pending()).toHaveLength(BACKLOG - 1000)

    while ((await pending()).length > 0) {
      expect((await outbox.storage.deliveries.round(claimOf(randomUUID()))).claimed).toEqual([])
    }
  })
})

describe('a backlog that is longer than a request can change', () => {
  const LONG = 5000

  /** One batch at a time, each by another worker, as if every one was killed after it. */
  async function catchUp(): Promise<number> {
    let batches = 1
    while (await outbox.anotherStorage().deliveries.catchUp(new Date(), 1000)) batches += 1
    return batches
  }
  const claim = () => outbox.storage.deliveries.round(claimOf(randomUUID(), { limit: 8 }))

  it('gets in order in batches, and nothing is sent until all of it is', async () => {
    await outbox.sql`
      with event as (
        insert into quickquote.events (id, organization_id, type, body, quotation_id, sequence, created_at)
        select gen_random_uuid(), ${endpoint.organization_id}::uuid, 'quotation.completed', '{}',
          md5((n % 4)::text)::uuid, n / 4 + 1, now()
        from generate_series(0, ${LONG - 1}::int) n
        returning *
      )
      insert into quickquote.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at)
      select gen_random_uuid(), organization_id, ${endpoint.id}::uuid, id, created_at, now() - random() * interval '1 hour'
      from event`
    const { organization_id, id } = endpoint
    const change = { ordering: 'quotation' as const }
    await outbox.storage.webhookEndpoints.update(organization_id, id, change, new Date())

    expect(await claim()).toMatchObject({ claimed: [], isCatchingUp: true })
    expect(await catchUp()).toBeGreaterThan(3)

    const heads = await outbox.sql`
      select from quickquote.deliveries where endpoint_id = ${id} and sequence is not null and generation = 1`
    expect(heads).toHaveLength(LONG)
    await outbox.sql`delete from quickquote.deliveries where sequence is null`
    expect((await claim()).claimed.map(({ event_sequence }) => event_sequence)).toEqual([1, 1, 1, 1])
  })

  it('follows a change in a transaction of the host, whatever its isolation', async () => {
    await outbox.recordEvent(endpoint)
    await setEnabled(false)
    await outbox.sql.begin('isolation level repeatable read', async (transaction) => {
      const { webhookEndpoints } = outbox.storage.within(transaction)
      await webhookEndpoints.update(endpoint.organization_id, endpoint.id, { is_enabled: true }, new Date())
    })

    expect(await claim()).toMatchObject({ claimed: [], isCatchingUp: true })
    await catchUp()

    expect(await claim()).toMatchObject({ claimed: [], isCatchingUp: false })
    expect(await outbox.sql`select from quickquote.deliveries where parked_at is null`).toEqual([])
  })

  it('is parked in batches when the endpoint is enabled, and new events are sent after that', async () => {
    await outbox.insertBacklog([endpoint.id], LONG)
    await setEnabled(false)
    await setEnabled(true)
    const event = await outbox.recordEvent(endpoint)

    expect(await claim()).toMatchObject({ claimed: [], isCatchingUp: true })
    await catchUp()

    expect((await claim()).claimed.map(({ event_id }) => event_id)).toEqual([event.id])
    expect(await outbox.sql`select from quickquote.deliveries where parked_at is not null`).toHaveLength(
      BACKLOG + LONG,
    )
  })

  it.each<[string, () => Promise<unknown>]>([
    [
      'another order',
      () =>
        outbox.storage.webhookEndpoints.update(
          endpoint.organization_id,
          endpoint.id,
          { ordering: 'quotation' },
          new Date(),
        ),
    ],
    ['being enabled', async () => [await setEnabled(false), await setEnabled(true)]],
  ])('follows %s in batches of the same cost, however many came before', async (_, change) => {
    await outbox.insertBacklog([endpoint.id], 10 * LONG)
    await change()
    const { storage, explain, nodes, close } = openExplained(outbox.url)
    onTestFinished(close)
    const cost: { rows: number; blocks: number }[] = []
    for (let isMore = true; isMore; ) {
      await explain()
      isMore = await storage.deliveries.catchUp(new Date(), 2000)
      const read = nodes().filter((node) => node['Relation Name'] === 'deliveries')
      cost.push({ rows: rowsRead(read), blocks: blocksRead(read) })
    }
    // The last batch looks at everything once.
    const [, second, ...others] = cost.slice(0, -2)
    expect(others.length).toBeGreaterThan(15)
    for (const { rows, blocks } of others) {
      expect(rows).toBeLessThan(1.5 * (second?.rows ?? 0))
      expect(blocks).toBeLessThan(1.5 * (second?.blocks ?? 0))
    }
  })

  it('follows a change though some of it was locked when its turn came', async () => {
    await setEnabled(false)
    await outbox.sql`update quickquote.deliveries set parked_at = null`
    const [locked] = await outbox.sql<
      { id: string }[]
    >`select id from quickquote.deliveries order by due_at limit 1`
    await outbox.sql.begin(async (transaction) => {
      await transaction`select from quickquote.deliveries where id = ${locked?.id ?? ''} for update`
      await setEnabled(true)
      await catchUp()
      expect(await claim()).toMatchObject({ claimed: [], isCatchingUp: true })
    })
    await catchUp()

    expect(await claim()).toMatchObject({ claimed: [], isCatchingUp: false })
    expect(await pending()).toEqual([])
  })
})
