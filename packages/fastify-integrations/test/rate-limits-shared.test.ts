import { hasRedis, type RedisServer, startRedis } from '@quickquote/testing'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FastifyIntegrationsOptions } from '../src/index.ts'
import { type Host, NOWHERE, startHost, useDatabase } from './support/host.ts'

const database = useDatabase()
const START = '/v1/integrations/quotations'
const READ = `${START}/${NOWHERE}`

/** On a developer's machine without Redis these are skipped, and say so; CI has to have it. */
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

    async function startInstance(plugin: Partial<FastifyIntegrationsOptions> = {}): Promise<Host> {
      // As a host has it that never thought about limits: commands wait for a connection to come back.
      const redis = new Redis({ port: server.port, host: '127.0.0.1' })
      redis.on('error', () => undefined)
      clients.push(redis)
      const host = await startHost({ databaseUrl: database.url, plugin: { redis, ...plugin } })
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
        Array.from({ length: 50 }, (_, index) => (index % 2 ? first : second).call('GET', READ, { key })),
      )
      expect(reads.filter(({ status }) => status === 404)).toHaveLength(46)
      expect(reads.filter(({ status }) => status === 429)).toHaveLength(4)
      const { headers } = await second.call('GET', READ, { key })
      expect(headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/)
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    })

    it('end with their minute', async () => {
      const host = await startInstance()
      const { key, id } = await host.createKey()
      await host.call('GET', READ, { key })
      const [client] = clients
      const left = await client?.pttl(`quickquote:requests:${id}`)
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThanOrEqual(60_000)
      await client?.pexpire(`quickquote:requests:${id}`, 1)
      await expect.poll(() => client?.exists(`quickquote:requests:${id}`)).toBe(0)
      expect((await host.call('GET', READ, { key })).headers.get('ratelimit')).toBe('"requests";r=59;t=60')
    })

    it('count failed authentications together', async () => {
      const [first, second] = [await startInstance(), await startInstance()]
      const statuses = []
      for (let sent = 0; sent < 32; sent += 1) {
        statuses.push((await (sent % 2 ? first : second).call('GET', READ)).status)
      }
      expect(statuses.filter((status) => status === 429)).toHaveLength(2)
    })

    it.each(['stopped', 'frozen'] as const)(
      'let everything through when Redis is %s and the host chose open',
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
      'answer 503 when Redis is %s and the host chose closed, and recover',
      async (fault) => {
        const host = await startInstance({ onLimiterError: 'closed' })
        const { key } = await host.createKey()
        await (fault === 'frozen' ? server.freeze() : server.stop())
        const { status, body } = await host.call('GET', READ, { key })
        expect(status).toBe(503)
        expect(body).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
        // Who has no key is told that.
        expect((await host.call('GET', READ)).status).toBe(401)
        if (fault === 'frozen') {
          server.thaw()
          await expect.poll(async () => (await host.call('GET', READ, { key })).status).toBe(404)
          expect(host.logs.join('')).toContain('the rate limits are counted again')
        }
      },
    )
  },
)

describe.skipIf(hasRedis || process.env['CI'] !== undefined)('Limits over several instances', () => {
  it('were not tried: redis-server is not installed', () => {
    console.log('Skipped: limits over several instances. Install redis-server to try them.')
  })
})
