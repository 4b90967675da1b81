import { randomUUID } from 'node:crypto'
import { defineEvents, IntegrationError } from '@quickquote/core'
import { Type } from '@quickquote/core/typebox'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACME, GLOBEX } from './support/host.ts'
import { openApiCheck } from './support/openapi-check.ts'
import { useDeliveries, webhooksOf } from './support/webhooks.ts'

const PROJECT = '0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d'

const projectEvents = defineEvents({
  'project.created': {
    description: 'A project was created.',
    // The same title as one of our schemas.
    data: Type.Object(
      { project_id: Type.String({ format: 'uuid' }), title: Type.Optional(Type.String()) },
      { title: 'Proposal' },
    ),
    example: { project_id: PROJECT, title: 'Portal' },
  },
  'project.closed': {
    description: 'A project was closed.',
    data: Type.Object({ project_id: Type.String({ format: 'uuid' }) }),
    example: { project_id: PROJECT },
  },
})

const context = useDeliveries({ integrations: { events: projectEvents } })

/** The host's own instance, in addition to its server's: same declaration, same database. */
const open = () => integrationsOn(drizzleStorage({ sql: context.sql }), { events: projectEvents })
let integrations: ReturnType<typeof open>
beforeAll(() => {
  integrations = open()
})
afterAll(() => integrations.close())

const newEndpoint = (fields: object = {}, member?: 'globex-admin') =>
  context.newEndpoint({ events: ['project.created'], ...fields }, member)
const arrivedAt = (path: string) => context.receiver.next((request) => request.path === path)
const { call } = context
const emitCreated = (organizationId = ACME) =>
  integrations.emit('project.created', { organizationId, data: { project_id: randomUUID() } })

