import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { ACME, NOWHERE, openHost, useDatabase } from '../support/host.ts'
import { useHostMatrix } from './matrix.ts'

const beside = useHostMatrix()
const database = useDatabase()

const QUOTATION = `/v1/integrations/quotations/${NOWHERE}`

const isOurs = (request: FastifyRequest) => request.routeOptions.config.integrations !== undefined

/** A typical guard: it requires a session for every request, and exempts ours by the flag of the route. */
async function guard(request: FastifyRequest): Promise<void> {
  if (isOurs(request) || request.headers['x-member'] !== undefined) return
  throw Object.assign(new Error('sign in first'), { statusCode: 401 })
}

for (const hook of ['onRequest', 'preHandler'] as const) {
  for (const when of ['before', 'after'] as const) {
    beside(`a session guard for every route in ${hook}, added ${when}, that reads config.integrations`, {
      [when]: (app: FastifyInstance) => void app.addHook(hook, guard),
      own: [
        { method: 'GET', path: '/host/answer', expected: { status: 401 } },
        {
          method: 'GET',
          path: '/host/answer',
          headers: { 'X-Member': 'acme-member' },
          expected: { status: 200 },
        },
      ],
    })
  }
}

describe('a guard of the host that runs for every route', () => {
  it('reads the required access from config.integrations.access', async () => {
    const seen = new Set<unknown>()
    const host = await openHost({
      databaseUrl: database.url,
      after(app) {
        app.addHook('onRequest', async (request) => {
          seen.add(request.routeOptions.config.integrations?.access)
        })
      },
    })
    const { key } = await host.createKey()
    await host.call('GET', QUOTATION, { key })
    await host.call('GET', `/v1/organizations/${ACME}/webhooks`, { member: 'acme-admin' })
    await host.call('GET', '/api-docs')
    await host.call('GET', '/host')
    expect(seen).toEqual(new Set(['public', 'member', 'api_key', 'view_integrations', undefined]))
  })

  it.each([
    [401, 'SESSION_REQUIRED'],
    [403, 'PERMISSION_REQUIRED'],
    [429, 'RATE_LIMITED'],
    [503, 'SERVICE_UNAVAILABLE'],
    [408, 'REQUEST_REFUSED'],
    [418, 'REQUEST_REFUSED'],
  ])(
    'that refuses with %i produces our problem document, without its own message',
    async (statusCode, code) => {
      const host = await openHost({
        databaseUrl: database.url,
        plugin: { apiDocs: false },
        after(app) {
          app.addHook('onRequest', async () => {
            throw Object.assign(new Error('words of the host'), { statusCode })
          })
        },
      })
      const { status, headers, body } = await host.call('GET', '/v1/integrations/quotations')
      expect(status).toBe(statusCode)
      expect(body).toMatchObject({ status: statusCode, code, instance: headers.get('x-request-id') })
      expect(JSON.stringify(body)).not.toContain('words of the host')
    },
  )

  it('that sets a status below 500 on the reply and throws keeps its status, at any time of the request', async () => {
    const host = await openHost({
      databaseUrl: database.url,
      plugin: { apiDocs: false },
      after(app) {
        app.addHook('preHandler', async (request, reply) => {
          if (request.routeOptions.config.integrations?.access !== 'api_key') return
          reply.code(408)
          throw new Error('too slow')
        })
      },
    })
    const { key } = await host.createKey()
    const { status, body } = await host.call('GET', QUOTATION, { key })
    expect([status, body]).toMatchObject([408, { status: 408, code: 'REQUEST_REFUSED' }])
  })
})

const limited = (options: object) => async (app: FastifyInstance) => {
  await app.register(rateLimit, { max: 500, timeWindow: '1 hour', ...options })
}
const counted = {
  method: 'GET',
  path: '/host/answer',
  expected: {
    headers: { 'x-ratelimit-limit': '500', 'x-ratelimit-remaining': expect.stringMatching(/^4\d\d$/) },
  },
}

