import { EVENT_TYPES } from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import { ACME, GLOBEX, openHost, useDatabase, useHost } from './support/host.ts'

const context = useHost()
const path = `/v1/organizations/${ACME}/webhooks`
const url = 'https://crm.example.com/hook'
const create = (json: unknown) => context.host.call('POST', path, { member: 'acme-admin', json })

describe('POST /v1/organizations/:organizationId/webhooks', () => {
  it('answers 201 with the endpoint and its secret, shown once, with no-store', async () => {
    const { status, headers, body } = await create({ name: 'CRM', url, events: ['quotation.completed'] })
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: ACME,
      name: 'CRM',
      url,
      description: null,
      events: ['quotation.completed'],
      trigger_mode: 'headless_only',
      ordering: 'none',
      header_names: [],
      is_enabled: true,
      disabled_reason: null,
      health: {
        last_success_at: null,
        failing_since: null,
        recent_attempts: 0,
        recent_success_rate: null,
        changed_before_failing: null,
      },
      paused_until: null,
      secret_hint: expect.stringMatching(/^whsec_….{4}$/),
      previous_secret_expires_at: null,
      previous_secrets: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
      secret: expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/),
    })
  })

  it('accepts every optional field, and stores a repeated event once', async () => {
    const { body } = await create({
      name: 'CRM',
      url,
      events: [...EVENT_TYPES, ...EVENT_TYPES],
      description: 'All of it',
      trigger_mode: 'always',
      ordering: 'quotation',
      is_enabled: false,
    })
    expect(body).toMatchObject({
      events: EVENT_TYPES,
      description: 'All of it',
      trigger_mode: 'always',
      ordering: 'quotation',
      is_enabled: false,
      disabled_reason: 'requested',
    })
  })

  it('stores the secret encrypted', async () => {
    const { body } = await create({ name: 'CRM', url, events: ['quotation.failed'] })
    const [row] =
      await context.sql`select secret_ciphertext, webhook_endpoints::text as everything from quickquote.webhook_endpoints where id = ${String(body['id'])}`
    const secret = String(body['secret'])
    expect(Buffer.from(row?.['secret_ciphertext']).includes(secret.slice(6, 30))).toBe(false)
    expect(row?.['everything']).not.toContain(secret.slice(6, 30))
  })

  it('ignores an organization or a secret in the body', async () => {
    const { body } = await create({
      name: 'CRM',
      url,
      events: ['quotation.failed'],
      organization_id: GLOBEX,
      secret: 'whsec_mine',
    })
    expect(body).toMatchObject({ organization_id: ACME })
    expect(body['secret']).not.toBe('whsec_mine')
  })

  const valid = { name: 'CRM', url, events: ['quotation.completed'] }
  it.each<[string, Record<string, unknown>, string]>([
    ['no name', { ...valid, name: undefined }, '/name'],
    ['no url', { ...valid, url: undefined }, '/url'],
    ['no events', { ...valid, events: undefined }, '/events'],
    ['an empty list of events', { ...valid, events: [] }, '/events'],
    ['an unknown event', { ...valid, events: ['quotation.completed', 'quotation.begun'] }, '/events/1'],
    ['text for events', { ...valid, events: 'quotation.completed' }, '/events'],
    ['an unknown trigger mode', { ...valid, trigger_mode: 'never' }, '/trigger_mode'],
    ['text for is_enabled: nothing is coerced', { ...valid, is_enabled: 'true' }, '/is_enabled'],
    ['plain http', { ...valid, url: 'http://crm.example.com' }, '/url'],
    ['credentials in the url', { ...valid, url: 'https://a:b@crm.example.com' }, '/url'],
    ['localhost', { ...valid, url: 'https://localhost/hook' }, '/url'],
    ['a private address', { ...valid, url: 'https://10.0.0.1/hook' }, '/url'],
    ['the metadata address', { ...valid, url: 'https://169.254.169.254/latest' }, '/url'],
  ])('refuses %s with 400', async (_, json, pointer) => {
    const { status, body } = await create(json)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
  })
})

describe('the number of endpoints of an organization', () => {
  const database = useDatabase()

  it('is limited: one more is a 409', async () => {
    const host = await openHost({
      databaseUrl: database.url,
      integrations: { limits: { webhookEndpoints: 2 } },
    })
    const send = () =>
      host.call('POST', path, {
        member: 'acme-admin',
        json: { name: 'x', url, events: ['quotation.failed'] },
      })
    expect([(await send()).status, (await send()).status]).toEqual([201, 201])
    const { status, body } = await send()
    expect(status).toBe(409)
    expect(body).toMatchObject({ code: 'WEBHOOK_ENDPOINT_LIMIT_REACHED' })
  })
})

describe('the addresses that webhooks come from', () => {
  const database = useDatabase()

  it('are in each entry of the catalog, if the host has configured them', async () => {
    const sourceAddresses = ['203.0.113.7', '2001:db8::/32']
    const host = await openHost({
      databaseUrl: database.url,
      integrations: { egress: { sourceAddresses, proxy: 'http://quotes:open-sesame@proxy.example:3128' } },
    })
    const { status, body } = await host.call('GET', `${path}/events`, { member: 'acme-admin' })
    expect(status).toBe(200)
    const catalog = body as unknown as object[]
    expect(catalog).toHaveLength(EVENT_TYPES.length)
    for (const entry of catalog) expect(entry).toMatchObject({ source_addresses: sourceAddresses })
    expect(JSON.stringify(body)).not.toContain('proxy.example')

    const silent = await context.host.call('GET', `${path}/events`, { member: 'acme-admin' })
    expect(JSON.stringify(silent.body)).not.toContain('source_addresses')
  })
})
