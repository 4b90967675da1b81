import { randomUUID } from 'node:crypto'
import { hasRedis, type RedisServer, startRedis } from '@quickquote/dev-servers'
import { fastify } from 'fastify'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type RedisClient, redisCounter } from '../src/limits/redis-counter.ts'

const { log } = fastify({ logger: { level: 'silent' } })

/** A developer's machine without Redis skips these (see rate-limits-shared.test.ts); CI must have it. */
describe.runIf(hasRedis || process.env['CI'] !== undefined)('redisCounter (redis-server)', () => {
  let server: RedisServer
  let redis: Redis
  let key: string
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis({ port: server.port, host: '127.0.0.1' })
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })
  beforeEach(() => {
    key = randomUUID()
  })

  it('counts up to the limit, and reports the rest and when it grows', async () => {
    const counter = redisCounter(redis, log)
    const first = await counter.take([{ key, max: 2 }])
    expect(first).toMatchObject({ isAdmitted: true, states: [{ left: 1, growsInMs: 60_000 }] })
    expect(await counter.take([{ key, max: 2 }])).toMatchObject({ isAdmitted: true, states: [{ left: 0 }] })
    const refused = await counter.take([{ key, max: 2 }])
    expect(refused).toMatchObject({ isAdmitted: false, states: [{ left: 0 }] })
    expect(refused.states[0]?.growsInMs).toBeGreaterThan(0)
    // Exactly the rest of the first one's minute, by the clock of Redis, in microseconds.
    const [state] = refused.states
    expect(Math.round((state?.growsInMs ?? 0) * 1000)).toBe(first.at + 60_000_000 - refused.at)
    expect(await redis.lrange(`quickquote:${key}`, 0, -1)).toHaveLength(2)
  })

  it('counts a request that takes several places as a whole or not at all, and reports when it fits', async () => {
    const counter = redisCounter(redis, log)
    const wide = [{ key, max: 7, cost: 5 }]
    const taken = []
    for (let count = 0; count < 4; count += 1) taken.push(await counter.take([{ key, max: 7 }]))
    const refused = await counter.take(wide)
    expect(refused).toMatchObject({ isAdmitted: false, states: [{ left: 3 }] })
    // Five places are free once the first two have left.
    const fitsIn = Math.round((refused.states[0]?.growsInMs ?? 0) * 1000)
    expect(fitsIn).toBe((taken[1]?.at ?? 0) + 60_000_000 - refused.at)
    for (const each of taken.slice(0, 2)) await counter.giveBack([{ key, max: 7 }], each.at)
    expect(await counter.take(wide)).toMatchObject({ isAdmitted: true, states: [{ left: 0 }] })
  })

  it('gives back every place of a request', async () => {
    const counter = redisCounter(redis, log)
    const wide = [{ key, max: 7, cost: 5 }]
    const { at } = await counter.take(wide)
    expect((await counter.take(wide)).isAdmitted).toBe(false)
    await counter.giveBack(wide, at)
    expect(await counter.take(wide)).toMatchObject({ isAdmitted: true, states: [{ left: 2 }] })
  })

  it('counts in several limits or in none', async () => {
    const counter = redisCounter(redis, log)
    const limits = [
      { key: `{${key}}:all`, max: 3 },
      { key: `{${key}}:some`, max: 1 },
    ]
    expect(await counter.take(limits)).toMatchObject({ isAdmitted: true, states: [{ left: 2 }, { left: 0 }] })
    expect(await counter.take(limits)).toMatchObject({
      isAdmitted: false,
      states: [{ left: 2 }, { left: 0 }],
    })
    const others = [
      { key: `{${key}}:some`, max: 1 },
      { key: `{${key}}:unused`, max: 5 },
    ]
    expect(await counter.take(others)).toMatchObject({
      isAdmitted: false,
      states: [{ left: 0 }, { left: 5, growsInMs: 0 }],
    })
  })

  it('reports 0 left, and not less, after a limit was lowered', async () => {
    const counter = redisCounter(redis, log)
    for (let sent = 0; sent < 3; sent += 1) await counter.take([{ key, max: 3 }])
    expect(await counter.take([{ key, max: 1 }])).toMatchObject({ isAdmitted: false, states: [{ left: 0 }] })
  })

  it('gives back exactly the request counted at that time, in each limit', async () => {
    const counter = redisCounter(redis, log)
    const limits = [
      { key: `{${key}}:a`, max: 2 },
      { key: `{${key}}:b`, max: 2 },
    ]
    const { at } = await counter.take(limits)
    await counter.take(limits)
    await counter.giveBack(limits, at - 1)
    expect((await counter.take(limits)).isAdmitted).toBe(false)
    await counter.giveBack(limits, at)
    expect(await counter.take(limits)).toMatchObject({ isAdmitted: true, states: [{ left: 0 }, { left: 0 }] })
    expect((await counter.take(limits)).isAdmitted).toBe(false)
  })

  it('accepts a client that answers with digits', async () => {
    const texts = new Redis({ port: server.port, host: '127.0.0.1', stringNumbers: true })
    expect(await redisCounter(texts, log).take([{ key, max: 2 }])).toMatchObject({
      isAdmitted: true,
      states: [{ left: 1, growsInMs: 60_000 }],
    })
    texts.disconnect()
  })
})

