import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ACME, type MemberName, NOWHERE } from './support/host.ts'
import { type CreatedEndpoint, createEndpoint, failQuote, useDeliveries } from './support/webhooks.ts'

const HOUR_MS = 60 * 60 * 1000

const context = useDeliveries({ integrations: { delivery: { backoffMs: 600_000 } } })
let good: CreatedEndpoint
let bad: CreatedEndpoint
let gone: CreatedEndpoint
let theirs: CreatedEndpoint

interface Row {
  readonly endpoint_id: string
  readonly delivery_id: string
  readonly status: string
}

async function read(path: string, member?: MemberName) {
  const { status, body } = await call('GET', path, undefined, member)
  return { status, body, rows: body as unknown as Row[] }
}
const { call, attempted } = context
const endpointsOf = async (which: string) =>
  (await read(`/deliveries?undelivered=${which}`)).rows.map(({ endpoint_id }) => endpoint_id).sort()

beforeAll(async () => {
  const { host, receiver } = context
  context.respond(({ path }) => ({ status: { '/bad': 503, '/gone': 410 }[path] ?? 204 }))
  good = await createEndpoint(host, { name: 'Good', url: `${receiver.url}/good` })
  bad = await createEndpoint(host, { name: 'Bad', url: `${receiver.url}/bad` })
  gone = await createEndpoint(host, { name: 'Gone', url: `${receiver.url}/gone` })
  theirs = await createEndpoint(host, { name: 'Theirs', url: `${receiver.url}/bad` }, 'globex-admin')
  await failQuote(host, 'Customer portal')
  await failQuote(host, 'theirs', 'globex-admin')
  await attempted(4)
  await call('POST', `/${bad.id}/test`, { event_type: 'quotation.failed' })
  await attempted(5)
})

describe('GET /deliveries?undelivered', () => {
  it('lists events that were never delivered: retrying, given up, or all', async () => {
    expect(await endpointsOf('all')).toEqual([bad.id, gone.id].sort())
    expect(await endpointsOf('retrying')).toEqual([bad.id])
    expect(await endpointsOf('given_up')).toEqual([gone.id])
    expect((await read('/deliveries?undelivered=all', 'globex-admin')).rows).toMatchObject([
      { endpoint_id: theirs.id },
    ])
  })

  it('counts parked deliveries only in `all`, without a next attempt', async () => {
    await call('PATCH', `/${bad.id}`, { is_enabled: false })
    expect(await endpointsOf('retrying')).toEqual([])
    expect(await endpointsOf('given_up')).toEqual([gone.id])
    expect(await endpointsOf('all')).toEqual([bad.id, gone.id].sort())
    // Nothing follows that could be waited for.
    const parked = await read(`/deliveries?undelivered=all&endpoint_id=${bad.id}`)
    expect(parked.rows).toMatchObject([{ status: 'failed', next_attempt_at: null }])
    await call('PATCH', `/${bad.id}`, { is_enabled: true })
  })

  it('lists an event once, and no longer after any delivery of it has succeeded', async () => {
    const [row] = (await read(`/deliveries?undelivered=all&endpoint_id=${gone.id}`)).rows
    await call('POST', `/deliveries/${row?.delivery_id}/resend`)
    await attempted(6)
    expect((await read(`/deliveries?undelivered=all&endpoint_id=${gone.id}`)).rows).toHaveLength(1)

    context.respond(({ path }) => ({ status: path === '/bad' ? 503 : 204 }))
    await call('POST', `/deliveries/${row?.delivery_id}/resend`)
    await attempted(7)
    expect(await endpointsOf('all')).toEqual([bad.id])
  })

  it('summarizes the endpoints in a hundred bytes: how many, how many need somebody, and their last change', async () => {
    const summary = await read('/summary')
    const endpoints = (await read('')).body as unknown as { updated_at: string }[]
    const changed_at = endpoints
      .map(({ updated_at }) => updated_at)
      .sort()
      .at(-1)
    expect(summary.body).toEqual({ endpoints: 3, troubled: 2, changed_at })
    expect((await read('/summary', 'globex-admin')).body).toMatchObject({ endpoints: 1, troubled: 1 })
  })

  it('accepts no other value', async () => {
    expect((await read('/deliveries?undelivered=yes')).body).toMatchObject({
      status: 400,
      errors: [{ pointer: '?undelivered' }],
    })
  })
})

