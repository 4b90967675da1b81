import { type AuthenticatedKey, DEFAULT_LIMITS, IntegrationError, memberOf } from '@quickquote/core'
import { type FastifyInstance, fastify } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ADMIT_TEST, API_KEY, AUTH_ERROR, CALLER, decorateRequests } from '../src/auth/request-state.ts'
import { errorHandler } from '../src/errors/error-handler.ts'
import { createRateLimiter, limitRequests, limitTests } from '../src/limits/rate-limits.ts'
import type { RedisClient } from '../src/limits/redis-counter.ts'

/** The hooks alone, with a fake clock. For whole hosts see rate-limits.test.ts and test-limits.test.ts. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(async () => {
  vi.useRealTimers()
  await app?.close()
})

let app: FastifyInstance | undefined

interface Store {
  redis?: RedisClient
  onLimiterError?: 'open' | 'closed'
}

const LIMITS = {
  ...DEFAULT_LIMITS,
  requestsPerMinute: 3,
  startsPerMinute: 2,
  failedAuthenticationsPerMinute: 2,
  testsPerEndpointPerMinute: 2,
  testsPerOrganizationPerMinute: 3,
}

function newApp(): FastifyInstance {
  const created = fastify({ logger: { level: 'silent' }, trustProxy: true })
  created.setErrorHandler(errorHandler({ typeBase: 'https://errors.example/' }))
  decorateRequests(created)
  app = created
  return created
}

/** Partners: `x-key` authenticates, `x-wrong` fails to, and no header is not an attempt. */
function partners({ redis, onLimiterError = 'open' }: Store = {}, limits = LIMITS) {
  const scope = newApp()
  scope.addHook('onRequest', async (request) => {
    const { 'x-key': id, 'x-wrong': isWrong } = request.headers
    if (typeof id === 'string') request[API_KEY] = { id } as AuthenticatedKey
    if (isWrong !== undefined) request[AUTH_ERROR] = new IntegrationError('API_KEY_INVALID')
  })
  limitRequests(scope, createRateLimiter({ redis, onLimiterError }, scope.log), limits)
  scope.get('/read', () => 'read')
  scope.get('/start', { config: { integrations: { access: 'api_key', limit: 'starts' } } }, () => 'started')
  return async (path: string, headers: Record<string, string> = { 'x-key': 'k' }) => {
    const { statusCode: status, headers: told, body } = await scope.inject({ url: path, headers })
    const names = ['ratelimit-policy', 'ratelimit', 'retry-after'] as const
    return {
      status,
      told: names.map((name) => told[name]),
      detail: status >= 400 ? JSON.parse(body).detail : null,
    }
  }
}

const broken: RedisClient = { eval: () => Promise.reject(new Error('down')) }

describe('limitRequests', () => {
  it('reports the general limit, counts an unknown route, and refuses until there is room', async () => {
    const call = partners()
    const policy = '"requests";q=3;w=60'
    expect(await call('/read')).toMatchObject({
      status: 200,
      told: [policy, '"requests";r=2;t=60', undefined],
    })
    vi.advanceTimersByTime(10_500)
    expect(await call('/nowhere')).toMatchObject({
      status: 404,
      told: [policy, '"requests";r=1;t=50', undefined],
    })
    expect((await call('/read')).status).toBe(200)
    const refused = { status: 429, told: [policy, '"requests";r=0;t=50', 50] }
    const told = await call('/read')
    expect({ ...told, told: told.told.map((each) => (Number(each) ? Number(each) : each)) }).toEqual({
      ...refused,
      detail: 'At most 3 requests per minute. Try again in 50 seconds.',
    })
    vi.advanceTimersByTime(49_499)
    expect((await call('/read')).status).toBe(429)
    vi.advanceTimersByTime(1)
    expect((await call('/read')).status).toBe(200)
    expect((await call('/read', { 'x-key': 'another' })).told[1]).toBe('"requests";r=2;t=60')
  })

  it('neither limits nor reports anything if limits are off', async () => {
    const call = partners({}, { ...LIMITS, enabled: false })
    for (let sent = 0; sent < 5; sent += 1) {
      const nothing = { status: 200, told: [undefined, undefined, undefined] }
      expect(await call('/start')).toMatchObject(nothing)
      expect(await call('/read', { 'x-wrong': '1' })).toMatchObject(nothing)
    }
  })

  it('reports both limits for a start, without a time for an unused one', async () => {
    const call = partners()
    const policy = '"requests";q=3;w=60, "starts";q=2;w=60'
    for (let sent = 0; sent < 3; sent += 1) await call('/read')
    const refused = await call('/start')
    expect(refused.told.slice(0, 2)).toEqual([policy, '"requests";r=0;t=60, "starts";r=2'])
    expect(refused).toMatchObject({
      status: 429,
      detail: 'At most 3 requests per minute. Try again in 60 seconds.',
    })
    vi.advanceTimersByTime(60_000)
    expect((await call('/start')).told.slice(0, 2)).toEqual([
      policy,
      '"requests";r=2;t=60, "starts";r=1;t=60',
    ])
    vi.advanceTimersByTime(1000)
    await call('/start')
    expect((await call('/start')).detail).toBe('At most 2 starts per minute. Try again in 59 seconds.')
    expect((await call('/read')).told[1]).toBe('"requests";r=0;t=59')
  })

  it('names the limit with the longest wait, and waiting that long is enough', async () => {
    const call = partners()
    await call('/read')
    vi.advanceTimersByTime(20_000)
    for (let sent = 0; sent < 2; sent += 1) await call('/start')
    const { told, detail } = await call('/start')
    expect([Number(told[2]), detail]).toEqual([60, 'At most 2 starts per minute. Try again in 60 seconds.'])
    // A read is refused only by the general limit, for a shorter time.
    expect(Number((await call('/read')).told[2])).toBe(40)
    vi.advanceTimersByTime(60_000)
    expect((await call('/start')).status).toBe(200)
  })

  it('counts failed authentications per address, without reporting the limits of keys', async () => {
    const call = partners()
    const from = (address: string) => call('/read', { 'x-wrong': '1', 'x-forwarded-for': address })
    for (let sent = 0; sent < 2; sent += 1) {
      expect(await from('192.0.2.1')).toMatchObject({ status: 200, told: [undefined, undefined, undefined] })
    }
    vi.advanceTimersByTime(1500)
    const { status, told, detail } = await from('192.0.2.1')
    expect([status, Number(told[2])]).toEqual([429, 59])
    expect(detail).toBe('Too many failed authentications from this address. Try again in 59 seconds.')
    expect((await from('192.0.2.2')).status).toBe(200)
  })

  it('counts no request without authentication', async () => {
    const call = partners()
    for (let sent = 0; sent < 5; sent += 1) {
      expect(await call('/read', {})).toEqual({
        status: 200,
        told: [undefined, undefined, undefined],
        detail: null,
      })
    }
  })

  it.each([
    ['open', 200],
    ['closed', 503],
  ] as const)(
    'accepts or refuses keys by onLimiterError %s, and accepts failed authentications',
    async (onLimiterError, status) => {
      const call = partners({ redis: broken, onLimiterError })
      const answer = await call('/start')
      expect(answer.status).toBe(status)
      expect(answer.told.slice(0, 2)).toEqual(['"requests";q=3;w=60, "starts";q=2;w=60', undefined])
      expect((await call('/read', { 'x-wrong': '1' })).status).toBe(200)
    },
  )
})

