import { freePort } from '@quickquote/dev-servers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ACME, GLOBEX, type MemberName, NOWHERE } from './support/host.ts'
import {
  type CreatedEndpoint,
  createEndpoint,
  failQuote,
  useDeliveries,
  webhooksOf,
} from './support/webhooks.ts'

interface Attempt {
  readonly id: string
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: string
  readonly endpoint_id: string
  readonly quotation_id: string
  readonly attempt: number
  readonly status: string
  readonly http_status: number | null
  readonly url: string | null
  readonly created_at: string
}

/** Two attempts a delivery. */
const context = useDeliveries({ integrations: { delivery: { backoffMs: 10, maxAttempts: 2 } } })
let crm: CreatedEndpoint
let quotations: string[]
let all: Attempt[]

async function read(query: string | Record<string, string>, member: MemberName = 'acme-admin') {
  const text = typeof query === 'string' ? query : `?${new URLSearchParams(query)}`
  const path = text.startsWith('/')
    ? text
    : `${webhooksOf(member === 'acme-admin' ? ACME : GLOBEX)}/deliveries${text}`
  const { status, headers, body } = await context.host.call('GET', path, { member })
  return { status, headers, body, attempts: body as unknown as Attempt[] }
}

const attemptsAre = (count: number) =>
  vi.waitFor(
    async () => expect(await context.sql`select from quickquote.delivery_attempts`).toHaveLength(count),
    { timeout: 60_000 },
  )

beforeAll(async () => {
  const { host, receiver } = context
  const answers: Record<string, number[]> = { '/crm': [], '/flaky': [503, 204], '/bad': [500, 404] }
  const counts = new Map<string, number>()
  context.respond(({ path, headers }) => {
    const delivery = `${path} ${headers['x-service-event-id']}`
    counts.set(delivery, (counts.get(delivery) ?? 0) + 1)
    return { status: answers[path]?.[(counts.get(delivery) ?? 1) - 1] ?? 204 }
  })
  crm = await createEndpoint(host, { url: `${receiver.url}/crm` })
  await createEndpoint(host, { url: `${receiver.url}/flaky` })
  await createEndpoint(host, { url: `${receiver.url}/bad` })
  await createEndpoint(host, { url: `https://127.0.0.1:${await freePort()}/` })
  await createEndpoint(host, { url: `${receiver.url}/crm` }, 'globex-admin')
  quotations = [await failQuote(host, 'one'), await failQuote(host, 'two')]
  await failQuote(host, 'theirs', 'globex-admin')
  // Of each quote one at /crm, and two at the others.
  await attemptsAre(2 * 7 + 1)
  all = (await read('?limit=100')).attempts
  expect(all).toHaveLength(14)
})

