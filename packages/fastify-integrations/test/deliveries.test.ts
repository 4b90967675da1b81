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
  await vi.waitFor(
    async () => expect(await context.sql`select from quickquote.delivery_attempts`).toHaveLength(7),
    { timeout: 20_000 },
  )
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
      quotation_id: quotationId,
      quotation_name: 'Customer portal',
      is_test: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    }
    expect(ofQuote.find(({ endpoint_id }) => endpoint_id === crm.id)).toEqual({
      ...common,
      endpoint_id: crm.id,
      status: 'succeeded',
      http_status: 204,
      error: null,
      next_attempt_at: null,
    })
    expect(ofQuote.find(({ endpoint_id }) => endpoint_id === portal.id)).toEqual({
      ...common,
      endpoint_id: portal.id,
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

  it('has the newest first, and those of one endpoint alone when asked', async () => {
    const { attempts } = await read(`?endpoint_id=${portal.id}`)
    expect(attempts.map(({ endpoint_id }) => endpoint_id)).toEqual([portal.id, portal.id, portal.id])
    const times = attempts.map(({ created_at }) => created_at)
    expect(times).toEqual([...times].sort().reverse())
  })

  it('leaves quotation_name out when the quotation cannot be found', async () => {
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

  it('keeps the history of a deleted endpoint readable, by the filter and without it', async () => {
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

  it('gives pages of `limit`, with a link to the next, and all of them together are the list', async () => {
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

  it('gives 50 by default', async () => {
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

  it('answers an endpoint of another organization like an unknown one: 404', async () => {
    const unknown = await read(`?endpoint_id=${NOWHERE}`)
    const other = await read(`?endpoint_id=${theirs.id}`)
    expect(other.status).toBe(404)
    expect(other.body).toMatchObject({ code: 'WEBHOOK_ENDPOINT_NOT_FOUND' })
    expect({ ...other.body, instance: '' }).toEqual({ ...unknown.body, instance: '' })
  })

  it('shows nothing of another organization through its cursor', async () => {
    const { headers } = await read('?limit=1', 'globex-admin')
    const cursor = /cursor=([\w-]+)/.exec(headers.get('link') ?? '')?.[1]
    expect(cursor).toBeDefined()
    const { status, attempts } = await read(`?cursor=${cursor}`)
    expect(status).toBe(200)
    expect(attempts.filter(({ endpoint_id }) => endpoint_id === theirs.id)).toEqual([])
  })
})