const ORGANIZATION = '0192f0c4-0000-7000-8000-00000000000a'

describe('limitTests', () => {
  function members({ redis, onLimiterError = 'open' }: Store = {}) {
    const scope = newApp()
    scope.addHook('onRequest', async (request) => {
      const { 'x-organization': id = ORGANIZATION } = request.headers
      const session = { memberId: 'm', organizations: [{ id: String(id) }] }
      request[CALLER] = { member: memberOf(session, String(id)), session }
    })
    limitTests(scope, createRateLimiter({ redis, onLimiterError }, scope.log), LIMITS)
    scope.get('/:id/test', async (request, reply) => {
      await request[ADMIT_TEST]?.(1)
      return reply.code(Number(request.headers['x-status'] ?? 200)).send('sent')
    })
    return async (id: string, headers: Record<string, string> = {}) => {
      const answer = await scope.inject({ url: `/${id}/test`, headers })
      const detail = answer.statusCode === 429 ? JSON.parse(answer.body).detail : null
      return { status: answer.statusCode, detail, wait: Number(answer.headers['retry-after']) }
    }
  }

  it('limits each endpoint, whatever the case of its id, and each organization', async () => {
    const send = members()
    expect((await send('a')).status).toBe(200)
    vi.advanceTimersByTime(30_000)
    expect((await send('A')).status).toBe(200)
    expect(await send('a')).toEqual({
      status: 429,
      detail: 'At most 2 tests per minute and endpoint. Try again in 30 seconds.',
      wait: 30,
    })
    expect((await send('b')).status).toBe(200)
    expect(await send('b')).toMatchObject({
      status: 429,
      detail: 'At most 3 tests per minute and organization. Try again in 30 seconds.',
    })
    const other = { 'x-organization': ORGANIZATION.replace(/a$/, 'b') }
    expect((await send('a', other)).status).toBe(200)
  })

  it.each([400, 404, 503])('gives back a test that is answered with %i', async (status) => {
    const send = members()
    for (let sent = 0; sent < 5; sent += 1) {
      expect((await send('a', { 'x-status': String(status) })).status).toBe(status)
    }
    for (let sent = 0; sent < 2; sent += 1) expect((await send('a')).status).toBe(200)
    expect((await send('a')).status).toBe(429)
  })

  it.each([200, 409, 500])('counts a test that is answered with %i', async (status) => {
    const send = members()
    for (let sent = 0; sent < 2; sent += 1) await send('a', { 'x-status': String(status) })
    expect((await send('a')).status).toBe(429)
  })

  it('gives nothing back for a refused test', async () => {
    const send = members()
    for (let sent = 0; sent < 2; sent += 1) await send('a')
    for (let sent = 0; sent < 3; sent += 1) expect((await send('a', { 'x-status': '400' })).status).toBe(429)
  })

  it.each([
    ['open', 404],
    ['closed', 503],
  ] as const)(
    'follows onLimiterError %s while nothing can be counted, and gives nothing back',
    async (onLimiterError, status) => {
      const asked: string[] = []
      const redis: RedisClient = {
        eval(script) {
          asked.push(script.includes('LREM') ? 'give back' : 'take')
          return Promise.reject(new Error('down'))
        },
      }
      const send = members({ redis, onLimiterError })
      expect((await send('a', { 'x-status': '404' })).status).toBe(status)
      expect(asked).toEqual(['take'])
    },
  )

  it('does not change the response if giving back fails', async () => {
    const redis: RedisClient = {
      eval: (script) =>
        script.includes('LREM')
          ? Promise.reject(new Error('down'))
          : Promise.resolve([1, 1, 1, 60_000_000, 1, 60_000_000]),
    }
    expect((await members({ redis, onLimiterError: 'closed' })('a', { 'x-status': '404' })).status).toBe(404)
  })
})
