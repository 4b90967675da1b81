import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ACME, GLOBEX, type MemberName, NOWHERE } from './support/host.ts'
import {
  type CreatedEndpoint,
  createEndpoint,
  failQuote,
  useDeliveries,
  webhooksOf,
} from './support/webhooks.ts'

interface Attempt {
  readonly id: string
  readonly endpoint_id: string
  readonly created_at: string
  readonly [field: string]: unknown
}

const context = useDeliveries({ integrations: { delivery: { backoffMs: 600_000 } } })
let crm: CreatedEndpoint
let portal: CreatedEndpoint
let theirs: CreatedEndpoint
let quotationId: string

async function read(query: string, member: MemberName = 'acme-admin') {
  const path = query.startsWith('/')
    ? query
    : `${webhooksOf(member === 'acme-admin' ? ACME : GLOBEX)}/deliveries${query}`
  const { status, headers, body } = await context.host.call('GET', path, { member })
  return { status, headers, body, attempts: body as unknown as Attempt[] }
}

beforeAll(async () => {
  const { host, receiver } = context
  context.respond(({ path }) => ({ status: path === '/portal' ? 503 : 204 }))
  crm = await createEndpoint(host, { url: `${receiver.url}/crm` })
  portal = await createEndpoint(host, { url: `${receiver.url}/portal` })
  theirs = await createEndpoint(host, { url: `${receiver.url}/theirs` }, 'globex-admin')
  quotationId = await failQuote(host, 'Customer portal')
  for (const name of ['two', 'three']) await failQuote(host, name)
  await failQuote(host, 'theirs', 'globex-admin')
  await context.attempted(7)
})

