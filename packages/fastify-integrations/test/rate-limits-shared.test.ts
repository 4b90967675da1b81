import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Limits } from '@quickquote/core'
import { hasRedis, type RedisServer, startRedis } from '@quickquote/dev-servers'
import { Redis } from 'ioredis'
import { Redis as Redis6 } from 'ioredis-6'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FastifyIntegrationsOptions } from '../src/index.ts'
import { type Host, NOWHERE, openHost, startHost, useDatabase } from './support/host.ts'

const database = useDatabase()
const START = '/v1/integrations/quotations'
const READ = `${START}/${NOWHERE}`

/** A developer's machine without Redis skips these; CI must have it. */
describe.runIf(hasRedis || process.env['CI'] !== undefined)(
  'Limits over several instances (redis-server)',
  () => {
    let server: RedisServer
    let hosts: Host[]
    let clients: Redis[]

    beforeEach(async () => {
      server = await startRedis()
      hosts = []
      clients = []
    })
    afterEach(async () => {
      server.thaw()
      for (const host of hosts) await host.close()
      for (const client of clients) client.disconnect()
      await server.stop()
    })

    async function startInstance(
      plugin: Partial<FastifyIntegrationsOptions> = {},
      limits: Partial<Limits> = {},
    ): Promise<Host> {
      // Like a host with default settings: commands wait for the connection to recover.
      const address = { port: server.port, host: '127.0.0.1' }
      // Both versions of ioredis that hosts may have.
      const redis = hosts.length === 1 ? new Redis6(address) : new Redis(address)
      const client = redis as unknown as Redis
      client.on('error', () => undefined)
      clients.push(client)
      const host = await startHost({
        databaseUrl: database.url,
        plugin: { redis, ...plugin },
        integrations: { limits },
      })
      hosts.push(host)
      return host
    }

    it('are exact: 60 requests and 10 starts in all', async () => {
      const [first, second] = [await startInstance(), await startInstance()]
      const { key } = await first.createKey()
      const starts = await Promise.all(
        Array.from({ length: 14 }, (_, index) =>
          (index % 2 ? first : second).call('POST', START, { key, json: { requirementsText: 'x' } }),
        ),
      )
      expect(starts.filter(({ status }) => status === 202)).toHaveLength(10)
      expect(starts.filter(({ status }) => status === 429)).toHaveLength(4)
      const reads = await Promise.all(
        Array.from({ length: 54 }, (_, index) => (index % 2 ? first : second).call('GET', READ, { key })),
      )
      expect(reads.filter(({ status }) => status === 404)).toHaveLength(50)
      expect(reads.filter(({ status }) => status === 429)).toHaveLength(4)
      const { headers } = await second.call('GET', READ, { key })
      expect(headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/)
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    })

    /** Makes everything counted this much older. */
    async function age(pattern: string, seconds: number): Promise<void> {
      const [redis] = clients
      for (const key of (await redis?.keys(pattern)) ?? []) {
        for (const [index, time] of ((await redis?.lrange(key, 0, -1)) ?? []).entries()) {
          await redis?.lset(key, index, String(Number(time) - seconds * 1_000_000))
        }
      }
    }

    it('hold for any 60 seconds: each request makes room once it is a minute old', async () => {
      const limits = { requestsPerMinute: 10 }
      const [first, second] = [await startInstance({}, limits), await startInstance({}, limits)]
      const { key } = await first.createKey()
      const read = async (times: number) => {
        const answers = await Promise.all(
          Array.from({ length: times }, (_, index) =>
            (index % 2 ? first : second).call('GET', READ, { key }),
          ),
        )
        return answers.filter(({ status }) => status === 404).length
      }
      expect(await read(9)).toBe(9)
      // At the edge of a minute: fixed windows would accept 19.
      await age('*', 30)
      expect(await read(10)).toBe(1)
      const { headers } = await first.call('GET', READ, { key })
      const [, seconds] = /^"requests";r=0;t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? []
      expect(Number(seconds)).toBeLessThanOrEqual(30)
      expect(headers.get('retry-after')).toBe(seconds)
      await age('*', 30)
      expect(await read(12)).toBe(9)
    })

    it('are kept for a minute, under the id of the key, and together on one node of a cluster', async () => {
      const host = await startInstance()
      const { key, id } = await host.createKey()
      await host.call('POST', START, { key, json: { requirementsText: 'x' } })
      const [redis] = clients
      const keys = (await redis?.keys('*'))?.sort()
      expect(keys).toEqual([`quickquote:requests:{${id}}`, `quickquote:starts:{${id}}`])
      for (const each of keys ?? []) {
        const left = await redis?.pttl(each)
        expect(left).toBeGreaterThan(0)
        expect(left).toBeLessThanOrEqual(60_000)
      }
      // A refused request does not extend it.
      await redis?.pexpire(`quickquote:starts:{${id}}`, 1)
      await expect.poll(() => redis?.exists(`quickquote:starts:{${id}}`)).toBe(0)
      expect((await host.call('GET', READ, { key })).headers.get('ratelimit')).toMatch(
        /^"requests";r=58;t=\d+$/,
      )
    })

    it.each([
      ['a moment', 30, 'stand still until the newest request is past'],
      ['an hour', 3600, 'begin anew'],
    ])('survive a clock of Redis that is set back by %s', async (_, seconds) => {
      const host = await startInstance()
      const { key } = await host.createKey()
      expect((await host.call('GET', READ, { key })).status).toBe(404)
      await age('*', -seconds)
      const left = (await host.call('GET', READ, { key })).headers.get('ratelimit')
      expect(left).toMatch(seconds < 60 ? /^"requests";r=58;t=60$/ : /^"requests";r=59;t=60$/)
    })

    it('count failed authentications together', async () => {
      const [first, second] = [await startInstance(), await startInstance()]
      const statuses = []
      for (let sent = 0; sent < 32; sent += 1) {
        statuses.push((await (sent % 2 ? first : second).call('GET', READ)).status)
      }
      expect(statuses.filter((status) => status === 429)).toHaveLength(2)
    })

    it('send a frozen Redis one command at a time, answer at once meanwhile, and count again once it resumes', async () => {
      const host = await startInstance()
      const [redis] = clients
      const { key } = await host.createKey()
      expect((await host.call('GET', READ, { key })).headers.get('ratelimit')).not.toBeNull()
      server.freeze()
      const unanswered = () => (redis === undefined ? Number.NaN : pendingOf(redis))
      // The first one waits a second.
      expect((await host.call('GET', READ, { key })).status).toBe(404)
      expect(unanswered()).toBe(1)
      for (let sent = 0; sent < 40; sent += 1) {
        expect((await host.call('GET', READ, { key })).headers.get('ratelimit')).toBeNull()
      }
      expect(unanswered()).toBe(1)
      expect(host.logs.filter((line) => line.includes('cannot be counted'))).toHaveLength(1)
      server.thaw()
      await expect
        .poll(async () => (await host.call('GET', READ, { key })).headers.get('ratelimit'))
        .not.toBeNull()
      expect(unanswered()).toBe(0)
      expect(host.logs.filter((line) => line.includes('counted in Redis again'))).toHaveLength(1)
    })

    it.each(['stopped', 'frozen'] as const)(
      'accept everything while Redis is %s and the host chose open',
      async (fault) => {
        const host = await startInstance()
        const { key } = await host.createKey()
        expect((await host.call('GET', READ, { key })).status).toBe(404)
        await (fault === 'frozen' ? server.freeze() : server.stop())
        const answer = await host.call('POST', START, { key, json: { requirementsText: 'x' } })
        expect(answer.status).toBe(202)
        expect(answer.headers.get('ratelimit')).toBeNull()
        expect(answer.headers.get('ratelimit-policy')).toBe('"requests";q=60;w=60, "starts";q=10;w=60')
        expect((await host.call('GET', READ)).status).toBe(401)
        expect(host.logs.filter((line) => line.includes('cannot be counted')).length).toBeGreaterThan(0)
      },
    )

    it.each(['stopped', 'frozen'] as const)(
      'answer 503 while Redis is %s and the host chose closed, and recover',
      async (fault) => {
        const host = await startInstance({ onLimiterError: 'closed' })
        const { key } = await host.createKey()
        await (fault === 'frozen' ? server.freeze() : server.stop())
        const { status, body } = await host.call('GET', READ, { key })
        expect(status).toBe(503)
        expect(body).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
        // A request without a key still gets its 401.
        expect((await host.call('GET', READ)).status).toBe(401)
        if (fault === 'frozen') {
          server.thaw()
          await expect.poll(async () => (await host.call('GET', READ, { key })).status).toBe(404)
          expect(host.logs.join('')).toContain('rate limits are counted in Redis again')
        }
      },
    )
  },
)

