import { setTimeout as sleep } from 'node:timers/promises'
import { EVENT_TYPES } from '@quickquote/core'
import { WebhookEvent } from '@quickquote/core/internal'
import { describe, expect, it } from 'vitest'
import { validate } from '../../core/src/lib/validator.ts'
import { ACME, GLOBEX, NOWHERE, useHost } from './support/host.ts'
import { createEndpoint, endOverlap, failQuote, webhookCalls, webhooksOf } from './support/webhooks.ts'

const context = useHost({ integrations: { limits: { webhookEndpoints: 1000 } } })
const call = webhookCalls(context)
const parkedOf = (endpointId: string) => context.sql<{ is_parked: boolean }[]>`
  select parked_at is not null as is_parked from quickquote.deliveries where endpoint_id = ${endpointId}`

describe('GET /events', () => {
  it('lists the catalog with descriptions and examples', async () => {
    const { status, body } = await call('GET', '/events')
    expect(status).toBe(200)
    const catalog = body as unknown as { type: string; description: string; example: object }[]
    expect(catalog.map(({ type }) => type)).toEqual(EVENT_TYPES)
    for (const { type, description, example } of catalog) {
      expect(description).toMatch(/\.$/)
      expect(example).toMatchObject({ type, organization_id: ACME })
    }
  })

  it('has examples that the schema of real events accepts, with exactly their fields', async () => {
    await createEndpoint(context.host, { events: EVENT_TYPES })
    await failQuote(context.host, 'Real')
    const [real] =
      await context.sql`select body from quickquote.events where organization_id = ${ACME} order by created_at desc limit 1`
    const { body } = await call('GET', '/events')
    const { data, ...envelope } = JSON.parse(real?.['body'])
    for (const { example } of body as unknown as { example: typeof envelope }[]) {
      expect(() => validate(WebhookEvent, example)).not.toThrow()
      expect(Object.keys(example)).toEqual([...Object.keys(envelope), 'data'])
      expect(Object.keys(example.data)).toEqual(Object.keys(data))
    }
    expect(() => validate(WebhookEvent, JSON.parse(real?.['body']))).not.toThrow()
  })
})

describe('GET the base path', () => {
  it('lists the endpoints of the organization, oldest first, without secrets', async () => {
    const made = [
      await createEndpoint(context.host, { name: 'one' }),
      await createEndpoint(context.host, { name: 'two' }),
    ]
    await createEndpoint(context.host, { name: 'theirs' }, 'globex-admin')
    const { status, body } = await call('GET', '')
    expect(status).toBe(200)
    const list = body as unknown as Record<string, unknown>[]
    expect(list.slice(-2).map(({ id }) => id)).toEqual(made.map(({ id }) => id))
    expect(list.filter(({ organization_id }) => organization_id !== ACME)).toEqual([])
    expect(list.filter((endpoint) => 'secret' in endpoint)).toEqual([])
  })
})

describe('GET /:id', () => {
  it('returns the endpoint as it was created, without the secret', async () => {
    const { secret, ...created } = await createEndpoint(context.host)
    const { status, headers, body } = await call('GET', `/${created.id}`)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual(created)
    expect(JSON.stringify(body)).not.toContain(secret.slice(6))
  })
})