describe('GET /deliveries', () => {
  it('combines all filters: each list is what the filters leave of the whole', async () => {
    const last = new Map<string, number>()
    for (const { delivery_id, attempt } of all)
      last.set(delivery_id, Math.max(attempt, last.get(delivery_id) ?? 0))
    const some = all.find(({ endpoint_id, attempt }) => endpoint_id !== crm.id && attempt === 2)
    const statuses: Record<string, (status: number | null) => boolean> = {
      '404': (status) => status === 404,
      '5xx': (status) => status !== null && status >= 500,
      '2xx': (status) => status !== null && status < 300,
      none: (status) => status === null,
    }
    const filters: [string, string[], (attempt: Attempt, value: string) => boolean][] = [
      ['attempts', ['latest'], ({ delivery_id, attempt }) => last.get(delivery_id) === attempt],
      [
        'http_status',
        Object.keys(statuses),
        ({ http_status }, value) => statuses[value]?.(http_status) === true,
      ],
      ['quotation_id', [quotations[0] ?? ''], ({ quotation_id }, value) => quotation_id === value],
      ['event_id', [some?.event_id ?? ''], ({ event_id }, value) => event_id === value],
      ['status', ['failed', 'exhausted'], ({ status }, value) => status === value],
      ['endpoint_id', [some?.endpoint_id ?? ''], ({ endpoint_id }, value) => endpoint_id === value],
    ]
    let combinations: { query: Record<string, string>; left: Attempt[] }[] = [{ query: {}, left: all }]
    for (const [name, values, keeps] of filters) {
      combinations = combinations.flatMap(({ query, left }) => [
        { query, left },
        ...values.map((value) => ({
          query: { ...query, [name]: value },
          left: left.filter((attempt) => keeps(attempt, value)),
        })),
      ])
    }
    expect(combinations.length).toBe(240)
    for (const { query, left } of combinations) {
      const { attempts } = await read(query)
      expect([query, attempts.map(({ id }) => id)]).toEqual([query, left.map(({ id }) => id)])
    }
  })

  it('applies the other filters to the newest attempt of a delivery, with attempts=latest', async () => {
    expect((await read('?http_status=503')).attempts).toHaveLength(2)
    expect((await read('?http_status=503&attempts=latest')).attempts).toEqual([])
    expect((await read('?attempts=latest')).attempts).toHaveLength(8)
    expect((await read('?attempts=all')).attempts).toEqual(all)
  })

  it('returns each row once while attempts arrive', async () => {
    for (const query of ['attempts=latest', `quotation_id=${quotations[1]}`, 'http_status=5xx']) {
      const { attempts: before } = await read(`?limit=100&${query}`)
      const seen: string[] = []
      let next: string | undefined = `?limit=2&${query}`
      while (next !== undefined) {
        const { headers, attempts } = await read(next)
        seen.push(...attempts.map(({ id }) => id))
        next = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
        const [{ count } = { count: 0 }] = await context.sql<{ count: number }[]>`
          select count(*)::int as count from quickquote.delivery_attempts`
        await failQuote(context.host, 'meanwhile')
        await attemptsAre(count + 7)
      }
      expect(seen).toEqual(before.map(({ id }) => id))
    }
  })

  it('lists nothing for a quotation or an event of another organization, as for an unknown one', async () => {
    const [theirs] = (await read('', 'globex-admin')).attempts
    expect((await read(`?event_id=${theirs?.event_id}`, 'globex-admin')).attempts).toHaveLength(1)
    for (const query of [
      `quotation_id=${theirs?.quotation_id}`,
      `quotation_id=${NOWHERE}`,
      `event_id=${theirs?.event_id}`,
      `event_id=evt_${NOWHERE}`,
      `event_id=${theirs?.event_id}&quotation_id=${quotations[0]}`,
    ]) {
      const { status, attempts } = await read(`?${query}`)
      expect([query, status, attempts]).toEqual([query, 200, []])
    }
  })

  it.each([
    ...['5XX', '99', '600', '6xx', '0404', '404.0', 'None', '', '40x'].map((value) => ['http_status', value]),
    ['attempts', 'newest'],
    ['event_id', NOWHERE],
    ['event_id', 'evt_1'],
    ['quotation_id', 'one'],
  ])('refuses %s=%s with 400', async (name = '', value = '') => {
    const { status, body } = await read({ [name]: value })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer: `?${name}` }] })
  })

  it('keeps the filters in the link to the next page', async () => {
    const { headers } = await read('?limit=1&attempts=latest&http_status=2xx')
    expect(headers.get('link')).toMatch(/attempts=latest&http_status=2xx&cursor=/)
  })

  it('finds the attempts of a quotation whose events are no longer kept', async () => {
    const [id = ''] = quotations
    const { attempts } = await read(`?quotation_id=${id}`)
    await context.sql`delete from quickquote.events where quotation_id = ${id}`
    expect((await read(`?quotation_id=${id}`)).attempts).toEqual(attempts)
  })
})

