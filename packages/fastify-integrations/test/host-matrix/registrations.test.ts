import type { Integrations } from '@quickquote/core'
import { adminOf, integrationsOn } from '@quickquote/dev-servers/host'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fastifyIntegrations } from '../../src/index.ts'
import { ACME, type Host, startHost, useDatabase, YEAR_AHEAD } from '../support/host.ts'
import { useHostMatrix } from './matrix.ts'

const beside = useHostMatrix()
const database = useDatabase()
const otherDatabase = useDatabase()

beside('a scope with a prefix, inside a scope with a prefix', {
  plugin: { prefix: '/tenants/v2' },
  browser: {},
  after(app) {
    app.get('/tenants/v2/own', async () => 'of the host')
    app.get('/tenants/v2/v1/integration', async () => 'also of the host')
  },
  own: [{ method: 'GET', path: '/tenants/v2/own', expected: { body: 'of the host' } }],
})

describe('two registrations with their own prefixes and integrations', () => {
  let host: Host
  let second: Integrations
  beforeAll(async () => {
    host = await startHost({
      databaseUrl: database.url,
      plugin: { prefix: '/a' },
      async after(app) {
        second = integrationsOn(otherDatabase.url, {
          encryptionKeys: [{ id: 'other', key: Buffer.alloc(32, 8) }],
          limits: { requestsPerMinute: 5, nameLength: 3 },
          productName: 'Other',
        })
        await app.register(
          async (outer) => {
            await outer.register(fastifyIntegrations, {
              prefix: '/b',
              integrations: second,
              problemTypeBase: 'https://other.example.com/errors#',
              resolveSession: () => ({ memberId: 'other', organizations: [{ id: ACME, role: 'admin' }] }),
            })
          },
          { prefix: '/outer' },
        )
        app.get('/outer/own', async () => 'of the host')
      },
    })
  })
  afterAll(async () => {
    await host.close()
    await second.close()
  })

  const newKey = { name: 'x', expires_at: YEAR_AHEAD }
  const start = (prefix: string, key: string, json: object = { requirementsText: 'x' }) =>
    host.call('POST', `${prefix}/v1/integrations/quotations`, { key, json })

  it('know only their own keys and quotations', async () => {
    const { key } = await host.createKey()
    const other = (await second.apiKeys.create(adminOf(ACME), newKey)).key.reveal()
    expect((await start('/a', key)).status).toBe(202)
    expect((await start('/outer/b', key)).body['code']).toBe('API_KEY_INVALID')
    expect((await start('/a', other)).body['code']).toBe('API_KEY_INVALID')
    const { status, headers, body } = await start('/outer/b', other)
    expect(status).toBe(202)
    expect(headers.get('location')).toBe(`/outer/b/v1/integrations/quotations/${body['quotation_id']}`)
    expect((await host.call('GET', String(headers.get('location')), { key: other })).status).toBe(200)
    expect(
      await host.integrations.quotations.get(ACME, String(body['quotation_id'])).catch((e) => e.code),
    ).toBe('QUOTATION_NOT_FOUND')
  })

  it('have their own limits, sessions and problem types', async () => {
    const key = (await second.apiKeys.create(adminOf(ACME), newKey)).key.reveal()
    const tooLong = await start('/outer/b', key, { requirementsText: 'x', name: 'four' })
    expect(tooLong.body).toMatchObject({ type: 'https://other.example.com/errors#VALIDATION_FAILED' })
    expect(tooLong.headers.get('ratelimit-policy')).toContain('"requests";q=5;w=60')
    const mine = await host.createKey()
    expect((await start('/a', mine.key, { requirementsText: 'x', name: 'four' })).status).toBe(202)
    expect((await host.call('GET', `/outer/b/v1/organizations/${ACME}/webhooks`)).status).toBe(200)
    expect((await host.call('GET', `/a/v1/organizations/${ACME}/webhooks`)).status).toBe(401)
  })

  it('have their own documents, and leave the paths between them to the host', async () => {
    const { body } = await host.call('GET', '/outer/b/api-docs/json')
    const paths = Object.keys(body['paths'] as object)
    expect(paths).toHaveLength(Object.keys(host.openapi.paths).length)
    expect(paths.filter((path) => !path.startsWith('/outer/b/v1/'))).toEqual([])
    expect((await host.call('GET', '/outer/own')).body['text']).toBe('of the host')
    expect((await host.call('GET', '/outer/v1/integrations/x')).body['error']).toBe('Not Found')
  })
})
