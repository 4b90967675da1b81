import { randomUUID } from 'node:crypto'
import { hasRedis, startRedis } from '@quickquote/dev-servers'
import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { type Host, type HostOptions, openHost } from './support/host.ts'
import { createEndpoint, startWorker, useDeliveries, WEBHOOKS, webhooksOf } from './support/webhooks.ts'

const context = useDeliveries()

const send = (host: Host, id: string, json: unknown = { event_type: 'quotation.completed' }) =>
  host.call('POST', `${WEBHOOKS}/${id}/test`, { member: 'acme-admin', json })

/**
 * No more at once, because an endpoint gets eight at a time, and each waits for its turn only as long as a request may
 * take.
 */
const AT_ONCE = 16

async function sendMany(host: Host, id: string, count: number): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  for (let left = count; left > 0; left -= AT_ONCE) {
    const answers = Array.from({ length: Math.min(left, AT_ONCE) }, () => send(host, id))
    for (const { status } of await Promise.all(answers)) statuses[status] = (statuses[status] ?? 0) + 1
  }
  return statuses
}

/** A host on the same database, with its own limits. */
const hostWith = (options: Omit<HostOptions, 'databaseUrl'>) =>
  openHost({ databaseUrl: context.databaseUrl, ...options })

const { newEndpoint, requestsTo } = context

describe('POST /:id/test', () => {
  it('is sent at most 10 times a minute to one endpoint, even concurrently; each endpoint has its own limit', async () => {
    const { id, path } = await newEndpoint()
    expect(await sendMany(context.host, id, 13)).toEqual({ 200: 10, 429: 3 })
    const { headers, body } = await send(context.host, id.toUpperCase())
    expect(body).toMatchObject({
      code: 'RATE_LIMITED',
      detail: expect.stringMatching(
        /^At most 10 tests per minute and endpoint\. Try again in \d+ seconds?\.$/,
      ),
    })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(requestsTo(path)).toHaveLength(10)
    const other = await newEndpoint()
    expect((await send(context.host, other.id)).status).toBe(200)
  })

  it('is sent as often as wanted if limits are off', async () => {
    const host = await hostWith({ integrations: { limits: { enabled: false } } })
    const { id } = await newEndpoint()
    expect(await sendMany(host, id, 13)).toEqual({ 200: 13 })
    expect(host.openapi.info.description).not.toContain('**Limits.**')
  })

  it('is sent at most 60 times a minute in one organization', async () => {
    const limits = { testsPerEndpointPerMinute: 100 }
    const host = await hostWith({ integrations: { limits } })
    const { id, path } = await newEndpoint()
    expect(await sendMany(host, id, 62)).toEqual({ 200: 60, 429: 2 })
    const refused = await send(host, id)
    expect(refused.body['detail']).toMatch(/^At most 60 tests per minute and organization\. Try/)
    expect(requestsTo(path)).toHaveLength(60)
    // Another organization has its own limit.
    const theirs = await createEndpoint(host, { url: `${context.receiver.url}/theirs` }, 'globex-admin')
    const json = { event_type: 'quotation.completed' }
    const call = { member: 'globex-admin', json } as const
    const tests = `${webhooksOf(String(theirs['organization_id']))}/${theirs.id}/test`
    expect((await host.call('POST', tests, call)).status).toBe(200)
  })

  it('does not count if it is answered with 400, 404 or 503', async () => {
    const limits = { testsPerEndpointPerMinute: 2, testsPerOrganizationPerMinute: 2 }
    const host = await hostWith({ integrations: { limits } })
    const { id } = await newEndpoint()
    const theirs = await createEndpoint(host, {}, 'globex-admin')
    for (let round = 0; round < 4; round += 1) {
      expect((await send(host, id, { event_type: 'quotation.proposal.completed' })).status).toBe(400)
      expect((await send(host, id, { event_type: 5 })).status).toBe(400)
      expect((await send(host, randomUUID())).status).toBe(404)
      expect((await send(host, theirs.id)).status).toBe(404)
    }
    expect(await sendMany(host, id, 3)).toEqual({ 200: 2, 429: 1 })
  })

  it('takes no place while it is refused with 400 or 404, even concurrently', async () => {
    const limits = { testsPerEndpointPerMinute: 2, testsPerOrganizationPerMinute: 2 }
    const host = await hostWith({ integrations: { limits } })
    const { id } = await newEndpoint()
    const refused = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0
        ? send(host, id, { event_type: 'quotation.proposal.completed' })
        : send(host, randomUUID()),
    )
    expect(await sendMany(host, id, 2)).toEqual({ 200: 2 })
    const statuses = (await Promise.all(refused)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([400, 404]))
    expect(await sendMany(host, id, 1)).toEqual({ 429: 1 })
  })

  it('does not count while no worker is running', async () => {
    await context.stopWorker()
    await context.sql`delete from quickquote.workers`
    const limits = { testsPerEndpointPerMinute: 1 }
    const host = await hostWith({ integrations: { limits } })
    const { id } = await newEndpoint()
    for (let round = 0; round < 3; round += 1) expect((await send(host, id)).status).toBe(503)
    const stop = await startWorker(host, context.receiver)
    expect([(await send(host, id)).status, (await send(host, id)).status]).toEqual([200, 429])
    await stop()
    await context.startWorker()
  })

  it.runIf(hasRedis || process.env['CI'] !== undefined)(
    'is limited, and given back, over all instances together',
    async () => {
      const server = await startRedis()
      const redis = new Redis({ port: server.port, host: '127.0.0.1' })
      const limits = { testsPerEndpointPerMinute: 4 }
      const options = { integrations: { limits }, plugin: { redis } }
      const [first, second] = [await hostWith(options), await hostWith(options)]
      const { id } = await newEndpoint()
      for (let round = 0; round < 3; round += 1) {
        expect((await send(first, id, { event_type: 5 })).status).toBe(400)
        expect((await send(second, id, { event_type: 5 })).status).toBe(400)
      }
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => send(index % 2 ? first : second, id)),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(4)
      redis.disconnect()
      await server.stop()
    },
  )
})