describe('PATCH /:id', () => {
  it('has an updated_at that is later than a change it waited for', async () => {
    const { id } = await createEndpoint(context.host)
    let waiting: ReturnType<typeof call> | undefined
    const changedAt = await context.sql.begin(async (tx) => {
      await tx`select from quickquote.webhook_endpoints where id = ${id} for update`
      waiting = call('PATCH', `/${id}`, { name: 'Later' })
      await expect
        .poll(
          () => context.sql`select from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`,
        )
        .toHaveLength(1)
      await sleep(100)
      return Date.now()
    })
    const { body } = (await waiting) ?? {}
    // The clock of the database may differ by some milliseconds.
    expect(Date.parse(String(body?.['updated_at']))).toBeGreaterThan(changedAt - 50)
  })

  it.each<[string, Record<string, unknown>]>([
    ['name', { name: 'Portal' }],
    ['url', { url: 'https://portal.example.com:8443/hook?x=1' }],
    ['description', { description: 'Second' }],
    ['events', { events: ['quotation.proposal.completed'] }],
    ['trigger_mode', { trigger_mode: 'always' }],
    ['ordering', { ordering: 'quotation' }],
    ['is_enabled', { is_enabled: false }],
    ['all at once', { name: 'All', description: null, events: ['quotation.failed'], is_enabled: false }],
  ])('changes %s and nothing else', async (_, change) => {
    const { secret: _secret, ...created } = await createEndpoint(context.host, { description: 'First' })
    const { status, body } = await call('PATCH', `/${created.id}`, change)
    expect(status).toBe(200)
    const disabled_reason = change['is_enabled'] === false ? 'requested' : null
    expect(body).toEqual({ ...created, ...change, disabled_reason, updated_at: expect.any(String) })
    expect((await call('GET', `/${created.id}`)).body).toEqual(body)
  })

  it('moves enabled to disabled and back', async () => {
    const { id } = await createEndpoint(context.host)
    expect((await call('PATCH', `/${id}`, { is_enabled: false })).body).toMatchObject({ is_enabled: false })
    expect((await call('PATCH', `/${id}`, { is_enabled: false })).status).toBe(200)
    expect((await call('PATCH', `/${id}`, { is_enabled: true })).body).toMatchObject({
      is_enabled: true,
      disabled_reason: null,
    })
  })

  it('clears the description with null', async () => {
    const { id } = await createEndpoint(context.host, { description: 'First' })
    expect((await call('PATCH', `/${id}`, { description: null })).body).toMatchObject({ description: null })
  })

  it('stores a repeated event once', async () => {
    const { id } = await createEndpoint(context.host)
    const events = ['quotation.failed', 'quotation.completed', 'quotation.failed']
    expect((await call('PATCH', `/${id}`, { events })).body).toMatchObject({
      events: ['quotation.failed', 'quotation.completed'],
    })
  })

  it('increases the version that workers compare', async () => {
    const { id } = await createEndpoint(context.host)
    const version = async () =>
      (await context.sql`select version from quickquote.webhook_endpoints where id = ${id}`)[0]?.['version']
    const before = await version()
    await call('PATCH', `/${id}`, { url: 'https://other.example.com' })
    expect(await version()).toBe(before + 1)
  })

  it('parks only the pending deliveries of the endpoint it disables', async () => {
    const [own, other] = [await createEndpoint(context.host), await createEndpoint(context.host)]
    await failQuote(context.host, 'Pending')
    await call('PATCH', `/${own.id}`, { name: 'Still enabled' })
    expect(await parkedOf(own.id)).toEqual([{ is_parked: false }])

    await call('PATCH', `/${own.id}`, { is_enabled: false })
    expect(await parkedOf(own.id)).toEqual([{ is_parked: true }])
    expect(await parkedOf(other.id)).toEqual([{ is_parked: false }])

    await call('PATCH', `/${own.id}`, { is_enabled: true })
    expect(await parkedOf(own.id)).toEqual([{ is_parked: true }])
  })

  it('parks nothing if the endpoint it enables was enabled already', async () => {
    const { id } = await createEndpoint(context.host)
    await failQuote(context.host, 'Pending')
    await call('PATCH', `/${id}`, { is_enabled: true })
    expect(await parkedOf(id)).toEqual([{ is_parked: false }])
  })

  it('does not notify a disabled endpoint of events meanwhile', async () => {
    const { id } = await createEndpoint(context.host)
    await call('PATCH', `/${id}`, { is_enabled: false })
    await failQuote(context.host, 'Unseen')
    expect(await parkedOf(id)).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['no fields', {}, ''],
    ['unknown fields only', { secret: 'whsec_mine', organization_id: GLOBEX }, ''],
    ['a list', [], ''],
    ['null for the name', { name: null }, '/name'],
    ['an empty name', { name: '' }, '/name'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, '/name'],
    ['an empty list of events', { events: [] }, '/events'],
    ['101 events', { events: Array(101).fill('quotation.completed') }, '/events'],
    ['an unknown event', { events: ['quotation.begun'] }, '/events/0'],
    ['an unknown trigger mode', { trigger_mode: 'never' }, '/trigger_mode'],
    ['an unknown ordering', { ordering: 'organization' }, '/ordering'],
    ['text for is_enabled', { is_enabled: 'false' }, '/is_enabled'],
    ['plain http', { url: 'http://crm.example.com' }, '/url'],
    ['a private address', { url: 'https://192.168.0.1' }, '/url'],
    ['a description of 10,001 characters', { description: 'x'.repeat(10_001) }, '/description'],
  ])('refuses %s with 400, and changes nothing', async (_, json, pointer) => {
    const { secret: _secret, ...created } = await createEndpoint(context.host)
    const { status, body } = await call('PATCH', `/${created.id}`, json)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
    expect((await call('GET', `/${created.id}`)).body).toEqual(created)
  })
})

