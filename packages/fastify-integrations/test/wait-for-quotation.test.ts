import { beforeAll, describe, expect, it } from 'vitest'
import { ACME, type Host, NOWHERE, openHost, useDatabase, useHost } from './support/host.ts'

const context = useHost({ integrations: { limits: { requestsPerMinute: 10_000, startsPerMinute: 10_000 } } })
const database = useDatabase()
let key: string

beforeAll(async () => {
  key = (await context.host.createKey()).key
})

const pathOf = (id: string) => `/v1/integrations/quotations/${id}`

async function read(id: string, query = '', { by = key, host = context.host, method = 'GET' } = {}) {
  const begun = performance.now()
  const { status, headers, body } = await host.call(method, pathOf(id) + query, { key: by })
  return { status, headers, body, ms: performance.now() - begun }
}

/** A quote whose first step is running. */
async function running(host = context.host) {
  const quote = { organizationId: ACME, source: 'api_key', body: { requirementsText: 'x' } } as const
  const { quotation_id: id } = await host.integrations.quotations.start(quote)
  const report = host.integrations.pipeline(id)
  await report.stepStarted('requirement_analysis')
  const { updated_at } = await host.integrations.quotations.get(ACME, id)
  return { id, report, since: updated_at.toISOString() }
}

/** Requests of one key that wait for a quote: another of that key was answered at once. */
async function waiting(host: Host, id: string, count: number) {
  const created = await host.createKey()
  const answers: [number, unknown][] = []
  const all = Array.from({ length: count + 1 }, async () => {
    const { status, body } = await read(id, '?wait=20', { by: created.key, host })
    answers.push([status, body['code'] ?? body['processed_step']])
  })
  await expect.poll(() => answers).toEqual([[200, 'none']])
  return {
    id: created.id,
    async answers() {
      await Promise.all(all)
      return answers.slice(1)
    },
  }
}

/** Far from the end of the wait, also on a slow machine. */
const AT_ONCE_MS = 10_000