describe('GET /deliveries of many attempts', () => {
  it('answers with an empty page and a link to the next one, until it finds what is rare', async () => {
    const { sql } = context
    // Earlier ones that succeeded, at another endpoint. In parts: each adds to the row of its hour, which takes quadratic time
    // within a transaction.
    for (let n = 1; n < 25_000; n += 500) {
      await sql.unsafe(`
        insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
          attempt, status, http_status, is_test, created_at)
        select gen_random_uuid(), gen_random_uuid(), '${ACME}', '${crm.id}', gen_random_uuid(),
          'quotation.failed', 1, 'succeeded', case n when 25000 then 207 else 200 end, false,
          now() - interval '1 hour' - n * interval '1 second'
        from generate_series(${n}, ${n + 499}) n`)
    }
    const pages: number[] = []
    let next: string | undefined = '?http_status=207&attempts=latest'
    while (next !== undefined) {
      const { headers, attempts } = await read(next)
      pages.push(attempts.length)
      next = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(pages).toEqual([0, 0, 0, 1])
  })
})

describe('The URL of an attempt', () => {
  it('is the one it was sent to, without its query, whatever the endpoint changes to later', async () => {
    const { host, receiver } = context
    const change = (id: string, method: string, json?: object) =>
      host.call(method, `${webhooksOf(ACME)}/${id}`, { member: 'acme-admin', json })
    const { id } = await createEndpoint(host, { url: `${receiver.url}/first?token=1` })
    const urls = async () =>
      (await read(`?endpoint_id=${id}&status=succeeded`)).attempts.map(({ url }) =>
        url?.replace(receiver.url, ''),
      )
    const send = async (before: number) => {
      await failQuote(host, 'x')
      await vi.waitFor(async () => expect(await urls()).toHaveLength(before + 1), { timeout: 60_000 })
    }
    await send(0)
    // Other changes give the endpoint a version, too.
    await change(id, 'PATCH', { name: 'Renamed' })
    await send(1)
    await change(id, 'PATCH', { url: `${receiver.url}/second?token=2` })
    await change(id, 'PATCH', { url: `${receiver.url}/second?token=3` })
    await send(2)
    await change(id, 'PATCH', { url: `${receiver.url}/third` })
    expect(await urls()).toEqual(['/second', '/first', '/first'])
    await send(3)
    await change(id, 'DELETE')
    expect(await urls()).toEqual(['/third', '/second', '/first', '/first'])
    const [newest] = (await read(`?endpoint_id=${id}`)).attempts
    const { body } = await read(`${webhooksOf(ACME)}/deliveries/${newest?.delivery_id}`)
    expect(body).toMatchObject({ attempts: [{ url: `${receiver.url}/third` }] })
  })
})

describe('A resend', () => {
  it('is named by both deliveries: the newest one as resent_as', async () => {
    const { host } = context
    const delivery = (id: unknown) => read(`${webhooksOf(ACME)}/deliveries/${id}`)
    const resend = async (id: unknown) =>
      (await host.call('POST', `${webhooksOf(ACME)}/deliveries/${id}/resend`, { member: 'acme-admin' })).body
    const first = all.find(({ endpoint_id }) => endpoint_id === crm.id)?.delivery_id
    expect((await delivery(first)).body).toMatchObject({ resent_as: null, resent_from: null })
    const second = await resend(first)
    expect(second).toMatchObject({ resent_as: null, resent_from: first })
    expect((await delivery(first)).body).toMatchObject({ resent_as: second['id'], resent_from: null })
    const third = await resend(first)
    expect((await delivery(first)).body).toMatchObject({ resent_as: third['id'], resent_from: null })
    expect((await delivery(second['id'])).body).toMatchObject({ resent_as: null, resent_from: first })
    const fourth = await resend(third['id'])
    expect((await delivery(third['id'])).body).toMatchObject({ resent_as: fourth['id'], resent_from: first })
    expect((await delivery(String(fourth['id']).toUpperCase())).body).toMatchObject({
      resent_from: third['id'],
    })
  })
})

describe('external_id', () => {
  it('finds the events of the quotes with an external ID, and combines it too', async () => {
    const start = async (member: MemberName, external_id: string) => {
      const { key } = await context.host.createKey(member)
      return context.host.startQuotation(key, { requirementsText: 'Customers see invoices.', external_id })
    }
    const [first, second] = [await start('acme-admin', 'deal-7'), await start('acme-admin', 'deal-7')]
    const theirs = await start('globex-admin', 'deal-8')
    const before = (await context.sql`select from quickquote.delivery_attempts`).length
    for (const id of [first, second, theirs]) {
      await context.host.integrations.pipeline(id).failed({ errorCode: 'MODEL_TIMEOUT' })
    }
    await attemptsAre(before + 7 + 7 + 1)
    const found = async (query: string) =>
      (await read(query)).attempts.map(({ quotation_id }) => quotation_id)
    expect(new Set(await found('?external_id=deal-7'))).toEqual(new Set([first, second]))
    expect(new Set(await found(`?external_id=deal-7&quotation_id=${second}`))).toEqual(new Set([second]))
    expect(await found(`?external_id=deal-7&endpoint_id=${crm.id}`)).toHaveLength(2)
    expect(await found('?external_id=deal-8')).toEqual([])
    expect(await found(`?external_id=deal-7&quotation_id=${quotations[0]}`)).toEqual([])
    expect((await read(`?external_id=${'x'.repeat(201)}`)).status).toBe(400)
  })
})
