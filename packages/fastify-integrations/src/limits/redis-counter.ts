import type { Logger } from '@quickquote/core'
import { answerInTime } from '@quickquote/core/internal'
import { type Count, type Limit, type RequestCounter, WINDOW_MS } from './request-counter.ts'

export interface RedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>
}

/** The timeout of Redis, in milliseconds. A reconnecting client would otherwise hold requests for many seconds. */
const TIMEOUT_MS = 1000

/** After this many milliseconds, an unanswered command is considered lost, and another one is tried. */
const LOST_MS = 60_000

/**
 * Each limit is a list of the times of accepted requests, oldest first, in microseconds of Redis's clock: exact
 * numbers, and one clock for all instances. If the clock was set back a little, it stands still until it passes the
 * newest time; if by more than the window, the list starts again.
 *
 * KEYS: the limits. ARGV: the window in milliseconds, then the maximum of each limit and its places for the request. Returns
 * whether the request was counted, when, and for each limit the places taken in the window and the microseconds until there is
 * another, or are enough for a refused request.
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
  if redis.call('LLEN', key) + ARGV[2 * i + 1] > tonumber(ARGV[2 * i]) then admitted = 0 end
end
local answer = { admitted, now }
for i, key in ipairs(KEYS) do
  local max, cost = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  if admitted == 1 then
    for _ = 1, cost do redis.call('RPUSH', key, string.format('%.0f', now)) end
    redis.call('PEXPIRE', key, ARGV[1])
  end
  local count = redis.call('LLEN', key)
  local wanted = admitted == 1 and 1 or cost
  local leaving = tonumber(redis.call('LINDEX', key, math.max(0, count - max + wanted - 1)))
  answer[#answer + 1] = count
  answer[#answer + 1] = leaving and leaving + window - now or 0
end
return answer`

/** KEYS: the limits. ARGV: the time to remove from each, then how often. */
const GIVE_BACK = `
for i, key in ipairs(KEYS) do redis.call('LREM', key, -ARGV[i + 1], ARGV[1]) end
return 1`

/**
 * Counts in Redis, for all instances of the host.
 * @returns a counter whose methods reject while Redis does not respond, immediately after the first time
 */
export function redisCounter(redis: RedisClient, logger: Logger): RequestCounter {
  const ask = askPatiently(redis, logger)
  return {
    take: (limits) =>
      ask(TAKE, limits, [WINDOW_MS, ...limits.flatMap(({ max, cost = 1 }) => [max, cost])], toCount(limits)),
    giveBack: (limits, at) =>
      ask(GIVE_BACK, limits, [at, ...limits.map(({ cost = 1 }) => cost)], () => undefined),
  }
}

/**
 * Runs a script within a second, or rejects. After an unanswered command, nothing more is sent until the client settles
 * it: the client would queue every command, and every request would wait for a second.
 */
function askPatiently(redis: RedisClient, logger: Logger) {
  let isDown = false
  let silentSince: number | null = null

  /** Logs only when counting begins to fail, and when it works again. */
  function report(error?: unknown): void {
    const wasDown = isDown
    isDown = error !== undefined
    if (isDown && !wasDown) logger.error({ err: error }, 'rate limits cannot be counted in Redis')
    if (wasDown && !isDown) logger.info({}, 'rate limits are counted in Redis again')
  }

  return async function ask<T>(
    script: string,
    limits: readonly Limit[],
    parameters: readonly number[],
    read: (answer: unknown) => T,
  ): Promise<T> {
    if (silentSince !== null && performance.now() - silentSince < LOST_MS) {
      throw new Error('Redis has not responded to the previous command')
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
    // Depending on the client's options, numbers or strings of digits.
    const numbers = Array.isArray(answer) ? answer.map((each) => Number.parseInt(String(each), 10)) : []
    if (numbers.length !== 2 + 2 * limits.length || numbers.some(Number.isNaN)) {
      throw new Error('Redis returned something other than counts')
    }
    const [admitted, at = 0, ...counts] = numbers
    const states = limits.map(({ max }, index) => {
      const [count = 0, leavesInUs = 0] = counts.slice(2 * index)
      return { left: Math.max(0, max - count), growsInMs: leavesInUs / 1000 }
    })
    return { isAdmitted: admitted === 1, states, at }
  }
}