describe('The log', () => {
  it('has the current name of an endpoint, even of a deleted one', async () => {
    await call('PATCH', `/${good.id}`, { name: 'Better' })
    const [row] = (await read(`/deliveries?endpoint_id=${good.id}`)).rows
    expect(row).toMatchObject({ endpoint_name: 'Better' })
    await call('DELETE', `/${good.id}`)
    expect((await read(`/deliveries/${row?.delivery_id}`)).body).toMatchObject({
      endpoint_name: 'Better',
      attempts: [{ endpoint_name: 'Better' }],
    })
  })

  it('shows the sent body, byte for byte', async () => {
    const [row] = (await read(`/deliveries?endpoint_id=${gone.id}`)).rows
    const { body } = await read(`/deliveries/${row?.delivery_id}`)
    const received = context.receiver.requests.find(({ path }) => path === '/gone')
    expect(String(body['request_body'])).toBe(String(received?.rawBody))
  })
})

describe('GET /deliveries/hours', () => {
  const hour = () => new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS).toISOString()

  async function counted(query = '', member: MemberName = 'acme-admin') {
    const { rows } = await read(`/deliveries/hours${query}`, member)
    return rows as unknown as { hour: string; delivered: number; failed: number }[]
  }
  const sums = (hours: { delivered: number; failed: number }[]) => [
    hours.reduce((sum, { delivered }) => sum + delivered, 0),
    hours.reduce((sum, { failed }) => sum + failed, 0),
  ]

  it('counts the attempts of the organization by hour, without tests', async () => {
    const hours = await counted()
    // One success at the first endpoint, one failure at the second; at the third two failures and a success.
    expect(sums(hours)).toEqual([2, 3])
    for (const each of hours) expect(Date.parse(each.hour) % HOUR_MS).toBe(0)
    expect(Date.parse(hour()) - Date.parse(hours.at(-1)?.hour ?? '')).toBeLessThanOrEqual(HOUR_MS)
    expect(sums(await counted('', 'globex-admin'))).toEqual([0, 1])
  })

  it('filters by endpoint and period', async () => {
    expect(sums(await counted(`?endpoint_id=${gone.id}`))).toEqual([1, 2])
    expect(await counted(`?until=${new Date(Date.now() - 12 * HOUR_MS).toISOString()}`)).toEqual([])
    const before = await context.sql<{ id: string }[]>`
      insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
        attempt, status, is_test, created_at)
      select gen_random_uuid(), gen_random_uuid(), ${ACME}, ${gone.id}, gen_random_uuid(), 'quotation.failed', 1,
        'failed', false, now() - hours * interval '1 hour' from unnest(array[2, 30]) as hours
      returning id`
    // Hours look the same before and after they are counted.
    for (const _ of ['before', 'after']) {
      expect(sums(await counted(`?endpoint_id=${gone.id}`))).toEqual([1, 3])
      expect(await counted(`?endpoint_id=${gone.id}`)).toHaveLength(2)
      await context.sql`select quickquote.count_delivery_hours()`
    }
    await context.sql`delete from quickquote.delivery_attempts where id = any (${before.map(({ id }) => id)})`
  })

  it('accepts at most seven days, and only endpoints of the organization', async () => {
    const since = new Date(Date.now() - 8 * 24 * HOUR_MS).toISOString()
    expect((await read(`/deliveries/hours?since=${since}`)).body).toMatchObject({
      status: 400,
      errors: [{ pointer: '?since', detail: 'must be at most seven days before `until`' }],
    })
    for (const id of [theirs.id, NOWHERE]) {
      expect((await read(`/deliveries/hours?endpoint_id=${id}`)).body).toMatchObject({
        status: 404,
        code: 'WEBHOOK_ENDPOINT_NOT_FOUND',
      })
    }
  })
})