describe('GET /deliveries', () => {
  it('lists attempts with their fields', async () => {
    const { status, attempts } = await read('')
    expect(status).toBe(200)
    expect(attempts).toHaveLength(6)
    const ofQuote = attempts.filter((attempt) => attempt['quotation_id'] === quotationId)
    const common = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event_id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
      event_type: 'quotation.failed',
      delivery_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      attempt: 1,
      duration_ms: expect.any(Number),
      endpoint_name: 'CRM',
      quotation_id: quotationId,
      quotation_name: 'Customer portal',
      is_test: false,
      check_kind: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    }
    expect(ofQuote.find(({ endpoint_id }) => endpoint_id === crm.id)).toEqual({
      ...common,
      endpoint_id: crm.id,
      url: `${context.receiver.url}/crm`,
      status: 'succeeded',
      http_status: 204,
      error: null,
      next_attempt_at: null,
    })
    expect(ofQuote.find(({ endpoint_id }) => endpoint_id === portal.id)).toEqual({
      ...common,
      endpoint_id: portal.id,
      url: `${context.receiver.url}/portal`,
      status: 'failed',
      http_status: 503,
      error: 'The receiver answered 503.',
      next_attempt_at: expect.any(String),
    })
  })

  it('has the event id that the receiver saw', async () => {
    const sent = context.receiver.requests.filter(({ path }) => path === '/crm')
    const { attempts } = await read(`?endpoint_id=${crm.id}`)
    expect(attempts.map((attempt) => attempt['event_id']).sort()).toEqual(
      sent.map(({ headers }) => headers['x-service-event-id']).sort(),
    )
  })

  it('lists newest first, and filters by endpoint', async () => {
    const { attempts } = await read(`?endpoint_id=${portal.id}`)
    expect(attempts.map(({ endpoint_id }) => endpoint_id)).toEqual([portal.id, portal.id, portal.id])
    const times = attempts.map(({ created_at }) => created_at)
    expect(times).toEqual([...times].sort().reverse())
  })

  it('omits quotation_name if the quotation cannot be found', async () => {
    const { host } = context
    await host.call('POST', `${webhooksOf(GLOBEX)}/${theirs.id}/test`, {
      member: 'globex-admin',
      json: { event_type: 'quotation.completed' },
    })
    const { attempts } = await read('', 'globex-admin')
    const [test, real] = attempts
    expect(test).toMatchObject({ is_test: true, quotation_id: expect.any(String) })
    expect(test).not.toHaveProperty('quotation_name')
    expect(real).toMatchObject({ quotation_name: 'theirs' })
  })

  it('lists the history of a deleted endpoint, with and without the filter', async () => {
    const { host, receiver } = context
    const { id } = await createEndpoint(host, {
      url: `${receiver.url}/gone`,
      events: ['quotation.completed'],
    })
    await host.call('POST', `${webhooksOf(ACME)}/${id}/test`, {
      member: 'acme-admin',
      json: { event_type: 'quotation.completed' },
    })
    await host.call('DELETE', `${webhooksOf(ACME)}/${id}`, { member: 'acme-admin' })
    expect((await read(`?endpoint_id=${id}`)).attempts).toMatchObject([{ endpoint_id: id }])
    expect((await read('?limit=1')).attempts).toMatchObject([{ endpoint_id: id }])
  })

  it('is empty for an endpoint that was never called', async () => {
    const { id } = await createEndpoint(context.host)
    const { status, headers, attempts } = await read(`?endpoint_id=${id}`)
    expect([status, attempts, headers.get('link')]).toEqual([200, [], null])
  })

  it('returns pages of `limit`, with a link to the next; together they are the list', async () => {
    const all = (await read(`?endpoint_id=${crm.id}`)).attempts
    const seen: Attempt[] = []
    let next: string | undefined = `?limit=2&endpoint_id=${crm.id}`
    for (let pages = 0; next !== undefined; pages += 1) {
      const { status, headers, attempts } = await read(next)
      expect([status, attempts.length]).toEqual([200, pages === 0 ? 2 : 1])
      seen.push(...attempts)
      next = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
      if (next !== undefined) expect(next).toContain('limit=2')
    }
    expect(seen).toEqual(all)
  })

  it('returns 50 by default', async () => {
    const parameters = context.host.openapi.paths['/v1/organizations/{organizationId}/webhooks/deliveries']?.[
      'get'
    ]?.parameters as { name: string; schema: object }[]
    expect(parameters.find(({ name }) => name === 'limit')?.schema).toMatchObject({
      default: 50,
      minimum: 1,
      maximum: 100,
    })
    await context.sql`
      insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
        attempt, status, is_test, created_at)
      select gen_random_uuid(), gen_random_uuid(), ${NOWHERE}, ${NOWHERE}, gen_random_uuid(), 'quotation.failed', 1,
        'succeeded', false, now() from generate_series(1, 101)`
    const [session] = [
      { memberId: 'm', organizationId: NOWHERE, permissions: new Set(['manage_integrations']) },
    ]
    const { deliveryLog } = context.host.integrations
    expect((await deliveryLog.list(session)).items).toHaveLength(50)
    expect((await deliveryLog.list(session, { limit: '100' })).items).toHaveLength(100)
  })

  it.each([
    ['limit=0', '?limit'],
    ['limit=101', '?limit'],
    ['limit=1.5', '?limit'],
    ['limit=many', '?limit'],
    ['limit=', '?limit'],
    ['limit=1&limit=2', '?limit'],
    ['endpoint_id=crm', '?endpoint_id'],
    ['endpoint_id=', '?endpoint_id'],
    ['cursor=', '?cursor'],
    ['cursor=abc', '?cursor'],
    ['cursor=%00', '?cursor'],
    [`cursor=${'A'.repeat(101)}`, '?cursor'],
  ])('refuses ?%s with 400', async (query, pointer) => {
    const { status, body } = await read(`?${query}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
  })

  it.each([
    ['status=succeeded', 3],
    ['status=failed', 3],
    ['status=exhausted', 0],
    ['event_type=quotation.failed', 6],
    ['event_type=quotation.work_breakdown.completed', 0],
    ['until=2000-01-01T00:00:00Z', 0],
    ['since=2000-01-01T00:00:00Z&until=2999-01-01T00:00:00%2B02:00', 6],
    ['status=failed&event_type=quotation.failed&since=2000-01-01T00:00:00.5Z', 3],
  ])('filters by event type, status and time: ?%s', async (query, count) => {
    const { status, attempts } = await read(`?${query}`)
    expect(status).toBe(200)
    const ofQuotes = attempts.filter((attempt) => attempt['is_test'] === false)
    expect(ofQuotes).toHaveLength(count)
  })

  it('includes `since` and excludes `until`', async () => {
    const [newest] = (await read(`?endpoint_id=${crm.id}`)).attempts
    const at = newest?.created_at
    const ids = async (query: string) =>
      (await read(`?endpoint_id=${crm.id}&${query}`)).attempts.map(({ id }) => id)
    expect(await ids(`since=${at}`)).toContain(newest?.id)
    expect(await ids(`until=${at}`)).not.toContain(newest?.id)
  })

  it('keeps the filters in the link to the next page', async () => {
    const { headers } = await read('?limit=1&status=succeeded&event_type=quotation.failed&organization_id=1')
    const link = headers.get('link') ?? ''
    expect(link).toContain('status=succeeded')
    expect(link).toContain('event_type=quotation.failed')
    expect(link).not.toContain('organization_id')
  })

  it.each([
    ['status=sent', '?status'],
    ['event_type=quotation.begun', '?event_type'],
    ['since=yesterday', '?since'],
    ['since=2026-11-21', '?since'],
    ['until=', '?until'],
  ])('refuses the filter ?%s with 400', async (query, pointer) => {
    const { status, body } = await read(`?${query}`)
    expect(status).toBe(400)
    expect((body['errors'] as { pointer: string }[])[0]).toMatchObject({ pointer })
  })

  it('answers an endpoint of another organization like an unknown one: 404', async () => {
    const unknown = await read(`?endpoint_id=${NOWHERE}`)
    const other = await read(`?endpoint_id=${theirs.id}`)
    expect(other.status).toBe(404)
    expect(other.body).toMatchObject({ code: 'WEBHOOK_ENDPOINT_NOT_FOUND' })
    expect({ ...other.body, instance: '' }).toEqual({ ...unknown.body, instance: '' })
  })
})

describe('GET /deliveries/:deliveryId', () => {
  it('returns the delivery with its request, the response, and its duration', async () => {
    const headers = {
      server: 'nginx',
      location: 'https://sso.example.com/login?token=t0p-s3cret',
      'set-cookie': 'session=s3cret',
      via: `1.1 ${'proxy'.repeat(100)}`,
    }
    context.respond(() => ({ status: 503, headers, body: `{"error":"busy \u0000"}${'x'.repeat(2000)}` }))
    const { host, receiver } = context
    const endpoint = await createEndpoint(host, { url: `${receiver.url}/detailed` })
    const quotation = await failQuote(host, 'Detailed')
    const attempt = await attemptOf(endpoint.id)
    const { status, body } = await read(`${webhooksOf(ACME)}/deliveries/${attempt['delivery_id']}`)
    expect(status).toBe(200)
    const received = receiver.requests.find(({ path }) => path === '/detailed')
    const sent = received?.headers ?? {}
    expect(body).toEqual({
      id: attempt['delivery_id'],
      event_id: sent['x-service-event-id'],
      event_type: 'quotation.failed',
      endpoint_id: endpoint.id,
      endpoint_name: 'CRM',
      status: 'pending',
      quotation_id: quotation,
      quotation_name: 'Detailed',
      is_test: false,
      next_attempt_at: attempt['next_attempt_at'],
      resent_as: null,
      resent_from: null,
      request_body: String(received?.rawBody),
      attempts: [
        {
          ...attempt,
          request_headers: {
            'Content-Type': sent['content-type'],
            'X-Service-Event-Id': sent['x-service-event-id'],
            'X-Service-Event-Type': sent['x-service-event-type'],
            'X-Service-Event-Sequence': '1',
            'X-Service-Timestamp': sent['x-service-timestamp'],
          },
          response_body: `{"error":"busy \uFFFD"}${'x'.repeat(1024 - 18)}`,
          // Only those that help, without what may be secret.
          response_headers: {
            server: 'nginx',
            location: 'https://sso.example.com/login',
            via: headers.via.slice(0, 200),
          },
          first_byte_ms: expect.any(Number),
        },
      ],
    })
    expect(JSON.stringify(body)).not.toContain(String(sent['x-service-signature']).slice(3))
    await host.call('PATCH', `${webhooksOf(ACME)}/${endpoint.id}`, {
      member: 'acme-admin',
      json: { is_enabled: false },
    })
    const parked = await read(`${webhooksOf(ACME)}/deliveries/${attempt['delivery_id']}`)
    expect(parked.body).toMatchObject({ status: 'parked', next_attempt_at: null })
  })

  it('reports a success, a final failure, and an attempt that was never sent', async () => {
    const { host, receiver } = context
    const statusAfter = async (status: number) => {
      context.respond(() => ({ status }))
      const endpoint = await createEndpoint(host, { url: `${receiver.url}/${status}` })
      await failQuote(host, 'x')
      const attempt = await attemptOf(endpoint.id)
      await host.call('DELETE', `${webhooksOf(ACME)}/${endpoint.id}`, { member: 'acme-admin' })
      return (await read(`${webhooksOf(ACME)}/deliveries/${attempt['delivery_id']}`)).body
    }
    expect(await statusAfter(200)).toMatchObject({
      status: 'succeeded',
      attempts: [{ response_body: '', response_headers: null }],
    })
    expect(await statusAfter(410)).toMatchObject({ status: 'failed', attempts: [{ status: 'rejected' }] })
    const { id } = await createEndpoint(host)
    await context.sql`update quickquote.webhook_endpoints set url = 'https://10.0.0.1/' where id = ${id}`
    await failQuote(host, 'blocked')
    const blocked = await attemptOf(id)
    expect((await read(`${webhooksOf(ACME)}/deliveries/${blocked['delivery_id']}`)).body).toMatchObject({
      status: 'failed',
      attempts: [{ status: 'rejected', request_headers: null, response_body: null, first_byte_ms: null }],
    })
  })

  it.each([
    ['an unknown id', NOWHERE, 404, 'DELIVERY_NOT_FOUND'],
    ['an invalid id', 'crm', 400, 'VALIDATION_FAILED'],
  ])('answers %s with %s', async (_, id, status, code) => {
    const answer = await read(`${webhooksOf(ACME)}/deliveries/${id}`)
    expect([answer.status, answer.body['code']]).toEqual([status, code])
  })
})

describe('POST /deliveries/:deliveryId/resend', () => {
  const resend = (deliveryId: unknown) =>
    context.host.call('POST', `${webhooksOf(ACME)}/deliveries/${deliveryId}/resend`, { member: 'acme-admin' })

  it.each([200, 503])('sends the event again, as a new delivery, after a %s', async (first) => {
    const { host, receiver } = context
    context.respond(() => ({ status: first }))
    const path = `/resent-${first}`
    const endpoint = await createEndpoint(host, { url: receiver.url + path })
    await failQuote(host, 'Resent')
    const attempt = await attemptOf(endpoint.id)
    context.respond(() => ({ status: 204 }))
    const { status, body } = await resend(attempt['delivery_id'])
    expect(status).toBe(202)
    expect(body).toMatchObject({ event_id: attempt['event_id'], endpoint_id: endpoint.id, is_test: false })
    expect(body['id']).not.toBe(attempt['delivery_id'])
    await vi.waitFor(
      async () =>
        expect((await read(`${webhooksOf(ACME)}/deliveries/${body['id']}`)).body).toMatchObject({
          status: 'succeeded',
          attempts: [{ attempt: 1, http_status: 204 }],
        }),
      { timeout: 60_000 },
    )
    const [one, two, ...more] = receiver.requests.filter((request) => request.path === path)
    expect(more).toEqual([])
    expect(two?.rawBody).toEqual(one?.rawBody)
    expect(
      await context.sql`select from quickquote.deliveries where endpoint_id = ${endpoint.id}`,
    ).toHaveLength(0)
  })

  it('sends a parked delivery once its endpoint is enabled again', async () => {
    const { host, receiver } = context
    context.respond(() => ({ status: 503 }))
    const endpoint = await createEndpoint(host, { url: `${receiver.url}/parked` })
    await failQuote(host, 'Parked')
    const { delivery_id } = await attemptOf(endpoint.id)
    const patch = (is_enabled: boolean) =>
      host.call('PATCH', `${webhooksOf(ACME)}/${endpoint.id}`, { member: 'acme-admin', json: { is_enabled } })
    await patch(false)
    const refused = await resend(delivery_id)
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({
      code: 'STATE_CONFLICT',
      detail: 'The endpoint is disabled. Enable it first.',
    })
    await patch(true)
    context.respond(() => ({ status: 204 }))
    expect((await resend(delivery_id)).status).toBe(202)
    await receiver.next(({ path }) => path === '/parked')
    await receiver.next(({ path }) => path === '/parked')
  })

  it('answers 409 for a deleted endpoint, for a test, and for an event that is gone', async () => {
    const { host, receiver } = context
    context.respond(() => ({ status: 204 }))
    const deleted = await createEndpoint(host, { url: `${receiver.url}/deleted` })
    await host.call('POST', `${webhooksOf(ACME)}/${crm.id}/test`, {
      member: 'acme-admin',
      json: { event_type: 'quotation.completed' },
    })
    const [test] = (await read(`?endpoint_id=${crm.id}`)).attempts
    expect((await resend(test?.['delivery_id'])).body).toMatchObject({
      code: 'STATE_CONFLICT',
      detail: expect.stringMatching(/test/),
    })

    await failQuote(host, 'Deleted')
    const attempt = await attemptOf(deleted.id)
    await context.sql`delete from quickquote.events where ${attempt['event_id'] as string} = 'evt_' || id`
    expect((await resend(attempt['delivery_id'])).body).toMatchObject({
      code: 'STATE_CONFLICT',
      detail: expect.stringMatching(/no longer kept/),
    })
    await host.call('DELETE', `${webhooksOf(ACME)}/${deleted.id}`, { member: 'acme-admin' })
    expect((await resend(attempt['delivery_id'])).body).toMatchObject({
      code: 'STATE_CONFLICT',
      detail: expect.stringMatching(/deleted/),
    })
  })

  it('answers 409 while the delivery is being sent; that attempt is recorded as usual', async () => {
    const { host, receiver } = context
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    context.respond(async ({ path }) => {
      if (path === '/held') await held
      return { status: 503 }
    })
    const endpoint = await createEndpoint(host, { url: `${receiver.url}/held` })
    await failQuote(host, 'Held')
    await receiver.next(({ path }) => path === '/held')
    const pending = () => context.sql`
      select id, attempt, leased_by is not null as is_leased from quickquote.deliveries where endpoint_id = ${endpoint.id}`
    const [delivery] = await pending()
    expect(delivery).toMatchObject({ attempt: 1, is_leased: true })

    const refused = await resend(delivery?.['id'])

    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({
      code: 'STATE_CONFLICT',
      detail: expect.stringMatching(/being sent right now/),
    })
    expect(await pending()).toEqual([delivery])
    answer()
    expect(await attemptOf(endpoint.id)).toMatchObject({ delivery_id: delivery?.['id'], http_status: 503 })
    expect(await pending()).toEqual([{ ...delivery, is_leased: false }])
    expect(receiver.requests.filter(({ path }) => path === '/held')).toHaveLength(1)
  })

  it('answers 404 for an unknown id', async () => {
    expect((await resend(NOWHERE)).body).toMatchObject({ code: 'DELIVERY_NOT_FOUND' })
  })
})

/** Waits for the first attempt at an endpoint. */
async function attemptOf(endpointId: string): Promise<Attempt> {
  return vi.waitFor(
    async () => {
      const [attempt] = (await read(`?endpoint_id=${endpointId}`)).attempts
      if (attempt === undefined) throw new Error('nothing was sent yet')
      return attempt
    },
    { timeout: 60_000 },
  )
}
