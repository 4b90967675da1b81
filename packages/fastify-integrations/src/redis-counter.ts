import type { FastifyRateLimitStore } from '@fastify/rate-limit'

/** The part of an ioredis client that limits need. */
export interface RedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>
}

/** How long Redis may take, in milliseconds. A client that reconnects would otherwise hold requests for many seconds. */
const TIMEOUT_MS = 1000

/** Counts a request in a window that begins with the first one. Returns the count, and the milliseconds that are left. */
const COUNT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`

/**
 * A store for @fastify/rate-limit that all instances of the host share. Its own Redis store knows no deadline, and hands
 * the error of the client on as it is.
 * @param options.prefix of the keys: each limit has its own
 * @param options.toError makes the error that the request is answered with, when the limiter is closed
 */
export function redisCounter(
  redis: RedisClient,
  options: { prefix: string; toError: (cause: unknown) => Error; onAnswer: () => void },
): FastifyRateLimitStore {
  const store: FastifyRateLimitStore = {
    incr(key, callback, timeWindow) {
      inTime(redis.eval(COUNT, 1, options.prefix + key, timeWindow)).then(
        (answer) => {
          const [current, ttl] = answer as [number, number]
          options.onAnswer()
          callback(null, { current, ttl })
        },
        (error: unknown) => callback(options.toError(error)),
      )
    },
    child: () => store,
  }
  return store
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
  }
}