describe('GET /:id/statistics', () => {
  it('has response times and failures by reason of the newest attempts, without tests', async () => {
    const answer = await read(`/${gone.id}/statistics`)
    expect(answer.body).toMatchObject({ attempts: 3, failures: { timeout: 0 } })
    const errors = [
      [null, 'timed out after 10000 ms', 10_000],
      [null, 'the connection timed out', 5000],
      [null, 'certificate: it has expired', 40],
      [null, 'connection refused', 3],
      [null, 'the host name does not exist', 3],
      [302, 'the receiver answered 302', 30],
      [404, null, 30],
      [503, null, 900],
    ] as const
    const ids = await Promise.all(
      errors.map(async ([http_status, error, duration_ms]) => {
        const [row] = await context.sql<{ id: string }[]>`
          insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
            attempt, status, is_test, created_at, http_status, error, duration_ms)
          values (gen_random_uuid(), gen_random_uuid(), ${ACME}, ${theirs.id}, gen_random_uuid(), 'quotation.failed', 1,
            'failed', false, now(), ${http_status}, ${error}, ${duration_ms}) returning id`
        return row?.id ?? ''
      }),
    )
    // Of another organization's endpoint: not even those with our id.
    expect((await read(`/${theirs.id}/statistics`)).body).toMatchObject({ status: 404 })
    expect((await read(`/${NOWHERE}/statistics`)).body).toMatchObject({ code: 'WEBHOOK_ENDPOINT_NOT_FOUND' })
    await context.sql`update quickquote.delivery_attempts set endpoint_id = ${bad.id} where id = any (${ids})`
    const { failures, p95_ms } = (await read(`/${bad.id}/statistics`)).body as unknown as {
      failures: Record<string, number>
      p95_ms: number
    }
    expect(failures).toMatchObject({ timeout: 2, tls: 1, refused: 1, client_error: 1, other: 2 })
    expect(failures['server_error']).toBeGreaterThanOrEqual(1)
    expect(p95_ms).toBe(900)
    await context.sql`delete from quickquote.delivery_attempts where id = any (${ids})`
  })
})

describe('GET /:id/replay/count', () => {
  const since = new Date(Date.now() - HOUR_MS).toISOString()
  const count = (id: string, query = '', member?: MemberName) =>
    read(`/${id}/replay/count?since=${since}${query}`, member)

  it('counts the events that a replay would send, and sends nothing', async () => {
    // A parked event is missed; once it is resent, it is not.
    expect((await count(bad.id)).body).toEqual({ events: 1, is_more: false })
    const [row] = (await read(`/deliveries?undelivered=all&endpoint_id=${bad.id}`)).rows
    await call('POST', `/deliveries/${row?.delivery_id}/resend`)
    await attempted(8)
    const before = context.receiver.requests.length
    expect((await count(bad.id)).body).toEqual({ events: 0, is_more: false })
    // A delivered event is sent again only with `all`.
    expect((await count(gone.id)).body).toEqual({ events: 0, is_more: false })
    expect((await count(gone.id, '&status=all')).body).toEqual({ events: 1, is_more: false })
    await call('PATCH', `/${bad.id}`, { is_enabled: false })
    expect((await count(bad.id)).body).toEqual({ events: 1, is_more: false })
    expect((await count(bad.id, `&until=${since}`)).body).toMatchObject({ errors: [{ pointer: '?until' }] })
    expect(context.receiver.requests).toHaveLength(before)
  })

  it('is the number of events that the replay then sends', async () => {
    await call('PATCH', `/${bad.id}`, { is_enabled: true })
    const { body: counted } = await count(gone.id, '&status=all')
    const { body: replay } = await call('POST', `/${gone.id}/replay`, { since, status: 'all' })
    await vi.waitFor(
      async () =>
        expect((await read(`/${gone.id}/replays/${replay['id']}`)).body).toMatchObject({
          state: 'completed',
          resent: counted['events'],
        }),
      { timeout: 60_000 },
    )
  })

  it('accepts only endpoints of the organization, and requires `since`', async () => {
    for (const id of [theirs.id, NOWHERE]) {
      expect((await count(id)).body).toMatchObject({ status: 404, code: 'WEBHOOK_ENDPOINT_NOT_FOUND' })
    }
    expect((await count(theirs.id, '', 'globex-admin')).body).toEqual({ events: 0, is_more: false })
    expect((await read(`/${gone.id}/replay/count`)).body).toMatchObject({ status: 400 })
  })
})