describe('DELETE /:id', () => {
  it('answers 204, hides the endpoint, and keeps its history readable by endpoint_id', async () => {
    const { id } = await createEndpoint(context.host)
    const { status, body } = await call('DELETE', `/${id}`)
    expect([status, body]).toEqual([204, { text: '' }])
    expect((await call('GET', `/${id}`)).body).toMatchObject({ code: 'WEBHOOK_ENDPOINT_NOT_FOUND' })
    const list = (await call('GET', '')).body as unknown as { id: string }[]
    expect(list.map((each) => each.id)).not.toContain(id)
    expect((await call('GET', `/deliveries?endpoint_id=${id}`)).status).toBe(200)
  })

  it.each<[string, string, unknown?]>([
    ['PATCH', '', { name: 'x' }],
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
    ['POST', '/test', { event_type: 'quotation.completed' }],
  ])('leaves nothing to change: %s%s answers 404', async (method, rest, json) => {
    const { id } = await createEndpoint(context.host)
    await call('DELETE', `/${id}`)
    const { status, body } = await call(method, `/${id}${rest}`, json)
    expect([status, body['code']]).toEqual([404, 'WEBHOOK_ENDPOINT_NOT_FOUND'])
  })

  it('parks pending deliveries', async () => {
    const { id } = await createEndpoint(context.host)
    await failQuote(context.host, 'Pending')
    await call('DELETE', `/${id}`)
    expect(await parkedOf(id)).toEqual([{ is_parked: true }])
  })

  it('makes room for another one', async () => {
    const { id } = await createEndpoint(context.host)
    const [row] = await context.sql`select count(*)::int as made from quickquote.webhook_endpoints
      where organization_id = ${ACME} and deleted_at is null`
    await call('DELETE', `/${id}`)
    const [after] = await context.sql`select count(*)::int as made from quickquote.webhook_endpoints
      where organization_id = ${ACME} and deleted_at is null`
    expect(after?.['made']).toBe(row?.['made'] - 1)
  })
})

describe('POST /:id/rotate-secret', () => {
  it('answers 200 with a new secret, shown once, with no-store', async () => {
    const { secret, ...created } = await createEndpoint(context.host)
    const { status, headers, body } = await call('POST', `/${created.id}/rotate-secret`)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      ...created,
      updated_at: expect.any(String),
      secret_hint: `whsec_…${String(body['secret']).slice(-4)}`,
      secret: expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/),
    })
    expect(body['secret']).not.toBe(secret)
    expect((await call('GET', `/${created.id}`)).body).not.toHaveProperty('secret')
  })

  it('shows until when each old secret also signs, newest first', async () => {
    const { id, secret_hint } = await createEndpoint(context.host)
    const { body: first } = await call('POST', `/${id}/rotate-secret`, { overlap_seconds: 7200 })
    const { body: second } = await call('POST', `/${id}/rotate-secret`, { overlap_seconds: 3600 })
    const endOf = (body: typeof first, overlapMs: number) =>
      new Date(Date.parse(String(body['updated_at'])) + overlapMs).toISOString()
    const previous_secrets = [
      { secret_hint: first['secret_hint'], expires_at: endOf(second, 3_600_000) },
      { secret_hint, expires_at: endOf(first, 7_200_000) },
    ]
    const shown = { previous_secret_expires_at: endOf(second, 3_600_000), previous_secrets }
    expect(second).toMatchObject(shown)
    expect((await call('GET', `/${id}`)).body).toMatchObject(shown)
    expect((await call('GET', '')).body).toContainEqual(expect.objectContaining({ id, ...shown }))

    await endOverlap(context.sql, id, 0)
    expect((await call('GET', `/${id}`)).body).toMatchObject({
      previous_secret_expires_at: previous_secrets[1]?.expires_at,
      previous_secrets: previous_secrets.slice(1),
    })
    await endOverlap(context.sql, id, 1)
    expect((await call('GET', `/${id}`)).body).toMatchObject({
      previous_secret_expires_at: null,
      previous_secrets: [],
    })
  })

  it('keeps at most three old secrets: the fourth ends the oldest', async () => {
    const { id, secret_hint } = await createEndpoint(context.host)
    const hints = [secret_hint]
    for (let rotation = 1; rotation <= 4; rotation += 1) {
      const { body } = await call('POST', `/${id}/rotate-secret`, { overlap_seconds: 3600 * rotation })
      const shown = (body['previous_secrets'] as { secret_hint: string }[]).map((each) => each.secret_hint)
      expect(shown).toEqual(hints.slice(0, 3))
      hints.unshift(String(body['secret_hint']))
    }
    const [row] =
      await context.sql`select previous_secrets from quickquote.webhook_endpoints where id = ${id}`
    expect(row?.['previous_secrets']).toHaveLength(3)
  })

  it('without an overlap, forgets the old secret, and keeps the end of an earlier one', async () => {
    const { id, secret_hint } = await createEndpoint(context.host)
    const { body: first } = await call('POST', `/${id}/rotate-secret`, { overlap_seconds: 3600 })
    const { body: second } = await call('POST', `/${id}/rotate-secret`, { overlap_seconds: 0 })
    expect(second).toMatchObject({
      previous_secret_expires_at: first['previous_secret_expires_at'],
      previous_secrets: [{ secret_hint, expires_at: first['previous_secret_expires_at'] }],
    })
    await endOverlap(context.sql, id, 0)
    await call('POST', `/${id}/rotate-secret`)
    const [row] =
      await context.sql`select previous_secrets from quickquote.webhook_endpoints where id = ${id}`
    expect(row).toEqual({ previous_secrets: [] })
  })

  it.each<[string, unknown]>([
    ['a negative overlap', { overlap_seconds: -1 }],
    ['an overlap of more than a week', { overlap_seconds: 604_801 }],
    ['half a second', { overlap_seconds: 0.5 }],
    ['text', { overlap_seconds: '60' }],
    ['null', { overlap_seconds: null }],
  ])('refuses %s with 400, and rotates nothing', async (_, json) => {
    const { secret: _secret, ...created } = await createEndpoint(context.host)
    const { status, body } = await call('POST', `/${created.id}/rotate-secret`, json)
    expect(status).toBe(400)
    expect(body).toMatchObject({ errors: [{ pointer: '/overlap_seconds' }] })
    expect((await call('GET', `/${created.id}`)).body).toEqual(created)
  })
})

