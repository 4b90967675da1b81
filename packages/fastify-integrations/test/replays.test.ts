import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ACME, GLOBEX, NOWHERE, openHost, useDatabase } from './support/host.ts'
import {
  createEndpoint,
  failQuote,
  startWorker,
  useDeliveries,
  WEBHOOKS,
  webhooksOf,
} from './support/webhooks.ts'

const context = useDeliveries({
  worker: { pollIntervalMs: 50 },
  integrations: { delivery: { maxAttempts: 1 }, limits: { webhookEndpoints: 1000, startsPerMinute: 1000 } },
})
const { call, newEndpoint } = context

const eventsAt = (path: string) =>
  context.requestsTo(path).map(({ headers }) => String(headers['x-service-event-id']))
const setEnabled = (id: string, is_enabled: boolean) => call('PATCH', `/${id}`, { is_enabled })

/** The event of a quote that failed. */
async function happen(name: string): Promise<string> {
  const quotation = await failQuote(context.host, name)
  const [event] = await context.sql`select id from quickquote.events where quotation_id = ${quotation}`
  return `evt_${event?.['id']}`
}
const settledAt = (id: string, count: number) => context.attempted(count, id)

async function replay(id: string, body: object = {}) {
  const begun = await call('POST', `/${id}/replay`, { since: start, ...body })
  expect(begun.status).toBe(202)
  const location = begun.headers.get('location') ?? ''
  return vi.waitFor(
    async () => {
      const { body } = await context.host.call('GET', location, { member: 'acme-admin' })
      expect(body['state']).not.toBe('running')
      return body
    },
    { timeout: 60_000 },
  )
}

let start: string
beforeEach(async () => {
  context.respond(() => ({ status: 204 }))
  // Endpoints of other tests would only be in the way.
  await context.sql`update quickquote.webhook_endpoints set deleted_at = now() where deleted_at is null`
  await context.sql`select pg_sleep(0.01)`
  start = new Date().toISOString()
})

