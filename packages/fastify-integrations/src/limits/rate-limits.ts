import { IntegrationError, type Limits, type Logger } from '@quickquote/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientOf } from '../auth/client-address.ts'
import { ADMIT_TEST, API_KEY, AUTH_ERROR } from '../auth/request-state.ts'
import { callerOf } from '../auth/session-auth.ts'
import { memoryCounter } from './memory-counter.ts'
import { type RedisClient, redisCounter } from './redis-counter.ts'
import { type Count, type Limit, type RequestCounter, WINDOW_MS } from './request-counter.ts'

/** A limit with its error message. */
interface RateLimit extends Limit {
  readonly detail: string
}

/** Counts requests in a store that may fail. */
export interface RateLimiter {
  /**
   * @returns null if the store does not respond and requests may pass
   */
  take(limits: readonly Limit[], onError?: 'open' | 'closed'): Promise<Count | null>
  giveBack(limits: readonly Limit[], at: number): Promise<void>
}

/**
 * @param store.redis shares the limits between all instances; without it each process counts for itself
 * @param store.onLimiterError if Redis does not respond, `open` lets requests pass, `closed` answers 503
 */
export function createRateLimiter(
  { redis, onLimiterError }: { redis?: RedisClient | undefined; onLimiterError: 'open' | 'closed' },
  logger: Logger,
): RateLimiter {
  const counter: RequestCounter = redis === undefined ? memoryCounter() : redisCounter(redis, logger)
  return {
    async take(limits, onError = onLimiterError) {
      try {
        return await counter.take(limits)
      } catch (cause) {
        if (onError === 'open') return null
        throw new IntegrationError('SERVICE_UNAVAILABLE', undefined, { cause })
      }
    },
    async giveBack(limits, at) {
      // If this fails, the count expires within a minute.
      await Promise.resolve(counter.giveBack(limits, at)).catch(() => undefined)
    },
  }
}

/**
 * Limits all requests of a plugin: authenticated ones by key, failed authentications by client (specification,
 * "Limits"). The plugin must authenticate partners in an earlier hook.
 */
export function limitRequests(fastify: FastifyInstance, limiter: RateLimiter, limits: Limits): void {
  if (!limits.enabled) return
  fastify.addHook('onRequest', async (request, reply) => {
    if (request[API_KEY] !== null) await limitKey(request[API_KEY].id, request, reply)
    else if (request[AUTH_ERROR] !== null) await limitFailures(request, reply)
  })

  async function limitKey(keyId: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const isStart = request.routeOptions.config.integrations?.limit === 'starts'
    const { requestsPerMinute, startsPerMinute } = limits
    const ofKey = [
      limit('requests', keyId, requestsPerMinute, `At most ${requestsPerMinute} requests per minute.`),
      limit('starts', keyId, startsPerMinute, `At most ${startsPerMinute} starts per minute.`),
    ].slice(0, isStart ? 2 : 1)
    // The IETF's RateLimit fields, which support several limits.
    reply.header(
      'ratelimit-policy',
      ofKey.map(({ name, max }) => `"${name}";q=${max};w=${WINDOW_MS / 1000}`).join(', '),
    )
    const count = await limiter.take(ofKey)
    if (count === null) return
    const states = count.states.map(({ left, growsInMs }, index) => {
      const grows = growsInMs === 0 ? '' : `;t=${toSeconds(growsInMs)}`
      return `"${ofKey[index]?.name}";r=${left}${grows}`
    })
    reply.header('ratelimit', states.join(', '))
    refuseBeyond(ofKey, count, reply)
  }

  async function limitFailures(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const max = limits.failedAuthenticationsPerMinute
    const ofClient = [
      limit('failures', clientOf(request), max, 'Too many failed authentications from this address.'),
    ]
    // A failed authentication gets its own error, counted or not.
    const count = await limiter.take(ofClient, 'open')
    if (count !== null) refuseBeyond(ofClient, count, reply)
  }
}

function limit(name: string, whose: string, max: number, detail: string) {
  return { name, key: `${name}:{${whose}}`, max, detail }
}

/** Statuses of a test that was not sent. */
const NOT_SENT = new Set([400, 404, 503])

/**
 * Limits test deliveries, for a plugin with only their routes. The handler calls `request[ADMIT_TEST]` once it would send
 * the tests: those that are refused before take no place, and those that are not sent after all are given back.
 */
export function limitTests(fastify: FastifyInstance, limiter: RateLimiter, limits: Limits): void {
  if (!limits.enabled) return
  const counted = new WeakMap<FastifyRequest, { limits: readonly Limit[]; at: number }>()

  function limitsOf(request: FastifyRequest, tests: number): readonly RateLimit[] {
    const { organizationId } = callerOf(request).member
    const { id } = request.params as { id: string }
    const { testsPerEndpointPerMinute: perEndpoint, testsPerOrganizationPerMinute: perOrganization } = limits
    return [
      {
        // Includes the organization: the endpoint may be another's.
        key: `tests:{${organizationId}}:${id.toLowerCase()}`,
        max: perEndpoint,
        cost: Math.min(tests, perEndpoint),
        detail: `At most ${perEndpoint} tests per minute and endpoint${countedAs(tests)}.`,
      },
      {
        key: `tests:{${organizationId}}`,
        max: perOrganization,
        cost: Math.min(tests, perOrganization),
        detail: `At most ${perOrganization} tests per minute and organization${countedAs(tests)}.`,
      },
    ]
  }

  fastify.addHook('preHandler', async (request, reply) => {
    request[ADMIT_TEST] = async (tests) => {
      const ofTest = limitsOf(request, tests)
      const count = await limiter.take(ofTest)
      if (count === null) return
      refuseBeyond(ofTest, count, reply)
      counted.set(request, { limits: ofTest, at: count.at })
    }
  })
  fastify.addHook('onSend', async (request, reply) => {
    const test = counted.get(request)
    if (test !== undefined && NOT_SENT.has(reply.statusCode)) await limiter.giveBack(test.limits, test.at)
  })
}

function countedAs(tests: number): string {
  return tests === 1 ? '' : `, and a check counts as ${tests}`
}

/** `Retry-After` is the longest wait of the full limits, so a request after it is accepted. */
function refuseBeyond(
  limits: readonly RateLimit[],
  { isAdmitted, states }: Count,
  reply: FastifyReply,
): void {
  if (isAdmitted) return
  const waits = states.map(({ left, growsInMs }, index) =>
    left < (limits[index]?.cost ?? 1) ? growsInMs : 0,
  )
  const wait = Math.max(...waits)
  const seconds = toSeconds(wait)
  reply.header('retry-after', seconds)
  const { detail } = limits[waits.indexOf(wait)] ?? {}
  throw new IntegrationError(
    'RATE_LIMITED',
    `${detail} Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  )
}

function toSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000)
}
