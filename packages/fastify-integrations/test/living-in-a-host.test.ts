import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fastifyIntegrations } from '../src/index.ts'
import { ACME, type Host, NOWHERE, startHost, useDatabase, YEAR_AHEAD } from './support/host.ts'

const database = useDatabase()

/** What a host has of its own, and what our plugin must neither change nor be changed by. */
async function ownWays(app: FastifyInstance): Promise<void> {
  app.setErrorHandler((error, _request, reply) => {
    reply.code(418).send({ host: (error as Error).message })
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ host: 'no such page' }))
  app.setValidatorCompiler(() => () => ({ error: new Error('the validator of the host') }))
  app.setSerializerCompiler(() => () => '"the serializer of the host"')
  app.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.decorateRequest('apiKey', null)
  app.addHook('onSend', async (_request, reply) => void reply.header('x-host', 'yes'))
}

async function ownRoutes(app: FastifyInstance): Promise<void> {
  app.get('/host/fails', async () => {
    throw new Error('of the host')
  })
  app.post('/host/body', { schema: { body: { type: 'object' } } }, async () => 'ok')
  app.get('/host/answer', { schema: { response: { 200: { type: 'object' } } } }, async () => ({ mine: 1 }))
  app.post('/host/csv', async (request) => ({ got: request.body }))
  app.post('/host/json', async (request) => ({ got: request.body }))
}

describe('a host with ways of its own', () => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ databaseUrl: database.url, before: ownWays, after: ownRoutes })
  })
  afterAll(() => host.close())

  it('keeps them', async () => {
    expect(await host.call('GET', '/host/fails')).toMatchObject({
      status: 418,
      body: { host: 'of the host' },
    })
    expect(await host.call('GET', '/nothing')).toMatchObject({ status: 404, body: { host: 'no such page' } })
    expect(await host.call('GET', '/v1/organizations/1/members')).toMatchObject({
      body: { host: 'no such page' },
    })
    expect(await host.call('POST', '/host/body', { json: {} })).toMatchObject({
      status: 418,
      body: { host: 'the validator of the host' },
    })
    expect((await host.call('GET', '/host/answer')).body).toBe('the serializer of the host')
    const csv = { body: 'a;b', headers: { 'Content-Type': 'text/csv' } }
    expect((await host.call('POST', '/host/csv', csv)).body).toEqual({ got: 'a;b' })
    const json = { body: '{"a":1}', headers: { 'Content-Type': 'application/json' } }
    expect((await host.call('POST', '/host/json', json)).body).toEqual({ got: { a: 1 } })
  })

  it('finds nothing of ours on its own answers', async () => {
    const { headers } = await host.call('GET', '/host/answer')
    for (const name of ['x-request-id', 'cache-control', 'ratelimit', 'ratelimit-policy']) {
      expect(headers.get(name)).toBeNull()
    }
  })

  it('does not change our routes', async () => {
    const { key } = await host.createKey()
    const id = await host.startQuotation(key)
    expect((await host.call('GET', `/v1/integrations/quotations/${id}`, { key })).body).toMatchObject({ id })
    expect((await host.call('GET', '/v1/integrations/nothing', { key })).body).toMatchObject({
      code: 'ROUTE_NOT_FOUND',
    })
    const csv = { key, body: 'a;b', headers: { 'Content-Type': 'text/csv' } }
    expect((await host.call('POST', '/v1/integrations/quotations', csv)).status).toBe(415)
  })
})

describe('a guard of the host that runs for every route', () => {
  it('can tell ours by config.integrations.access', async () => {
    const seen = new Set<unknown>()
    const host = await startHost({
      databaseUrl: database.url,
      after(app) {
        app.addHook('onRequest', async (request) => {
          const access = request.routeOptions.config.integrations?.access
          seen.add(access)
          if (access === undefined) throw Object.assign(new Error('sign in'), { statusCode: 401 })
        })
        app.get('/host', async () => 'secret')
      },
    })
    const { key } = await host.createKey()
    expect((await host.call('GET', `/v1/integrations/quotations/${NOWHERE}`, { key })).status).toBe(404)
    expect((await host.call('GET', '/v1/integrations/nothing', { key })).status).toBe(404)
    expect(
      (await host.call('POST', `/v1/organizations/${ACME}/webhooks`, { member: 'acme-admin', json: {} }))
        .status,
    ).toBe(400)
    expect((await host.call('GET', '/api-docs')).status).toBe(200)
    expect((await host.call('GET', '/host')).status).toBe(401)
    expect(seen).toEqual(new Set(['public', 'member', 'api_key', 'manage_integrations', undefined]))
    await host.close()
  })

  it.each([
    [401, 'SESSION_REQUIRED'],
    [403, 'PERMISSION_REQUIRED'],
    [429, 'RATE_LIMITED'],
    [503, 'SERVICE_UNAVAILABLE'],
    [418, 'MALFORMED_REQUEST'],
  ])(
    'that refuses with %i is answered with a problem document of ours, without its words',
    async (statusCode, code) => {
      const host = await startHost({
        databaseUrl: database.url,
        plugin: { apiDocs: false },
        after(app) {
          app.addHook('onRequest', async () => {
            throw Object.assign(new Error('words of the host'), { statusCode })
          })
        },
      })
      const { headers, body } = await host.call('GET', '/v1/integrations/quotations')
      expect(body).toMatchObject({ code, instance: headers.get('x-request-id') })
      expect(JSON.stringify(body)).not.toContain('words of the host')
      await host.close()
    },
  )
})