describe('POST /:id/replay', () => {
  it('answers 202 with the replay and the address of its progress', async () => {
    const { id } = await newEndpoint()
    const { status, headers, body } = await call('POST', `/${id}/replay`, { since: start })
    expect(status).toBe(202)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      endpoint_id: id,
      state: expect.stringMatching(/^(running|completed)$/),
      since: start,
      until: body['created_at'],
      status: 'missed',
      event_type: null,
      progress: { examined: 0, total: 0 },
      resent: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect(headers.get('location')).toBe(`${WEBHOOKS}/${id}/replays/${body['id']}`)
  })

  it('sends events from while the endpoint was disabled, parked ones, and given-up ones', async () => {
    const { id, path } = await newEndpoint()
    const good = await happen('good')
    await settledAt(id, 1)
    context.respond(() => ({ status: 500 }))
    const givenUp = await happen('given up')
    await settledAt(id, 2)
    await setEnabled(id, false)
    const unseen = await happen('unseen')
    await setEnabled(id, true)
    context.respond(() => ({ status: 204 }))
    const before = eventsAt(path).length

    const { state, progress, resent } = await replay(id)
    expect({ state, progress, resent }).toEqual({
      state: 'completed',
      progress: { examined: 3, total: 3 },
      resent: 2,
    })
    await settledAt(id, 4)
    expect(eventsAt(path).slice(before).sort()).toEqual([givenUp, unseen].sort())
    expect(eventsAt(path).slice(before)).not.toContain(good)
    expect(await replay(id)).toMatchObject({ resent: 0 })
  })

  it('sends parked deliveries once, and leaves nothing parked', async () => {
    const { id, path } = await newEndpoint()
    // Nothing is sent before the endpoint is disabled: its delivery is not due yet.
    const event = await happen('parked')
    await settledAt(id, 1)
    await context.sql`update quickquote.delivery_attempts set status = 'failed' where endpoint_id = ${id}`
    await context.sql`
      insert into quickquote.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at, attempt,
        parked_at)
      select attempt.delivery_id, event.organization_id, ${id}, event.id, event.created_at, now(), 1, now()
      from quickquote.delivery_attempts attempt join quickquote.events event on event.id = attempt.event_id
      where attempt.endpoint_id = ${id}`
    expect(await replay(id)).toMatchObject({ resent: 1 })
    await settledAt(id, 2)
    expect(eventsAt(path)).toEqual([event, event])
    expect(await context.sql`select from quickquote.deliveries where endpoint_id = ${id}`).toHaveLength(0)
  })

  it('can be limited to tried events, or send everything', async () => {
    const { id, path } = await newEndpoint()
    const good = await happen('good')
    await settledAt(id, 1)
    await setEnabled(id, false)
    const unseen = await happen('unseen')
    await setEnabled(id, true)
    expect(await replay(id, { status: 'failed' })).toMatchObject({ resent: 0 })
    expect(await replay(id, { status: 'all' })).toMatchObject({ resent: 2 })
    await settledAt(id, 3)
    expect(eventsAt(path).slice(1).sort()).toEqual([good, unseen].sort())
  })

  it('respects the period, the event types of the endpoint, and its trigger mode', async () => {
    const { id, path } = await newEndpoint({ is_enabled: false })
    const wanted = await happen('wanted')
    await context.sql`select pg_sleep(0.01)`
    const until = new Date().toISOString()
    await happen('too late')
    await context.host.integrations.quotations
      .start({ organizationId: ACME, source: 'ui', body: { requirementsText: 'x' } })
      .then(({ quotation_id }) => context.host.integrations.pipeline(quotation_id).failed())
    await setEnabled(id, true)
    expect(await replay(id, { until })).toMatchObject({ until, resent: 1 })
    await settledAt(id, 1)
    expect(eventsAt(path)).toEqual([wanted])

    await call('PATCH', `/${id}`, { events: ['quotation.completed'] })
    expect(await replay(id)).toMatchObject({ progress: { examined: 3, total: 3 }, resent: 0 })
    await call('PATCH', `/${id}`, { events: ['quotation.failed'] })
    expect(await replay(id)).toMatchObject({ resent: 1 })
    await call('PATCH', `/${id}`, { trigger_mode: 'always' })
    expect(await replay(id)).toMatchObject({ resent: 1 })
  })

  it('excludes tests, other endpoints and other organizations', async () => {
    const { id } = await newEndpoint()
    const other = await newEndpoint()
    await call('POST', `/${other.id}/test`, { event_type: 'quotation.failed' })
    await failQuote(context.host, 'theirs', 'globex-admin')
    const before = eventsAt(other.path).length
    expect(await replay(id)).toMatchObject({ resent: 0 })
    expect(eventsAt(other.path)).toHaveLength(before)
  })

  it('stops if its endpoint is disabled meanwhile', async () => {
    const { id } = await newEndpoint()
    const { id: replayId } = await replay(id)
    // At once, so that no round of the worker sees one without the other.
    await context.sql.begin(async (tx) => {
      await tx`update quickquote.webhook_endpoints set is_enabled = false where id = ${id}`
      await tx`update quickquote.replays set state = 'running' where id = ${String(replayId)}`
    })
    await vi.waitFor(
      async () =>
        expect((await call('GET', `/${id}/replays/${replayId}`)).body).toMatchObject({ state: 'stopped' }),
      { timeout: 60_000 },
    )
  })

  it.each<[string, object, string]>([
    ['no time', { since: undefined }, '/since'],
    ['a day', { since: '2026-11-21' }, '/since'],
    ['a number', { since: 5 }, '/since'],
    ['a beginning in the future', { since: '2999-01-01T00:00:00Z' }, '/since'],
    ['an end before the beginning', { until: '2000-01-01T00:00:00Z' }, '/until'],
    ['an unknown status', { status: 'succeeded' }, '/status'],
  ])('refuses %s with 400', async (_, fields, pointer) => {
    const { id } = await newEndpoint()
    const { status, body } = await call('POST', `/${id}/replay`, { since: start, ...fields })
    expect(status).toBe(400)
    expect((body['errors'] as { pointer: string }[])[0]).toMatchObject({ pointer })
  })

  it('starts at the oldest event kept, and says so', async () => {
    const { id } = await newEndpoint()
    const midnight = Date.parse(new Date().toISOString().slice(0, 10))
    const oldest = new Date(midnight - 30 * 24 * 60 * 60 * 1000).toISOString()
    const { status, body } = await call('POST', `/${id}/replay`, { since: '2000-01-01T00:00:00Z' })
    expect([status, body['since']]).toEqual([202, oldest])
  })

  it('sends only events of one type, if asked, and counts those', async () => {
    const { id, path } = await newEndpoint({ is_enabled: false })
    const failed = await happen('of the type')
    await setEnabled(id, true)
    const count = async (event_type: string) =>
      (await call('GET', `/${id}/replay/count?since=${start}&event_type=${event_type}`)).body
    expect(await count('quotation.completed')).toMatchObject({ events: 0 })
    expect(await count('quotation.failed')).toMatchObject({ events: 1 })
    const other = { event_type: 'quotation.completed' }
    expect(await replay(id, other)).toMatchObject({ ...other, progress: { examined: 1 }, resent: 0 })
    expect(await replay(id, { event_type: 'quotation.failed' })).toMatchObject({ resent: 1 })
    await settledAt(id, 1)
    expect(eventsAt(path)).toEqual([failed])
    const wrong = await call('POST', `/${id}/replay`, { since: start, event_type: 'quotation.none' })
    expect([wrong.status, wrong.body['errors']]).toEqual([
      400,
      [{ pointer: '/event_type', detail: expect.stringContaining('must be one of quotation.') }],
    ])
  })

  it('refuses with 400 a period of which nothing is kept, and names the oldest time', async () => {
    const { id } = await newEndpoint()
    const range = { since: '2000-01-01T00:00:00Z', until: '2000-02-01T00:00:00Z' }
    const { status, body } = await call('POST', `/${id}/replay`, range)
    expect([status, body['errors']]).toEqual([
      400,
      [
        {
          pointer: '/until',
          detail: expect.stringMatching(
            /^must be later than 20\d\d-.*T00:00:00.000Z: events are kept for 30 days$/,
          ),
        },
      ],
    ])
  })

  it('is refused with 409 while the endpoint is disabled', async () => {
    const { id } = await newEndpoint({ is_enabled: false })
    const { status, body } = await call('POST', `/${id}/replay`, { since: start })
    expect([status, body['code']]).toEqual([409, 'STATE_CONFLICT'])
  })
})