describe('POST /:id/check', () => {
  const check = (host: Host, id: string, json?: unknown) =>
    host.call('POST', `${WEBHOOKS}/${id}/check`, { member: 'acme-admin', json })
  const statusesOf = async (answers: readonly ReturnType<typeof check>[]) =>
    (await Promise.all(answers)).map(({ status }) => status).sort()
  const OFTEN = { testsPerOrganizationPerMinute: 1000 }
  const often = () => hostWith({ integrations: { limits: OFTEN } })

  it('counts as five tests: either all five fit, or none is sent, even concurrently', async () => {
    const host = await often()
    const { id, path } = await newEndpoint()
    expect(await statusesOf([check(host, id), check(host, id), check(host, id)])).toEqual([200, 200, 429])
    expect(requestsTo(path)).toHaveLength(8)
    const refused = await check(host, id)
    expect(refused.body).toMatchObject({
      code: 'RATE_LIMITED',
      detail: expect.stringMatching(
        /^At most 10 tests per minute and endpoint, and a check counts as 5\. Try/,
      ),
    })
    const retryAfter = Number(refused.headers.get('retry-after'))
    expect(retryAfter).toBeGreaterThan(0)
    expect(retryAfter).toBeLessThanOrEqual(60)
    expect((await send(host, id)).status).toBe(429)
    expect(requestsTo(path)).toHaveLength(8)
    const attempts = await context.sql`select from quickquote.delivery_attempts where endpoint_id = ${id}`
    expect(attempts).toHaveLength(8)
  })

  it('is refused if only four tests are left, and takes none of them', async () => {
    const host = await often()
    const { id, path } = await newEndpoint()
    expect(await sendMany(host, id, 6)).toEqual({ 200: 6 })
    expect((await check(host, id)).status).toBe(429)
    expect(requestsTo(path)).toHaveLength(6)
    expect(await sendMany(host, id, 5)).toEqual({ 200: 4, 429: 1 })
  })

  it('takes exactly the last five', async () => {
    const host = await often()
    const { id } = await newEndpoint()
    expect(await sendMany(host, id, 5)).toEqual({ 200: 5 })
    expect((await check(host, id)).status).toBe(200)
    expect((await send(host, id)).status).toBe(429)
  })

  it('counts for the organization, too', async () => {
    const limits = { testsPerOrganizationPerMinute: 9 }
    const host = await hostWith({ integrations: { limits } })
    const [one, other] = [await newEndpoint(), await newEndpoint()]
    expect((await check(host, one.id)).status).toBe(200)
    expect((await check(host, other.id)).body['detail']).toMatch(
      /^At most 9 tests per minute and organization, and a check counts as 5\. Try/,
    )
    expect(await sendMany(host, other.id, 5)).toEqual({ 200: 4, 429: 1 })
  })

  it('takes all tests of a minute if those are fewer than five', async () => {
    const host = await hostWith({ integrations: { limits: { ...OFTEN, testsPerEndpointPerMinute: 2 } } })
    const { id } = await newEndpoint()
    expect([(await check(host, id)).status, (await check(host, id)).status]).toEqual([200, 429])
    const other = await newEndpoint()
    expect([(await send(host, other.id)).status, (await check(host, other.id)).status]).toEqual([200, 429])
  })

  it('does not count if it is answered with 400, 404 or 503', async () => {
    const host = await hostWith({ integrations: { limits: { ...OFTEN, testsPerEndpointPerMinute: 5 } } })
    const { id } = await newEndpoint()
    const theirs = await createEndpoint(host, {}, 'globex-admin')
    for (let round = 0; round < 3; round += 1) {
      expect((await check(host, id, { event_type: 'quotation.proposal.completed' })).status).toBe(400)
      expect((await check(host, theirs.id)).status).toBe(404)
      expect((await check(host, randomUUID())).status).toBe(404)
    }
    await context.stopWorker()
    await context.sql`delete from quickquote.workers`
    for (let round = 0; round < 3; round += 1) expect((await check(host, id)).status).toBe(503)
    await context.startWorker()
    expect([(await check(host, id)).status, (await check(host, id)).status]).toEqual([200, 429])
  })

  it.runIf(hasRedis || process.env['CI'] !== undefined)(
    'counts exactly over all instances together',
    async () => {
      const server = await startRedis()
      const redis = new Redis({ port: server.port, host: '127.0.0.1' })
      const options = { integrations: { limits: OFTEN }, plugin: { redis } }
      const [first, second] = [await hostWith(options), await hostWith(options)]
      const { id } = await newEndpoint()
      const answers = [first, second, first, second].map((host) => check(host, id))
      expect(await statusesOf(answers)).toEqual([200, 200, 429, 429])
      const other = await newEndpoint()
      expect(await sendMany(first, other.id, 6)).toEqual({ 200: 6 })
      const refused = await check(second, other.id)
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
      expect(await sendMany(second, other.id, 5)).toEqual({ 200: 4, 429: 1 })
      redis.disconnect()
      await server.stop()
    },
  )
})