describe('every change of an endpoint', () => {
  it('is in the audit log, with its actor', async () => {
    const { id } = await createEndpoint(context.host)
    await call('PATCH', `/${id}`, { name: 'Portal', is_enabled: false })
    await call('PATCH', `/${id}`, { name: 'Portal' })
    await call('POST', `/${id}/rotate-secret`)
    await call('DELETE', `/${id}`)
    const entries = await context.sql`select action, actor_id, changes from quickquote.audit_log
      where resource_id = ${id} order by created_at, id`
    expect(entries.map(({ action, actor_id }) => [action, actor_id])).toEqual([
      ['webhook_endpoint.created', 'acme-admin'],
      ['webhook_endpoint.disabled', 'acme-admin'],
      ['webhook_endpoint.secret_rotated', 'acme-admin'],
      ['webhook_endpoint.deleted', 'acme-admin'],
    ])
    expect(entries[1]?.['changes']).toEqual([
      { field: 'name', from: 'CRM', to: 'Portal' },
      { field: 'is_enabled', from: true, to: false },
    ])
  })

  it('that is refused is in no log', async () => {
    const { id } = await createEndpoint(context.host, {}, 'globex-admin')
    await call('PATCH', `/${id}`, { name: 'Stolen' })
    await call('DELETE', `/${id}`)
    expect(await context.sql`select action from quickquote.audit_log where resource_id = ${id}`).toEqual([
      { action: 'webhook_endpoint.created' },
    ])
  })
})

describe('an endpoint of another organization', () => {
  it.each<[string, string, unknown?]>([
    ['GET', ''],
    ['PATCH', '', { name: 'Stolen' }],
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
    ['POST', '/test', { event_type: 'quotation.completed' }],
  ])('is answered like an unknown id, and stays unchanged: %s%s', async (method, rest, json) => {
    const { secret: _, ...theirs } = await createEndpoint(context.host, {}, 'globex-admin')
    const seen = await call(method, `/${theirs.id}${rest}`, json)
    const unknown = await call(method, `/${NOWHERE}${rest}`, json)
    expect([seen.status, { ...seen.body, instance: '' }]).toEqual([404, { ...unknown.body, instance: '' }])
    const own = await context.host.call('GET', `${webhooksOf(GLOBEX)}/${theirs.id}`, {
      member: 'globex-admin',
    })
    expect(own.body).toEqual(theirs)
  })
})