describe('events of the host, from one declaration', () => {
  it('are delivered to the endpoints that subscribe to them, signed like all others', async () => {
    const [subscribed, other] = [await newEndpoint(), await newEndpoint({ events: ['project.closed'] })]
    const data = { project_id: randomUUID() }
    const id = await integrations.emit('project.created', { organizationId: ACME.toUpperCase(), data })
    const { headers, rawBody } = await arrivedAt(subscribed.path)
    expect(JSON.parse(String(rawBody))).toEqual({
      id,
      type: 'project.created',
      created_at: expect.stringMatching(/Z$/),
      organization_id: ACME,
      data,
    })
    expect(headers).toMatchObject({
      'x-service-event-id': id,
      'x-service-event-type': 'project.created',
      'x-service-signature': expect.stringMatching(/^v1=[0-9a-f]{64}$/),
    })
    await integrations.emit('project.closed', { organizationId: ACME, data })
    expect(JSON.parse(String((await arrivedAt(other.path)).rawBody))).toMatchObject({
      type: 'project.closed',
    })
  })

  it('reach only endpoints of their organization', async () => {
    const [own, other] = [await newEndpoint({}), await newEndpoint({}, 'globex-admin')]
    await emitCreated(ACME)
    const id = await emitCreated(GLOBEX)
    expect(JSON.parse(String((await arrivedAt(other.path)).rawBody))).toMatchObject({
      id,
      organization_id: GLOBEX,
    })
    expect(JSON.parse(String((await arrivedAt(own.path)).rawBody))).toMatchObject({ organization_id: ACME })
    expect(context.receiver.requests.filter(({ path }) => path === other.path)).toHaveLength(1)
  })

  it('reach endpoints in the default trigger mode, unless they originate in the web app', async () => {
    const [headless, always] = [await newEndpoint(), await newEndpoint({ trigger_mode: 'always' })]
    const data = { project_id: randomUUID() }
    const ofUi = await integrations.emit('project.created', {
      organizationId: ACME,
      data,
      generationSource: 'ui',
    })
    const id = await emitCreated()
    expect(JSON.parse(String((await arrivedAt(headless.path)).rawBody)).id).toBe(id)
    const both = [await arrivedAt(always.path), await arrivedAt(always.path)]
    expect(both.map(({ rawBody }) => JSON.parse(String(rawBody)).id).sort()).toEqual([ofUi, id].sort())
  })

  it('join the transaction of the host, and roll back with it', async () => {
    const emitWithin = (fault?: Error) =>
      context.sql.begin(async (transaction) => {
        const organizationId = ACME
        await integrations
          .within(transaction)
          .emit('project.created', { organizationId, data: { project_id: PROJECT } })
        if (fault) throw fault
      })
    const recorded = async () =>
      (await context.sql`select 1 from quickquote.events where body like ${`%${PROJECT}%`} and not is_test`)
        .length
    const fault = new Error('the host changes its mind')
    await expect(emitWithin(fault)).rejects.toThrow(fault)
    expect(await recorded()).toBe(0)
    await emitWithin()
    expect(await recorded()).toBe(1)
  })

  it('are refused with the name of the field if they do not match the declaration, and nothing is written', async () => {
    const recorded = () => context.sql`select count(*)::int as events from quickquote.events`
    const before = await recorded()
    const emit = integrations.emit as (type: string, event: object) => Promise<string>
    const data = { project_id: 'seventeen' }
    const wrong = emit('project.created', { organizationId: ACME, data })
    await expect(wrong).rejects.toThrow(IntegrationError)
    await expect(wrong).rejects.toThrow('project.created: /data/project_id: must be a UUID')
    await expect(emit('project.created', { data: { project_id: PROJECT } })).rejects.toThrow(
      '/organization_id',
    )
    await expect(emit('project.deleted', { organizationId: ACME, data })).rejects.toThrow(
      '/type: is not in the event catalog',
    )
    await expect(emit('quotation.completed', { organizationId: ACME, data })).rejects.toThrow(
      'is emitted only by reports',
    )
    expect(await recorded()).toEqual(before)
  })

  it('are in the catalog route, after those of the specification', async () => {
    const { status, body } = await call('GET', '/events')
    expect(status).toBe(200)
    const catalog = body as unknown as { type: string; description: string; example: { data: object } }[]
    expect(catalog.slice(0, 7).map(({ type }) => type.split('.')[0])).toEqual(Array(7).fill('quotation'))
    expect(catalog.slice(7)).toMatchObject([
      {
        type: 'project.created',
        description: 'A project was created.',
        example: { organization_id: ACME, data: { project_id: PROJECT, title: 'Portal' } },
      },
      { type: 'project.closed', example: { data: { project_id: PROJECT } } },
    ])
  })

  it('can be subscribed to, unless they are undeclared', async () => {
    const { id } = await newEndpoint()
    expect((await call('PATCH', `/${id}`, { events: ['project.closed'] })).body).toMatchObject({
      events: ['project.closed'],
    })
    expect(await call('PATCH', `/${id}`, { events: ['project.deleted'] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/events/0' }] },
    })
  })

  it('are sent as a test with their example', async () => {
    const { id, path } = await newEndpoint()
    const { status, body } = await call('POST', `/${id}/test`, { event_type: 'project.created' })
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true } })
    expect(JSON.parse(String((await arrivedAt(path)).rawBody))).toMatchObject({
      type: 'project.created',
      organization_id: ACME,
      data: { project_id: PROJECT, title: 'Portal' },
    })
  })

  it('can be filtered in the delivery log, and replayed', async () => {
    const { id, path } = await newEndpoint({ events: ['project.created', 'project.closed'] })
    const event_id = await emitCreated()
    await arrivedAt(path)
    await integrations.emit('project.closed', { organizationId: ACME, data: { project_id: PROJECT } })
    await arrivedAt(path)
    await expect.poll(async () => (await call('GET', `/deliveries?endpoint_id=${id}`)).body).toHaveLength(2)
    expect(
      (await call('GET', `/deliveries?endpoint_id=${id}&event_type=project.created`)).body,
    ).toMatchObject([{ event_id, event_type: 'project.created', quotation_id: null, status: 'succeeded' }])
    expect((await call('GET', '/deliveries?event_type=project.deleted')).status).toBe(400)

    const since = new Date(Date.now() - 60_000).toISOString()
    expect((await call('POST', `/${id}/replay`, { since, status: 'all' })).status).toBe(202)
    const again = await context.receiver.next(
      (request) => request.path === path && request.headers['x-service-event-id'] === event_id,
    )
    expect(again.headers['x-service-event-type']).toBe('project.created')
  })

  it('are visible only to holders of manage_integrations in that organization', async () => {
    for (const path of ['/events', '/deliveries?event_type=project.created']) {
      const answers = [
        await context.host.call('GET', webhooksOf(ACME) + path, { member: 'acme-member' }),
        await context.host.call('GET', webhooksOf(ACME) + path, { member: 'globex-admin' }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([403, 403])
    }
  })

  it('are `webhooks` of the OpenAPI document, which describes their deliveries exactly', async () => {
    const { openapi } = context.host
    expect(Object.keys(openapi.webhooks).slice(7)).toEqual(['project.created', 'project.closed'])
    const { path } = await newEndpoint()
    await emitCreated()
    const sent = JSON.parse(String((await arrivedAt(path)).rawBody))
    const { check, document } = openApiCheck(openapi)
    const schema = document.webhooks['project.created']?.post.requestBody?.content['application/json']?.schema
    check(schema, sent)
    expect(() => check(schema, { ...sent, data: { project_id: 17 } })).toThrow(/project_id/)
  })
})
