import rateLimit, { type FastifyRateLimitStore, type RateLimitPluginOptions } from '@fastify/rate-limit'
import { IntegrationError, type Limits, loggableError } from '@quickquote/core'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { memoryCounter } from './memory-counter.ts'
import { type RedisClient, redisCounter } from './redis-counter.ts'
import { API_KEY, REFUSAL } from './request-state.ts'

/** Where requests are counted, and what happens while that does not answer. */
export interface LimitStore {
  /** Shares the limits between all instances. Without it each process counts for itself. */
  readonly redis?: RedisClient | undefined
  /** `open` lets requests through, `closed` answers 503. */
  readonly onLimiterError: 'open' | 'closed'
}

const WINDOW_MS = 60_000

/** The limits that the RateLimit fields tell of, and the headers in which @fastify/rate-limit leaves their state. */
const POLICIES = [
  { name: 'requests', limit: 'requestsPerMinute', header: 'x-ratelimit' },
  { name: 'starts', limit: 'startsPerMinute', header: 'ratelimit' },
] as const

/**
 * Limits the routes that are registered in the scope after this: failed authentications by client address, all others by
 * key (specification, "Limits"). The host's own registration of @fastify/rate-limit keeps counting as it likes: ours have
 * stores of their own, and no route of ours sets `config.rateLimit`, which every registration would obey.
 */
export async function limitRequests(
  scope: FastifyInstance,
  limits: Limits,
  store: LimitStore,
): Promise<void> {
  await scope.register(rateLimit, {
    ...counted(scope, store, 'failures'),
    // Who failed to authenticate is told so, counted or not.
    skipOnError: true,
    max: limits.failedAuthenticationsPerMinute,
    allowList: (request) => request[REFUSAL] === null,
    errorResponseBuilder: () => tooMany('Too many failed authentications from this address.'),
    addHeaders: NO_HEADERS,
    addHeadersOnExceeding: NO_HEADERS,
  })
  await scope.register(rateLimit, {
    ...counted(scope, store, 'requests'),
    ...perKey,
    max: limits.requestsPerMinute,
    errorResponseBuilder: (_, { max }) => tooMany(`At most ${max} requests a minute.`),
  })
  scope.addHook('onSend', async (request, reply) => {
    const isStart = request.routeOptions.config.integrations?.limit === 'starts'
    if (request[API_KEY] !== null) describeLimits(reply, limits, isStart ? POLICIES : POLICIES.slice(0, 1))
  })
}

/** Limits the quote starts, in addition. For a scope inside the one that `limitRequests` was called on. */
export async function limitStarts(scope: FastifyInstance, limits: Limits, store: LimitStore): Promise<void> {
  await scope.register(rateLimit, {
    ...counted(scope, store, 'starts'),
    ...perKey,
    max: limits.startsPerMinute,
    // Other header names than the outer limit has: both leave their state on the same answer.
    enableDraftSpec: true,
    errorResponseBuilder: (_, { max }) => tooMany(`At most ${max} quote starts a minute.`),
  })
}

const NO_HEADERS = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }

/** By the id of the key, never by the header: junk must not push counters out of the store. */
const perKey: Pick<RateLimitPluginOptions, 'keyGenerator' | 'allowList'> = {
  keyGenerator: (request) => request[API_KEY]?.id ?? '',
  allowList: (request) => request[API_KEY] === null,
}

type LimitName = (typeof POLICIES)[number]['name'] | 'failures'

function counted(scope: FastifyInstance, store: LimitStore, name: LimitName): RateLimitPluginOptions {
  const { redis, onLimiterError } = store
  const { incr, child } = redis === undefined ? memoryCounter() : sharedCounter(scope, redis, name)
  return {
    timeWindow: WINDOW_MS,
    skipOnError: onLimiterError === 'open',
    store: class {
      readonly incr = incr
      readonly child = child
    },
  }
}

/** Tells in the log when the counting begins to fail, and when it works again: not for every request. */
function sharedCounter(scope: FastifyInstance, redis: RedisClient, name: LimitName): FastifyRateLimitStore {
  let isDown = false
  return redisCounter(redis, {
    prefix: `quickquote:${name}:`,
    toError(cause) {
      const err = loggableError(cause)
      if (!isDown) scope.log.error({ limit: name, err }, 'the rate limits cannot be counted')
      isDown = true
      return new IntegrationError('SERVICE_UNAVAILABLE', undefined, { cause })
    },
    onAnswer() {
      if (isDown) scope.log.info({ limit: name }, 'the rate limits are counted again')
      isDown = false
    },
  })
}

function tooMany(detail: string): IntegrationError {
  return new IntegrationError('RATE_LIMITED', detail)
}

/** Rewrites what the limiters left on the answer as the IETF's RateLimit fields, which can tell of several limits. */
function describeLimits(
  reply: FastifyReply,
  limits: Limits,
  policies: readonly (typeof POLICIES)[number][],
): void {
  const states = policies.flatMap(({ name, header }) => {
    const [remaining, reset] = ['remaining', 'reset'].map((part) =>
      Number(reply.getHeader(`${header}-${part}`)),
    )
    for (const part of ['limit', 'remaining', 'reset']) reply.removeHeader(`${header}-${part}`)
    // No time left: the store did not answer, and the numbers mean nothing.
    return reset ? [`"${name}";r=${remaining};t=${reset}`] : []
  })
  const described = policies.map(({ name, limit }) => `"${name}";q=${limits[limit]};w=${WINDOW_MS / 1000}`)
  reply.header('ratelimit-policy', described.join(', '))
  if (states.length > 0) reply.header('ratelimit', states.join(', '))
}