/** Unanswered commands that the client has kept. */
function pendingOf(redis: Redis): number {
  const { commandQueue, offlineQueue } = redis as unknown as Record<string, { length: number } | undefined>
  return (commandQueue?.length ?? 0) + (offlineQueue?.length ?? 0)
}

describe('Limits on something other than Redis', () => {
  let answer: string | null = null
  let fake: Server
  let redis: Redis
  let asked = 0

  beforeEach(async () => {
    asked = 0
    fake = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (data) => {
        asked += data.toString('latin1').split('eval\r\n').length - 1
        if (answer !== null) socket.write(answer)
      })
    }).listen(0, '127.0.0.1')
    await once(fake, 'listening')
    const { port } = fake.address() as AddressInfo
    redis = new Redis({ port, host: '127.0.0.1', enableReadyCheck: false, disableClientInfo: true })
    redis.on('error', () => undefined)
  })
  afterEach(async () => {
    redis.disconnect()
    fake.close()
  })

  it.each([
    ['open', 404, 401],
    ['closed', 503, 401],
  ] as const)(
    'that accepts and never responds: one request waits, the others follow onLimiterError %s at once',
    async (onLimiterError, withKey, without) => {
      answer = null
      const host = await openHost({ databaseUrl: database.url, plugin: { redis, onLimiterError } })
      const { key } = await host.createKey()
      expect((await host.call('GET', READ, { key })).status).toBe(withKey)
      for (let round = 0; round < 20; round += 1) {
        const answers = await Promise.all(
          Array.from({ length: 10 }, async (_, index) =>
            host.call('GET', READ, index % 2 === 0 ? { key } : {}).then(({ status }) => status),
          ),
        )
        expect(new Set(answers)).toEqual(new Set([withKey, without]))
      }
      expect([asked, pendingOf(redis)]).toEqual([1, 1])
    },
  )

  it.each([
    ['nil', '$-1\r\n'],
    ['an empty list', '*0\r\n'],
    ['words', '+OK\r\n'],
    ['a list with nil in it', '*4\r\n:1\r\n:1\r\n$-1\r\n:1\r\n'],
    ['an error', '-BUSY Redis is busy running a script\r\n'],
  ])('that answers %s: requests follow onLimiterError, and no rejection is unhandled', async (_, text) => {
    answer = text
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    const host = await openHost({ databaseUrl: database.url, plugin: { redis } })
    const { key } = await host.createKey()
    for (let sent = 0; sent < 3; sent += 1) {
      expect((await host.call('GET', READ, { key })).status).toBe(404)
      expect((await host.call('GET', READ)).status).toBe(401)
    }
    expect(asked).toBe(6)
    expect(host.logs.filter((line) => line.includes('cannot be counted'))).toHaveLength(1)
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
})

describe.skipIf(hasRedis || process.env['CI'] !== undefined)('Limits over several instances', () => {
  it('are not tested: redis-server is not installed', () => {
    console.log('Skipped: limits over several instances. Install redis-server to try them.')
  })
})