describe('redisCounter on a client that misbehaves', () => {
  const limits = [{ key: 'k', max: 1 }]
  const answering = (answer: () => unknown): RedisClient => ({ eval: async () => answer() })

  it.each([
    ['nothing', null],
    ['a text of the right length', '1234'],
    ['too few numbers', [1, 1, 1]],
    ['too many numbers', [1, 1, 1, 1, 1]],
    ['a word among the numbers', [1, 1, 'x', 1]],
    ['null among the numbers', [1, 1, null, 1]],
  ])('that answers %s: the call rejects', async (_, answer) => {
    const counter = redisCounter(
      answering(() => answer),
      log,
    )
    await expect(counter.take(limits)).rejects.toThrow('something other than counts')
  })

  it('that throws: each call is tried and rejects, and the log has one line when it begins and one when it ends', async () => {
    const lines: string[] = []
    const { log } = fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } })
    let isBroken = true
    let asked = 0
    const client: RedisClient = {
      eval() {
        asked += 1
        if (isBroken) throw new Error('broken')
        return Promise.resolve([1, 5, 1, 60_000_000])
      },
    }
    const counter = redisCounter(client, log)
    for (let round = 0; round < 2; round += 1) {
      isBroken = true
      for (let sent = 0; sent < 3; sent += 1) await expect(counter.take(limits)).rejects.toThrow('broken')
      isBroken = false
      for (let sent = 0; sent < 3; sent += 1) {
        expect(await counter.take(limits)).toEqual({
          isAdmitted: true,
          states: [{ left: 0, growsInMs: 60_000 }],
          at: 5,
        })
      }
    }
    expect(asked).toBe(12)
    const counted = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
    const round = ['rate limits cannot be counted in Redis', 'rate limits are counted in Redis again']
    expect(counted).toEqual([...round, ...round])
  })

  it.each([
    ['is answered late', (settle: Settle) => settle.resolve(null)],
    ['fails late', (settle: Settle) => settle.reject(new Error('late'))],
  ])('nothing more is sent after an unanswered command until it %s', async (_, end) => {
    let settle: Settle | undefined
    let asked = 0
    const client: RedisClient = {
      eval() {
        asked += 1
        if (asked > 1) return Promise.resolve([1, 5, 1, 60_000_000])
        return new Promise((resolve, reject) => (settle = { resolve, reject }))
      },
    }
    const counter = redisCounter(client, log)
    await expect(counter.take(limits)).rejects.toThrow()
    await expect(counter.take(limits)).rejects.toThrow('has not responded to the previous command')
    expect(asked).toBe(1)
    if (settle !== undefined) end(settle)
    await new Promise(setImmediate)
    expect((await counter.take(limits)).isAdmitted).toBe(true)
  })

  it('a command without an answer for a minute is considered lost, and another one is tried', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    let asked = 0
    const client: RedisClient = {
      eval() {
        asked += 1
        return asked > 1 ? Promise.resolve([1, 5, 1, 60_000_000]) : new Promise(() => undefined)
      },
    }
    const counter = redisCounter(client, log)
    const first = expect(counter.take(limits)).rejects.toThrow()
    await vi.advanceTimersByTimeAsync(1000)
    await first
    vi.advanceTimersByTime(59_999)
    await expect(counter.take(limits)).rejects.toThrow('has not responded to the previous command')
    vi.advanceTimersByTime(1)
    expect((await counter.take(limits)).isAdmitted).toBe(true)
    expect(asked).toBe(2)
    vi.useRealTimers()
  })
})

interface Settle {
  resolve(answer: unknown): void
  reject(error: Error): void
}