describe('a host with an @fastify/swagger of its own', () => {
  const withSwagger = async (app: FastifyInstance) => {
    await app.register(swagger, { openapi: { openapi: '3.0.3', info: { title: 'Host', version: '1' } } })
    app.get('/host', { schema: { summary: 'Of the host' } }, async () => 'ok')
  }
  const pathsOf = (host: Host) => Object.keys(host.app.swagger().paths ?? {})

  it('has its document, and we have ours', async () => {
    const host = await startHost({ databaseUrl: database.url, before: withSwagger })
    expect(pathsOf(host)).toEqual(['/host'])
    expect(host.app.swagger()).toMatchObject({ openapi: '3.0.3', info: { title: 'Host' } })
    expect(Object.keys(host.openapi.paths)).not.toContain('/host')
    expect(host.openapi.openapi).toBe('3.1.0')
    await host.close()
  })

  it('finds our routes in its document when it asks for them, also with a transform of its own', async () => {
    const host = await startHost({
      databaseUrl: database.url,
      plugin: { inHostDocument: true },
      async before(app) {
        await app.register(swagger, {
          openapi: { openapi: '3.0.3', info: { title: 'Host', version: '1' } },
          transform({ schema, url }) {
            if (url.startsWith('/v1/')) throw new Error('a transform that knows nothing but zod')
            return { schema, url }
          },
        })
      },
    })
    expect(pathsOf(host).filter((path) => path.startsWith('/v1/'))).toEqual(Object.keys(host.openapi.paths))
    await host.close()
  })
})

describe('the prefix of the plugin', () => {
  it('stands before every route, the Location of a start, and the documentation', async () => {
    const host = await startHost({ databaseUrl: database.url, plugin: { prefix: '/api' } })
    const { key } = await host.createKey()
    const { status, headers } = await host.call('POST', '/api/v1/integrations/quotations', {
      key,
      json: { requirementsText: 'x' },
    })
    expect(status).toBe(202)
    expect(headers.get('location')).toMatch(/^\/api\/v1\/integrations\/quotations\//)
    expect((await host.call('GET', String(headers.get('location')), { key })).status).toBe(200)
    expect(Object.keys(host.openapi.paths)).toContain('/api/v1/integrations/quotations')
    const page = await host.call('GET', '/api/api-docs')
    expect(page.body['text']).toContain('"/api/api-docs/static/swagger-ui.css"')
    expect((await host.call('GET', '/api/api-docs/static/swagger-ui.css')).status).toBe(200)
    expect((await fetch(`${host.url}/v1/integrations/quotations`)).status).toBe(404)
    await host.close()
  })

  it('allows several registrations', async () => {
    const host = await startHost({ databaseUrl: database.url, plugin: { prefix: '/a' } })
    const other = await startHost({
      databaseUrl: database.url,
      plugin: { prefix: '/a' },
      async after(app) {
        const { integrations } = host
        await app.register(fastifyIntegrations, { prefix: '/b', integrations, resolveSession: () => null })
      },
    })
    const { key } = await other.createKey()
    for (const prefix of ['/a', '/b']) {
      const { status } = await other.call('GET', `${prefix}/v1/integrations/quotations/${NOWHERE}`, { key })
      expect(status).toBe(404)
      expect((await other.call('GET', `${prefix}/api-docs`)).status).toBe(200)
    }
    await other.close()
    await host.close()
  })
})

describe('apiKeyRoutes: false', () => {
  it('leaves the routes for API keys to the host, whose own screens call the same service', async () => {
    const host = await startHost({
      databaseUrl: database.url,
      plugin: { apiKeyRoutes: false },
      after(app) {
        app.post('/v1/organizations/:organizationId/api-keys', async () => ({ host: 'mine' }))
      },
    })
    const path = `/v1/organizations/${ACME}/api-keys`
    expect(await fetch(host.url + path, { method: 'POST' }).then((answer) => answer.json())).toEqual({
      host: 'mine',
    })
    expect(Object.keys(host.openapi.paths).filter((each) => each.includes('api-keys'))).toEqual([])
    const member = { memberId: 'm', organizationId: ACME, permissions: new Set<string>() }
    const { key } = await host.integrations.apiKeys.create(member, { name: 'x', expires_at: YEAR_AHEAD })
    const { status } = await host.call('GET', `/v1/integrations/quotations/${NOWHERE}`, { key: key.reveal() })
    expect(status).toBe(404)
    await host.close()
  })
})
