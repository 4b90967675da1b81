import type { Logger } from '@quickquote/core'
import { answerInTime } from '@quickquote/core/internal'
import { type Count, type Limit, type RequestCounter, WINDOW_MS } from './request-counter.ts'

/** The part of an ioredis client that limits need. */
export interface RedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>
}

/** How long Redis may take, in milliseconds. A client that reconnects would otherwise hold requests for many seconds. */
const TIMEOUT_MS = 1000

/** A command that was not answered for this long is taken for lost, and another one is tried, in milliseconds. */
const LOST_MS = 60_000

/**
 * Each limit is a list of the moments at which requests were let through, in microseconds of Redis's clock, the oldest
 * first: numbers that are exact, and one clock for all instances. A clock that was set back a little stands still until it is
 * past the newest moment; where it was set back by more than the window, the list is begun anew.
 *
 * KEYS: the limits. ARGV: the window in milliseconds, then the maximum of each limit.
 * Returns whether the request was counted, when, and for each limit how many are in the window and the microseconds
 * until one leaves it so that there is room for another.
 */
const TAKE = `
local window = ARGV[1] * 1000
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
for _, key in ipairs(KEYS) do
  local newest = tonumber(redis.call('LINDEX', key, -1))
  if newest and newest > now + window then
    redis.call('DEL', key)
  elseif newest and newest > now then
    now = newest
  end
end
local admitted = 1
for i, key in ipairs(KEYS) do
  local oldest = tonumber(redis.call('LINDEX', key, 0))
  while oldest and oldest <= now - window do
    redis.call('LPOP', key)
    oldest = tonumber(redis.call('LINDEX', key, 0))
  end
  if redis.call('LLEN', key) >= tonumber(ARGV[i + 1]) then admitted = 0 end
end
local answer = { admitted, now }
for i, key in ipairs(KEYS) do
  if admitted == 1 then
    redis.call('RPUSH', key, string.format('%.0f', now))
    redis.call('PEXPIRE', key, ARGV[1])
  end
  local count = redis.call('LLEN', key)
  local leaving = tonumber(redis.call('LINDEX', key, math.max(0, count - ARGV[i + 1])))
  answer[#answer + 1] = count
  answer[#answer + 1] = leaving and leaving + window - now or 0
end
return answer`

/** KEYS: the limits. ARGV: the moment that is forgotten in each. */
const GIVE_BACK = `
for _, key in ipairs(KEYS) do redis.call('LREM', key, -1, ARGV[1]) end
return 1`

/**
 * Counts in Redis, for all instances of the host.
 * @returns a counter whose methods reject while Redis does not answer, at once after the first time
 */
export function redisCounter(redis: RedisClient, logger: Logger): RequestCounter {
  const ask = askPatiently(redis, logger)
  return {
    take: (limits) => ask(TAKE, limits, [WINDOW_MS, ...limits.map(({ max }) => max)], toCount(limits)),
    giveBack: (limits, at) => ask(GIVE_BACK, limits, [at], () => undefined),
  }
}

/**
 * Runs a script within a second, or rejects. After a command that was not answered in time, nothing more is sent until the
 * client settles that one: it would keep every command, and every request would wait for a second.
 */
function askPatiently(redis: RedisClient, logger: Logger) {
  let isDown = false
  let silentSince: number | null = null

  /** Not for every request: when the counting begins to fail, and when it works again. */
  function report(error?: unknown): void {
    const wasDown = isDown
    isDown = error !== undefined
    if (isDown && !wasDown) logger.error({ err: error }, 'the rate limits cannot be counted')
    if (wasDown && !isDown) logger.info({}, 'the rate limits are counted again')
  }

  return async function ask<T>(
    script: string,
    limits: readonly Limit[],
    parameters: readonly number[],
    read: (answer: unknown) => T,
  ): Promise<T> {
    if (silentSince !== null && performance.now() - silentSince < LOST_MS) {
      throw new Error('Redis has not answered the command before')
    }
    const keys = limits.map(({ key }) => `quickquote:${key}`)
    let isSettled = false
    const answer = (async () => redis.eval(script, keys.length, ...keys, ...parameters))()
    const settle = () => {
      isSettled = true
      silentSince = null
    }
    answer.then(settle, settle)
    try {
      const result = read(await answerInTime('Redis', TIMEOUT_MS, () => answer))
      report()
      return result
    } catch (error) {
      if (!isSettled) silentSince = performance.now()
      report(error)
      throw error
    }
  }
}

function toCount(limits: readonly Limit[]): (answer: unknown) => Count {
  return (answer) => {
    // Numbers, or their digits where the client is set up so.
    const numbers = Array.isArray(answer) ? answer.map((each) => Number.parseInt(String(each), 10)) : []
    if (numbers.length !== 2 + 2 * limits.length || numbers.some(Number.isNaN)) {
      throw new Error('Redis answered with something else than counts')
    }
    const [admitted, at = 0, ...counts] = numbers
    const states = limits.map(({ max }, index) => {
      const [count = 0, leavesInUs = 0] = counts.slice(2 * index)
      return { left: Math.max(0, max - count), growsInMs: leavesInUs / 1000 }
    })
    return { isAdmitted: admitted === 1, states, at }
  }
}