describe('GET /:id/replays/:replayId', () => {
  it('answers 404 for an unknown id, for another endpoint, and for another organization', async () => {
    const [{ id }, other] = [await newEndpoint(), await newEndpoint()]
    const { body } = await call('POST', `/${id}/replay`, { since: start })
    expect((await call('GET', `/${id}/replays/${NOWHERE}`)).body).toMatchObject({ code: 'REPLAY_NOT_FOUND' })
    expect((await call('GET', `/${other.id}/replays/${body['id']}`)).status).toBe(404)
    const theirs = await context.host.call('GET', `${webhooksOf(GLOBEX)}/${id}/replays/${body['id']}`, {
      member: 'globex-admin',
    })
    expect(theirs.status).toBe(404)
  })
})

describe('The replays of an endpoint', () => {
  it('are listed, newest first, and a completed one cannot be stopped', async () => {
    const { id } = await newEndpoint()
    const first = await replay(id)
    const second = await replay(id)
    const listed = () => call('GET', `/${id}/replays`).then(({ body }) => body as unknown as { id: string }[])
    expect((await listed()).map((each) => each.id)).toEqual([second['id'], first['id']])

    const stop = `/${id}/replays/${second['id']}/stop`
    expect((await call('POST', stop)).body).toMatchObject({ status: 409, code: 'STATE_CONFLICT' })
  })

  it('are those of the organization only', async () => {
    const { id } = await newEndpoint()
    const { id: replayId } = await replay(id)
    for (const [method, path] of [
      ['GET', `/${id}/replays`],
      ['POST', `/${id}/replays/${replayId}/stop`],
    ] as const) {
      const theirs = await context.host.call(method, webhooksOf(GLOBEX) + path, { member: 'globex-admin' })
      expect(theirs.status).toBe(404)
      expect((await call(method, path.replace(id, NOWHERE))).status).toBe(404)
    }
  })
})