describe('GET /v1/integrations/quotations/:id?wait', () => {
  it('answers as soon as the quote changes, with the body of every summary', async () => {
    const { id, report } = await running()
    const five = await waiting(context.host, id, 5)
    await report.stepCompleted('requirement_analysis')
    expect(await five.answers()).toEqual(Array(5).fill([200, 'requirement_analysis']))
    const { body, ms } = await read(id, '?wait=1')
    expect(body).toEqual((await read(id)).body)
    expect(ms).toBeGreaterThan(900)
  })

  it('answers at once if the quote has changed since `since`, which is compared as an instant', async () => {
    const { id, report, since } = await running()
    const local = `${new Date(Date.parse(since) + 5.5 * 3_600_000).toISOString().slice(0, -1)}%2B05:30`
    expect((await read(id, `?wait=1&since=${local}`)).ms).toBeGreaterThan(900)
    await report.stepCompleted('requirement_analysis')
    const changed = await read(id, `?wait=20&since=${local}`)
    expect(changed.ms).toBeLessThan(AT_ONCE_MS)
    expect(changed.body).toMatchObject({ processed_step: 'requirement_analysis' })
    expect((await read(id, '?wait=20&since=2020-01-01T00:00:00Z')).ms).toBeLessThan(AT_ONCE_MS)
    expect((await read(id, '?wait=20&since=2120-01-01T00:00:00Z')).ms).toBeLessThan(AT_ONCE_MS)
  })

  it('answers at once if the quote has ended', async () => {
    const { id, report } = await running()
    await report.failed()
    const { updated_at } = await context.host.integrations.quotations.get(ACME, id)
    const ended = await read(id, `?wait=20&since=${updated_at.toISOString()}`)
    expect(ended.ms).toBeLessThan(AT_ONCE_MS)
    expect(ended.body).toMatchObject({ status: 'failed' })
  })

  it('answers with `until=end` when the quote has ended, not at each step, and when the time is over', async () => {
    const { id, report, since } = await running()
    const over = await read(id, '?wait=1&until=end&since=2020-01-01T00:00:00Z')
    expect([over.body['status'], over.ms > 900]).toEqual(['running', true])

    const { key: by } = await context.host.createKey()
    let answered = false
    const end = read(id, `?wait=20&until=end&since=${since}`, { by }).finally(() => {
      answered = true
    })
    let known = since
    for (const step of ['requirement_analysis', 'functional_specification'] as const) {
      await report.stepCompleted(step)
      const { body } = await read(id, `?wait=20&since=${known}`)
      expect([body['processed_step'], answered]).toEqual([step, false])
      known = String(body['updated_at'])
    }
    await report.failed()
    expect((await end).body).toMatchObject({ status: 'failed' })
    expect((await read(id, '?wait=20&until=end')).ms).toBeLessThan(AT_ONCE_MS)
  })

  it('answers with `until=change` as without it', async () => {
    const { id, report, since } = await running()
    const changed = read(id, `?wait=20&until=change&since=${since}`)
    await report.stepCompleted('requirement_analysis')
    expect((await changed).body).toMatchObject({ processed_step: 'requirement_analysis' })
  })

  it('misses no change, even if several happen in one millisecond', async () => {
    const now = new Date()
    const host = await openHost({ databaseUrl: database.url, integrations: { now: () => now } })
    const { key: by } = await host.createKey()
    const { id, report, since } = await running(host)
    await report.stepCompleted('requirement_analysis')
    const first = await read(id, `?wait=20&since=${since}`, { by, host })
    expect(first.ms).toBeLessThan(AT_ONCE_MS)
    await report.stepStarted('functional_specification')
    await report.stepCompleted('functional_specification')
    const { body, ms } = await read(id, `?wait=20&since=${first.body['updated_at']}`, { by, host })
    expect(ms).toBeLessThan(AT_ONCE_MS)
    expect(body).toMatchObject({ processed_step: 'functional_specification' })
  })

  it.each([
    ['?wait', 'wait=21'],
    ['?wait', 'wait=-1'],
    ['?wait', 'wait=0.5'],
    ['?wait', 'wait=0x10'],
    ['?wait', 'wait=99999999999999999999'],
    ['?wait', 'wait='],
    ['?wait', 'wait=1&wait=2'],
    ['?until', 'wait=20&until=ended'],
    ['?until', 'until='],
    ['?since', 'wait=0&since=yesterday'],
    ['?since', 'since=2026-11-21'],
    ['?since', 'since='],
  ])('refuses %s: %s, before it looks for the quote', async (pointer, query) => {
    const { status, body } = await read(NOWHERE, `?${query}`)
    expect([status, body['code'], body['errors']]).toMatchObject([400, 'VALIDATION_FAILED', [{ pointer }]])
  })

  it('answers at once without `wait`, and ignores other parameters', async () => {
    const { id, since } = await running()
    for (const query of [`?since=${since}`, `?wait=0&since=${since}`, '?Wait=20&organization_id=1']) {
      const { status, ms } = await read(id, query)
      expect([status, ms < AT_ONCE_MS]).toEqual([200, true])
    }
  })

  it('waits for HEAD, too, and counts once', async () => {
    const { key: by } = await context.host.createKey()
    const { id } = await running()
    const { status, headers, ms } = await read(id, '?wait=1', { by, method: 'HEAD' })
    expect([status, ms > 900]).toEqual([200, true])
    expect(headers.get('ratelimit')).toContain('r=9999')
    expect((await read(id, '', { by })).headers.get('ratelimit')).toContain('r=9998')
  })

  it('answers 403 for a quote of another organization and 404 for an unknown one, without a wait', async () => {
    const { key: by } = await context.host.createKey('globex-admin')
    const { id } = await running()
    expect(await read(id, '?wait=20', { by })).toMatchObject({ status: 403, ms: expect.toSatisfy(isAtOnce) })
    expect(await read(NOWHERE, '?wait=20')).toMatchObject({ status: 404, ms: expect.toSatisfy(isAtOnce) })
  })

  it('answers 404 as soon as the quote is erased', async () => {
    const { id } = await running()
    const one = await waiting(context.host, id, 5)
    await context.host.integrations.quotations.erase(ACME, id)
    expect(await one.answers()).toEqual(Array(5).fill([404, 'QUOTATION_NOT_FOUND']))
  })

  it('shares its places with the waits for events', async () => {
    const host = await openHost({
      databaseUrl: database.url,
      integrations: { limits: { eventWaitsPerApiKey: 1, requestsPerMinute: 1000 } },
    })
    const { key: by } = await host.createKey()
    const { id } = await running(host)
    const { headers } = await host.call('GET', '/v1/integrations/events?after=latest', { key: by })
    const next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1]
    let answered = 0
    const feed = [1, 2].map(async () => {
      const { body } = await host.call('GET', `${next}&wait=20`, { key: by })
      answered += 1
      return body
    })
    // The other one waits.
    await expect.poll(() => answered).toBe(1)
    expect((await read(id, '?wait=20', { by, host })).ms).toBeLessThan(AT_ONCE_MS)
    expect(answered).toBe(1)
    await host.close()
    expect(await Promise.all(feed)).toEqual([[], []])
  })

  it("answers at once if the host's own quotations do not say when they change", async () => {
    const host = await openHost({
      databaseUrl: database.url,
      wrapStorage: (storage) => ({
        ...storage,
        quotations: { ...storage.quotations, findChanged: undefined },
      }),
    })
    const { key: by } = await host.createKey()
    const { id } = await running(host)
    expect((await read(id, '?wait=20', { by, host })).ms).toBeLessThan(AT_ONCE_MS)
    expect(await read(id, '?wait=21', { by, host })).toMatchObject({ status: 400 })
  })

  it('answers 403 instead of a change to a key that was revoked meanwhile', async () => {
    const { id, report } = await running()
    const five = await waiting(context.host, id, 5)
    await context.host.call('DELETE', `/v1/organizations/${ACME}/api-keys/${five.id}`, {
      member: 'acme-admin',
    })
    await report.stepCompleted('requirement_analysis')
    expect(await five.answers()).toEqual(Array(5).fill([403, 'API_KEY_REVOKED']))
  })

  it('lets a hundred requests wait without a database connection, and answers them when the server closes', async () => {
    const host = await openHost({
      databaseUrl: database.url,
      integrations: { limits: { requestsPerMinute: 10_000, eventWaitsPerApiKey: 100 } },
    })
    const { id } = await running(host)
    const hundred = await waiting(host, id, 100)
    const { key: by } = await host.createKey()
    const other = await running(host)
    const changed = read(other.id, '?wait=20', { by, host })
    await other.report.stepCompleted('requirement_analysis')
    expect((await changed).body).toMatchObject({ processed_step: 'requirement_analysis' })
    await host.close()
    expect(await hundred.answers()).toEqual(Array(100).fill([200, 'none']))
  })
})

const isAtOnce = (ms: number) => ms < AT_ONCE_MS