beside('@fastify/rate-limit for every route, which exempts ours', {
  before: limited({ allowList: isOurs }),
  own: [counted],
})
beside('@fastify/rate-limit for every route, registered after ours', { after: limited({}), own: [counted] })
beside('@fastify/rate-limit with the draft headers, which exempts ours', {
  before: limited({ allowList: isOurs, enableDraftSpec: true, hook: 'preHandler' }),
  own: [
    {
      method: 'GET',
      path: '/host/answer',
      expected: { headers: { 'ratelimit-limit': '500' } },
    },
  ],
})

describe('beside @fastify/rate-limit of the host', () => {
  it.each([
    ['which counts ours as well', {}],
    ['which exempts ours', { allowList: isOurs }],
  ])('our limits are exact: %s', async (_, options) => {
    const host = await openHost({
      databaseUrl: database.url,
      integrations: { limits: { requestsPerMinute: 6, startsPerMinute: 3 } },
      before: limited(options),
    })
    const { key } = await host.createKey()
    const start = () =>
      host.call('POST', '/v1/integrations/quotations', { key, json: { requirementsText: 'x' } })
    const starts = [await start(), await start(), await start(), await start()]
    expect(starts.map(({ status }) => status)).toEqual([202, 202, 202, 429])
    expect(starts[3]?.headers.get('ratelimit')).toMatch(/^"requests";r=3;t=\d+, "starts";r=0;t=\d+$/)
    expect(Number(starts[3]?.headers.get('retry-after'))).toBeGreaterThan(0)
    const read = () => host.call('GET', QUOTATION, { key })
    const reads = [await read(), await read(), await read(), await read()]
    expect(reads.map(({ status }) => status)).toEqual([404, 404, 404, 429])
  })

  it('refuses our requests with a problem document and its Retry-After', async () => {
    const host = await openHost({ databaseUrl: database.url, before: limited({ max: 3 }) })
    const { key } = await host.createKey()
    const answers = [await host.call('GET', QUOTATION, { key }), await host.call('GET', QUOTATION, { key })]
    expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
      [404, 'QUOTATION_NOT_FOUND'],
      [429, 'RATE_LIMITED'],
    ])
    expect(Number(answers[1]?.headers.get('retry-after'))).toBeGreaterThan(3000)
  })
})

beside(
  'a proxy in front, and trustProxy',
  {
    fastify: { trustProxy: true },
    browser: {},
    after(app) {
      app.get('/host/address', async (request) => `${request.protocol} ${request.host} ${request.ip}`)
    },
    own: [
      {
        method: 'GET',
        path: '/host/address',
        headers: {
          'X-Forwarded-For': '203.0.113.7',
          'X-Forwarded-Proto': 'https',
          'X-Forwarded-Host': 'app.example.com',
        },
        expected: { body: 'https app.example.com 203.0.113.7' },
      },
    ],
  },
  (row) => {
    it('limits failed authentications by the address of the client, not of the proxy', async () => {
      const fail = async (address: string) => {
        const headers = { 'X-Forwarded-For': address }
        return (await row.host.call('GET', QUOTATION, { key: 'pk_wrong', headers })).status
      }
      const attempts = await Promise.all(Array.from({ length: 31 }, () => fail('203.0.113.7')))
      expect(attempts.filter((status) => status === 429)).toHaveLength(1)
      expect(await fail('203.0.113.8')).toBe(401)
    })

    it('recognizes pages of its own site by the scheme and the host that the proxy reports', async () => {
      const create = async (origin: string) =>
        (
          await row.host.call('POST', `/v1/organizations/${ACME}/webhooks`, {
            member: 'acme-admin',
            json: {},
            headers: {
              Origin: origin,
              'X-Forwarded-Host': 'app.example.com',
              'X-Forwarded-Proto': 'https',
            },
          })
        ).body['code']
      expect(await create('https://app.example.com')).toBe('VALIDATION_FAILED')
      expect(await create('https://app.example.com:443')).toBe('VALIDATION_FAILED')
      expect(await create('http://app.example.com')).toBe('CROSS_SITE_REQUEST')
      expect(await create('https://evil.example.com')).toBe('CROSS_SITE_REQUEST')
    })
  },
)