describe('without a worker', () => {
  const database = useDatabase()

  it('a replay waits, one at a time per endpoint, and continues batch by batch from its position', async () => {
    const host = await openHost({
      databaseUrl: database.url,
      integrations: { limits: { startsPerMinute: 1000 } },
    })
    const endpoint = await createEndpoint(host, { is_enabled: false })
    for (let count = 0; count < 5; count += 1) await failQuote(host, `quote ${count}`)
    await host.call('PATCH', `${WEBHOOKS}/${endpoint.id}`, {
      member: 'acme-admin',
      json: { is_enabled: true },
    })
    const begin = () =>
      host.call('POST', `${WEBHOOKS}/${endpoint.id}/replay`, {
        member: 'acme-admin',
        json: { since: '2000-01-01T00:00:00Z' },
      })
    const { body } = await begin()
    expect((await begin()).body).toMatchObject({
      code: 'STATE_CONFLICT',
      detail: 'A replay of this endpoint is already running.',
    })
    const progress = async () => {
      const path = `${WEBHOOKS}/${endpoint.id}/replays/${body['id']}`
      const { state, progress, resent } = (await host.call('GET', path, { member: 'acme-admin' })).body
      return { state, progress, resent }
    }
    const { storage } = host.integrations
    expect(await progress()).toEqual({ state: 'running', progress: { examined: 0, total: 5 }, resent: 0 })
    expect(await storage.replays.advance(2, new Date())).toBe(true)
    expect(await progress()).toEqual({ state: 'running', progress: { examined: 2, total: 5 }, resent: 2 })
    // Several workers at once: each event is still sent once.
    await Promise.all([1, 2, 3, 4].map(() => storage.replays.advance(2, new Date())))
    while (await storage.replays.advance(2, new Date()));
    expect(await progress()).toEqual({ state: 'completed', progress: { examined: 5, total: 5 }, resent: 5 })
    expect(
      await database.sql`select count(*)::int as made, count(distinct event_id)::int as events
        from quickquote.deliveries where endpoint_id = ${endpoint.id}`,
    ).toEqual([{ made: 5, events: 5 }])
    const onTheirWay = await database.sql`select id from quickquote.deliveries order by id`
    await begin()
    await storage.replays.advance(100, new Date())
    expect(await database.sql`select id from quickquote.deliveries order by id`).toEqual(onTheirWay)

    // A running one can be stopped, which is recorded once.
    const { body: third } = await begin()
    for (const _ of ['first', 'again']) {
      const stop = `${WEBHOOKS}/${endpoint.id}/replays/${third['id']}/stop`
      const stopped = await host.call('POST', stop, { member: 'acme-admin' })
      expect([stopped.status, stopped.body['state']]).toEqual([200, 'stopped'])
    }
    expect(await storage.replays.advance(2, new Date())).toBe(false)
    expect(
      await database.sql`select count(*)::int from quickquote.audit_log
        where action = 'webhook_endpoint.replay_stopped' and resource_id = ${endpoint.id}`,
    ).toEqual([{ count: 1 }])
  })
})

describe('a delivery that is parked before its first attempt', () => {
  const database = useDatabase()

  it('is in no list of attempts, and is sent only by a replay', async () => {
    const host = await openHost({ databaseUrl: database.url })
    const asAdmin = (method: string, path: string, json?: object) =>
      host.call(method, path, { member: 'acme-admin', json })
    const { id } = await createEndpoint(host, { url: `${context.receiver.url}/untried` })
    await failQuote(host, 'Untried')
    for (const is_enabled of [false, true]) await asAdmin('PATCH', `${WEBHOOKS}/${id}`, { is_enabled })
    const attempts = async () => (await asAdmin('GET', `${WEBHOOKS}/deliveries?endpoint_id=${id}`)).body
    expect(await attempts()).toEqual([])

    const stopWorker = await startWorker(host, context.receiver, { pollIntervalMs: 50 })
    const begun = await asAdmin('POST', `${WEBHOOKS}/${id}/replay`, { since: '2000-01-01T00:00:00Z' })

    // Pending and delivered events would not be sent.
    await vi.waitFor(
      async () =>
        expect((await asAdmin('GET', begun.headers.get('location') ?? '')).body).toMatchObject({
          state: 'completed',
          resent: 1,
        }),
      { timeout: 60_000 },
    )
    await vi.waitFor(
      async () => expect(await attempts()).toMatchObject([{ attempt: 1, status: 'succeeded' }]),
      { timeout: 60_000 },
    )
    await stopWorker()
  })
})
