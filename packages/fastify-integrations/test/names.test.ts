import { beforeAll, describe, expect, it } from 'vitest'
import { ACME, useHost, YEAR_AHEAD } from './support/host.ts'
import { createEndpoint, WEBHOOKS } from './support/webhooks.ts'

const context = useHost({ integrations: { limits: { startsPerMinute: 1000, requestsPerMinute: 1000 } } })
const KEYS = `/v1/organizations/${ACME}/api-keys`
const QUOTATIONS = '/v1/integrations/quotations'
const BAD = 'a\u202eb'
let key: string
beforeAll(async () => {
  key = (await context.host.createKey()).key
})

/** Resources whose names clients choose. */
const NAMED = {
  'an API key': (name: string) =>
    context.host.call('POST', KEYS, { member: 'acme-admin', json: { name, expires_at: YEAR_AHEAD } }),
  'an endpoint': (name: string) =>
    context.host.call('POST', WEBHOOKS, {
      member: 'acme-admin',
      json: { name, url: 'https://crm.example.com/hook', events: ['quotation.completed'] },
    }),
  'a quotation': (name: string) =>
    context.host.call('POST', QUOTATIONS, { key, json: { name, requirementsText: 'A portal.' } }),
  'a quotation sent as a form': (name: string) => {
    const form = new FormData()
    form.set('requirementsText', 'A portal.')
    form.set('name', name)
    return context.host.call('POST', QUOTATIONS, { key, body: form })
  },
}

describe.each(Object.entries(NAMED))('the name of %s', (_, create) => {
  it.each([
    '\u0000',
    '\u0007',
    '\n',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u2029',
    '\u202a',
    '\u202e',
    '\u2066',
    '\u2069',
  ])('may not contain %j', async (character) => {
    const { status, body } = await create(`a${character}b`)
    expect([status, body['errors']]).toEqual([
      400,
      [{ pointer: '/name', detail: expect.stringContaining('control characters') }],
    ])
  })

  it.each(['\u200c', '\u200d', '\u200e', '\u200f', '\u061c', '\ufeff', '👩‍💻', 'می‌خواهم'])(
    'may contain %j',
    async (text) => {
      const { status, body } = await create(`a${text}b`)
      expect([200, 201, 202]).toContain(status)
      if ('name' in body) expect(body['name']).toBe(`a${text}b`)
    },
  )
})

describe('a stored name that breaks the rule', () => {
  it('of a key is shown unchanged, and does not prevent other changes', async () => {
    const { id } = await context.host.createKey()
    await context.sql`update quickquote.api_keys set name = ${BAD} where id = ${id}`
    const call = (method: string, path = '', json?: object) =>
      context.host.call(method, `${KEYS}/${id}${path}`, {
        member: 'acme-admin',
        json,
      })
    expect((await call('GET')).body['name']).toBe(BAD)
    expect((await call('POST', '/deactivate')).body).toMatchObject({ name: BAD, status: 'inactive' })
    expect((await call('POST', '/activate')).status).toBe(200)
    expect((await call('PATCH', '', { name: BAD })).status).toBe(400)
    expect((await call('PATCH', '', { name: 'good' })).body['name']).toBe('good')
  })

  it('of an endpoint is shown unchanged, and does not prevent other changes', async () => {
    const { id } = await createEndpoint(context.host)
    await context.sql`update quickquote.webhook_endpoints set name = ${BAD} where id = ${id}`
    const call = (method: string, json?: object) =>
      context.host.call(method, `${WEBHOOKS}/${id}`, {
        member: 'acme-admin',
        json,
      })
    expect((await call('GET')).body['name']).toBe(BAD)
    const updated = await call('PATCH', { description: `text\n${BAD}` })
    expect(updated.body).toMatchObject({ name: BAD, description: `text\n${BAD}` })
    expect((await call('PATCH', { name: BAD })).status).toBe(400)
    expect((await call('DELETE')).status).toBe(204)
  })

  it('of a quotation is shown unchanged, and its run continues', async () => {
    const id = await context.host.startQuotation(key)
    await context.sql`update quickquote.quotations set name = ${BAD} where id = ${id}`
    await context.host.integrations.pipeline(id).stepCompleted('requirement_analysis')
    const { body } = await context.host.call('GET', `${QUOTATIONS}/${id}`, { key })
    expect(body).toMatchObject({ name: BAD, processed_step: 'requirement_analysis' })
  })
})
