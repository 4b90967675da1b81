import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import rateLimit from '@fastify/rate-limit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Answer, type Host, NOWHERE, openHost, startHost, useDatabase } from './support/host.ts'
import { hangUp, sendRaw } from './support/socket.ts'

const database = useDatabase()
const START = '/v1/integrations/quotations'
const READ = `${START}/${NOWHERE}`

/** Sends a request several times, one after the other, and counts the statuses. */
async function repeat(times: number, send: () => Promise<Answer>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (let sent = 0; sent < times; sent += 1) {
    const { status } = await send()
    counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

describe.each([
  ['in a host without its own limits', {}],
  [
    'next to the host’s own @fastify/rate-limit',
    {
      before: async (app: Host['app']) =>
        void (await app.register(rateLimit, { max: 10_000, timeWindow: 1000 })),
    },
  ],
])('Limits, %s', (_, options) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ databaseUrl: database.url, ...options })
  })
  afterAll(() => host.close())
  const json = { requirementsText: 'x' }

  it('exactly 60 requests a minute per key', async () => {
    const { key } = await host.createKey()
    expect(await repeat(65, () => host.call('GET', READ, { key }))).toEqual({ 404: 60, 429: 5 })
  })

  // Several rounds: it needs requests that are authenticated in the same turn of the event loop.
  it.each([1, 2, 3, 4, 5])('the same if they come all at once, round %i', async () => {
    const { key } = await host.createKey()
    const answers = await Promise.all(Array.from({ length: 70 }, () => host.call('GET', READ, { key })))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
    const left = answers.map(({ headers }) => Number(/r=(\d+)/.exec(String(headers.get('ratelimit')))?.[1]))
    expect(left.sort((a, b) => a - b)).toEqual([...Array(10).fill(0), ...Array(60).keys()])
  })

  it('10 quote starts a minute, in addition to the general limit: a start counts in both, a refused one in none', async () => {
    const { key } = await host.createKey()
    expect(await repeat(12, () => host.call('POST', START, { key, json }))).toEqual({ 202: 10, 429: 2 })
    expect(await repeat(52, () => host.call('GET', READ, { key }))).toEqual({ 404: 50, 429: 2 })
  })

  it('a start refused by the general limit does not count as a start', async () => {
    const { key } = await host.createKey()
    await repeat(60, () => host.call('GET', READ, { key }))
    const { status, headers, body } = await host.call('POST', START, { key, json })
    expect(status).toBe(429)
    const [, seconds] = /^"requests";r=0;t=(\d+), "starts";r=10$/.exec(headers.get('ratelimit') ?? '') ?? []
    expect(body['detail']).toBe(`At most 60 requests per minute. Try again in ${seconds} seconds.`)
    expect(headers.get('retry-after')).toBe(seconds)
  })

  it('each key has its own limits', async () => {
    const [first, second] = [await host.createKey(), await host.createKey()]
    await repeat(61, () => host.call('GET', READ, { key: first.key }))
    expect((await host.call('GET', READ, { key: first.key })).status).toBe(429)
    expect((await host.call('GET', READ, { key: second.key })).status).toBe(404)
  })

  it('every /v1/integrations/* request counts: refused bodies, unknown routes, every method', async () => {
    const { key } = await host.createKey()
    const left = async () => {
      const { headers } = await host.call('GET', READ, { key })
      return Number(/^"requests";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1])
    }
    expect(await left()).toBe(59)
    await host.call('POST', START, { key, json: {} })
    await host.call('GET', '/v1/integrations/nothing', { key })
    await host.call('GET', '/v1/integrations', { key })
    await host.call('DELETE', READ, { key })
    await host.call('HEAD', READ, { key })
    expect(await left()).toBe(53)
    const page = { Origin: 'https://partner.example.com', 'Access-Control-Request-Method': 'POST' }
    await host.call('OPTIONS', READ, { key })
    await host.call('OPTIONS', '/v1/integrations/nothing', { key })
    await host.call('OPTIONS', '/v1/integrations', { key, headers: page })
    expect(await left()).toBe(49)
    for (const method of ['PROPFIND', 'TRACE', 'REPORT', 'PURGE']) {
      const answer = await sendRaw(
        host.url,
        `${method} ${READ} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
      )
      expect([method, answer]).toEqual([
        method,
        expect.stringMatching(/^HTTP\/1.1 405 .*ratelimit: "requests"/s),
      ])
    }
    expect(await left()).toBe(44)
  })

  it('a request with a key in its URL does not count, because it is refused before authentication', async () => {
    const { key } = await host.createKey()
    expect(await repeat(70, () => host.call('GET', `${READ}?api_key=1`, { key }))).toEqual({ 400: 70 })
    expect((await host.call('GET', READ, { key })).headers.get('ratelimit')).toMatch(/^"requests";r=59;/)
  })

  it('429 carries Retry-After in whole seconds, and is a problem document', async () => {
    const { key } = await host.createKey()
    await repeat(10, () => host.call('POST', START, { key, json }))
    const { status, headers, body } = await host.call('POST', START, { key, json })
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(headers.get('retry-after')).toMatch(/^\d+$/)
    expect(body).toMatchObject({
      code: 'RATE_LIMITED',
      detail: `At most 10 starts per minute. Try again in ${headers.get('retry-after')} seconds.`,
    })
    expect(headers.get('ratelimit')).toMatch(/^"requests";r=50;t=\d+, "starts";r=0;t=\d+$/)
  })

  it('the RateLimit fields list each limit of the route', async () => {
    const { key } = await host.createKey()
    const start = await host.call('POST', START, { key, json })
    expect(start.headers.get('ratelimit-policy')).toBe('"requests";q=60;w=60, "starts";q=10;w=60')
    expect(start.headers.get('ratelimit')).toMatch(/^"requests";r=59;t=\d+, "starts";r=9;t=\d+$/)
    const read = await host.call('GET', READ, { key })
    expect(read.headers.get('ratelimit-policy')).toBe('"requests";q=60;w=60')
    expect(read.headers.get('ratelimit')).toMatch(/^"requests";r=58;t=\d+$/)
  })

  it('429 comes before validation, and after 401 and 403', async () => {
    const { key, id } = await host.createKey()
    await repeat(60, () => host.call('GET', READ, { key }))
    const broken = { key, body: '{', headers: { 'Content-Type': 'application/json' } }
    expect((await host.call('POST', START, broken)).status).toBe(429)
    expect((await host.call('GET', `${READ}?key=1`, { key })).status).toBe(400)
    await database.sql`update quickquote.api_keys set status = 'inactive' where id = ${id}`
    expect((await host.call('GET', READ, { key })).status).toBe(403)
  })

  it('session routes have no limit', async () => {
    for (let sent = 0; sent < 70; sent += 1) await host.createKey()
  })
})

describe('Limits are options', () => {
  it('of the integrations', async () => {
    const limits = { requestsPerMinute: 3, startsPerMinute: 1 }
    const host = await openHost({ databaseUrl: database.url, integrations: { limits } })
    const { key } = await host.createKey()
    const json = { requirementsText: 'x' }
    expect(await repeat(5, () => host.call('POST', START, { key, json }))).toEqual({ 202: 1, 429: 4 })
    expect((await host.call('GET', READ, { key })).headers.get('ratelimit-policy')).toBe(
      '"requests";q=3;w=60',
    )
  })
})

describe('failed authentications', () => {
  it('are limited by client address, without locking out a valid key from there', async () => {
    const host = await openHost({ databaseUrl: database.url })
    const { key, id } = await host.createKey()
    expect(await repeat(20, () => host.call('GET', READ))).toEqual({ 401: 20 })
    expect(await repeat(12, () => host.call('POST', START, { key: 'pk_junk' }))).toEqual({ 401: 10, 429: 2 })
    const refused = await host.call('GET', '/v1/integrations/nothing')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(refused.headers.get('ratelimit')).toBeNull()
    expect(refused.body).toMatchObject({ code: 'RATE_LIMITED', detail: expect.stringContaining('address') })
    // A valid key still works, and none of the failures counted for it.
    const good = await host.call('GET', READ, { key })
    expect(good.headers.get('ratelimit')).toMatch(/^"requests";r=59;/)
    // A key that may not be used is also a failure.
    await database.sql`update quickquote.api_keys set status = 'inactive' where id = ${id}`
    expect((await host.call('GET', READ, { key })).status).toBe(429)
  })

  it.each(['OPTIONS', 'PROPFIND', 'HEAD', 'PUT'])('are counted for %s requests', async (method) => {
    const host = await openHost({ databaseUrl: database.url })
    const statuses: string[] = []
    for (let sent = 0; sent < 31; sent += 1) {
      const answer = await sendRaw(
        host.url,
        `${method} ${READ} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      )
      statuses.push(answer.slice(9, 12))
    }
    expect(statuses).toEqual([...Array(30).fill('401'), '429'])
  })

  it('do not include CORS preflights, which never count', async () => {
    const host = await openHost({ databaseUrl: database.url })
    const headers = { Origin: 'https://partner.example.com', 'Access-Control-Request-Method': 'POST' }
    expect(await repeat(40, () => host.call('OPTIONS', START, { headers }))).toEqual({ 405: 40 })
    expect((await host.call('GET', READ)).status).toBe(401)
  })

  it('are counted by the address that the host trusts', async () => {
    const host = await openHost({ databaseUrl: database.url, fastify: { trustProxy: true } })
    const from = (address: string) => () =>
      host.call('GET', READ, { headers: { 'X-Forwarded-For': address } })
    expect(await repeat(31, from('192.0.2.1'))).toEqual({ 401: 30, 429: 1 })
    expect(await repeat(1, from('::ffff:192.0.2.1'))).toEqual({ 429: 1 })
    expect(await repeat(1, from('192.0.2.2'))).toEqual({ 401: 1 })
  })

  it('count an IPv6 /64 as one client', async () => {
    const host = await openHost({ databaseUrl: database.url, fastify: { trustProxy: true } })
    const from = (address: string) => () =>
      host.call('GET', READ, { headers: { 'X-Forwarded-For': address } })
    expect(await repeat(15, from('2001:db8:0:1::1'))).toEqual({ 401: 15 })
    expect(await repeat(16, from('2001:DB8:0:1:ffff::2'))).toEqual({ 401: 15, 429: 1 })
    expect(await repeat(1, from('2001:db8:0:2::1'))).toEqual({ 401: 1 })
  })

  it('are counted for all clients together without addresses: on a Unix socket', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quickquote-socket-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const host = await openHost({ databaseUrl: database.url, socketPath: join(folder, 's') })
    const { key } = await host.createKey()
    expect((await host.call('GET', READ, { key })).status).toBe(404)
    expect(await repeat(31, () => host.call('GET', READ))).toEqual({ 401: 30, 429: 1 })
    expect((await host.call('GET', READ, { key })).status).toBe(404)
  })

  it('do not affect a valid key of a client that disconnects early: no internal error', async () => {
    const limits = { requestsPerMinute: 100_000 }
    const host = await openHost({ databaseUrl: database.url, integrations: { limits } })
    const { key } = await host.createKey()
    const request = `GET ${READ} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`
    const lines = () => host.logs.map((line) => JSON.parse(line))
    // Fastify's log line of a request shows whether its client was still connected.
    const gone = () => lines().filter(({ req }) => req?.url === READ && req.remoteAddress === undefined)
    for (let round = 0; round < 500 && gone().length < 20; round += 1) {
      await Promise.all(Array.from({ length: 5 }, () => hangUp(host.url, request)))
      await hangUp(host.url, request.replace(key, 'pk_wrong'))
    }
    await host.call('GET', READ, { key })
    expect(gone().length).toBeGreaterThanOrEqual(20)
    expect(lines().filter(({ level }) => level >= 40)).toEqual([])
  })
})
