import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { ACME, type CallOptions, GLOBEX, useHost } from './support/host.ts'

const PATH = '/v1/integrations/quotations'
const context = useHost({ integrations: { limits: { requestsPerMinute: 10_000, startsPerMinute: 10_000 } } })
let acmeKey: string
let globexKey: string

beforeAll(async () => {
  acmeKey = (await context.host.createKey('acme-admin')).key
  globexKey = (await context.host.createKey('globex-admin')).key
})

async function list(query: string, options: CallOptions = { key: acmeKey }) {
  const { status, headers, body } = await context.host.call('GET', PATH + query, options)
  const next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null
  return { status, body, next: next?.slice(next.indexOf('?')) ?? null, items: itemsOf(body) }
}

const itemsOf = (body: unknown) => (Array.isArray(body) ? (body as Record<string, unknown>[]) : [])

/** Every page, from the first to the last. */
async function all(query: string): Promise<string[]> {
  const ids: string[] = []
  for (let next: string | null = query; next !== null; ) {
    const page: Awaited<ReturnType<typeof list>> = await list(next)
    expect(page.status).toBe(200)
    ids.push(...page.items.map(({ id }) => String(id)))
    next = page.next
  }
  return ids
}

async function startUi(organizationId: string): Promise<string> {
  const quote = { organizationId, source: 'ui', body: { requirementsText: 'x' } } as const
  return (await context.host.integrations.quotations.start(quote)).quotation_id
}

/** Starts quotes a moment apart. @returns newest first */
async function startSome(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let started = 0; started < count; started += 1) {
    ids.unshift(
      started % 2 === 0 ? await context.host.startQuotation(acmeKey) : await startUi(ACME.toUpperCase()),
    )
    await sleep(2)
  }
  return ids
}

describe('GET /v1/integrations/quotations', () => {
  it('lists the summaries of the organization’s quotes, newest first', async () => {
    const metadata = { deal: { id: 'D-1042', value: 1.1 }, tags: ['a', null, -0, 1e21], '': true }
    const json = { name: 'Portal', requirementsText: 'Invoices.', metadata }
    const { body } = await context.host.call('POST', PATH, { key: acmeKey, json })
    const { items } = await list('?limit=1')
    const summary = await context.host.call('GET', `${PATH}/${body['quotation_id']}`, { key: acmeKey })
    expect(items).toEqual([summary.body])
    expect(summary.body['metadata']).toEqual({ ...metadata, tags: ['a', null, 0, 1e21] })

    const ids = await startSome(4)
    expect((await all('?limit=3')).slice(0, 5)).toEqual([...ids, body['quotation_id']])
    expect((await list('?limit=1')).items[0]?.['metadata']).toBeNull()
  })

  it('has 50 of them by default, and no link on the last page', async () => {
    const { items, next } = await list('')
    expect(items.length).toBeLessThan(50)
    expect(next).toBeNull()
    await startSome(51 - items.length)
    const first = await list('')
    expect(first.items).toHaveLength(50)
    const second = await list(first.next ?? expect.fail('no link'))
    expect([second.items.length, second.next]).toEqual([1, null])
  })

  it('lists each quote that exists throughout once, whatever is started and changed meanwhile', async () => {
    const before = await all('?limit=100')
    const seen: string[] = []
    for (let next: string | null = '?limit=7'; next !== null; ) {
      const page: Awaited<ReturnType<typeof list>> = await list(next)
      const ids = page.items.map(({ id }) => String(id))
      seen.push(...ids)
      next = page.next
      await startSome(2)
      for (const id of [ids[0], ids.at(-1)].flatMap((each) => each ?? [])) {
        await context.host.integrations.pipeline(id).failed({ errorCode: 'MODEL_TIMEOUT' })
      }
    }
    expect(seen).toEqual(before)
  })

  it('filters by status, source and time, alone and together', async () => {
    const ids = await startSome(6)
    const [failed, running] = [ids[1], ids[2]].map((id) => id ?? expect.fail('too few'))
    await context.host.integrations.pipeline(failed ?? '').failed()
    await context.host.integrations.pipeline(running ?? '').stepStarted('requirement_analysis')
    const { items } = await list('?limit=6')
    expect(items.map(({ id }) => id)).toEqual(ids)
    const since = `created_since=${items.at(-1)?.['created_at']}`
    const until = (index: number) => `created_until=${items[index]?.['created_at']}`
    const only = (keep: (item: Record<string, unknown>) => boolean) =>
      items.filter(keep).map(({ id }) => id as string)

    expect(await all(`?${since}&limit=2`)).toEqual(ids)
    expect(await all(`?${since}&${until(1)}`)).toEqual(ids.slice(2))
    expect(await all(`?${since}&status=failed`)).toEqual([failed])
    expect(await all(`?${since}&status=running&limit=1`)).toEqual([running])
    expect(await all(`?${since}&source=ui`)).toEqual(only(({ source }) => source === 'ui'))
    expect(await all(`?${since}&source=api_key&limit=1`)).toEqual(only(({ source }) => source === 'api_key'))
    expect(await all(`?${since}&source=api_key&status=queued`)).toEqual(
      only(({ source, status }) => source === 'api_key' && status === 'queued'),
    )
    expect(await all(`?${since}&status=completed`)).toEqual([])
    expect(await all('?created_until=0001-01-01T00:00:00Z')).toEqual([])
    expect(await all('?created_since=9999-12-31T23:59:59Z')).toEqual([])
  })

  it.each([
    ['?status', 'status=done'],
    ['?status', 'status='],
    ['?source', 'source=API_KEY'],
    ['?created_since', 'created_since=2026-11-22'],
    ['?created_until', 'created_until=2026-11-22T10:00:00%2B0530'],
    ['?external_id', 'external_id='],
    ['?external_id', `external_id=${'x'.repeat(201)}`],
    ['?external_id', 'external_id=a%00b'],
    ['?limit', 'limit=0'],
    ['?limit', 'limit=101'],
    ['?limit', 'limit=1.5'],
    ['?cursor', 'cursor=x'],
    ['?cursor', 'cursor=%00'],
  ])('refuses %s: %s', async (pointer, query) => {
    const { status, body } = await list(`?${query}`)
    expect([status, body['code']]).toEqual([400, 'VALIDATION_FAILED'])
    expect(body['errors']).toMatchObject([{ pointer }])
  })
})

describe("The partner's own ID", () => {
  const longest = '🧾'.repeat(200)
  const start = async (external_id: unknown) => {
    const json = { requirementsText: 'x', external_id }
    return context.host.call('POST', PATH, { key: acmeKey, json })
  }
  const find = (id: string, more = '') => all(`?external_id=${encodeURIComponent(id)}${more}`)

  it('is in the summary and the list, and finds every quote with exactly that ID', async () => {
    const ids: string[] = []
    for (const id of ['D-7', 'D-7', 'd-7', ' D-7', 'D-70', longest, "'; drop table--"]) {
      const { status, body } = await start(id)
      expect([id, status]).toEqual([id, 202])
      ids.push(String(body['quotation_id']))
      await sleep(2)
    }
    const [first = '', second = '', lower = '', spaced = '', , long = '', quoted = ''] = ids
    expect(await find('D-7')).toEqual([second, first])
    expect(await find('D-7', '&limit=1')).toEqual([second, first])
    expect(await find('d-7')).toEqual([lower])
    expect(await find(' D-7')).toEqual([spaced])
    expect(await find(longest)).toEqual([long])
    expect(await find("'; drop table--")).toEqual([quoted])
    expect(await find('D-8')).toEqual([])
    const { body } = await context.host.call('GET', `${PATH}/${first}`, { key: acmeKey })
    expect(body['external_id']).toBe('D-7')
    expect((await list('?external_id=D-70')).items).toMatchObject([{ external_id: 'D-70' }])
  })

  it('may have any printable character: each is found by itself, and by no look-alike', async () => {
    const odd = [
      '%',
      '%25',
      '+',
      ' +',
      '&limit=1',
      '#',
      '/..',
      '\\',
      '"',
      '$1',
      'é',
      'e\u0301',
      'ﬁ',
      'fi',
      'אב',
      'a\u200bb',
      'ab',
      '\u{10ffff}',
    ]
    const ids: string[] = []
    for (const external_id of odd) {
      const quote = {
        organizationId: ACME,
        source: 'api_key',
        body: { requirementsText: 'x', external_id },
      } as const
      ids.push((await context.host.integrations.quotations.start(quote)).quotation_id)
    }
    for (const [n, id] of odd.entries()) expect([id, await find(id)]).toEqual([id, [ids[n]]])
  })

  it('combines with the other filters', async () => {
    const partners = String((await start('E-1')).body['quotation_id'])
    await sleep(2)
    const quote = {
      organizationId: ACME,
      source: 'ui',
      body: { requirementsText: 'x', external_id: 'E-1' },
    } as const
    const members = (await context.host.integrations.quotations.start(quote)).quotation_id
    await context.host.integrations.pipeline(partners).failed()
    expect(await find('E-1')).toEqual([members, partners])
    expect(await find('E-1', '&source=ui')).toEqual([members])
    expect(await find('E-1', '&status=failed')).toEqual([partners])
    expect(await find('E-1', '&status=failed&source=ui')).toEqual([])
    expect(await find('E-1', '&created_until=2000-01-01T00:00:00Z')).toEqual([])
  })

  it('is null if absent or null, and otherwise a name of 1 to 200 characters', async () => {
    for (const id of [null, undefined]) {
      const { body } = await start(id)
      const { body: summary } = await context.host.call('GET', `${PATH}/${body['quotation_id']}`, {
        key: acmeKey,
      })
      expect(summary['external_id']).toBeNull()
    }
    for (const id of ['', `${longest}x`, 'two\nlines', '\ud800', 7]) {
      const { status, body } = await start(id)
      expect([status, body['errors']]).toMatchObject([400, [{ pointer: '/external_id' }]])
    }
  })

  it('is a field of a form, too: an empty one is null', async () => {
    for (const [sent, kept] of [
      ['F-1', 'F-1'],
      ['', null],
    ] as const) {
      const form = new FormData()
      form.append('requirementsText', 'x')
      form.append('external_id', sent)
      const answer = await fetch(context.host.url + PATH, {
        method: 'POST',
        headers: { 'X-API-Key': acmeKey },
        body: form,
      })
      expect(answer.status).toBe(202)
      expect((await list('?limit=1')).items).toMatchObject([{ external_id: kept }])
    }
  })
})

describe('Another organization', () => {
  it('sees only its own quotes, whatever organization it names', async () => {
    const own = [await context.host.startQuotation(globexKey)]
    own.unshift(await startUi(GLOBEX))
    const options = { key: globexKey, headers: { 'X-Organization-Id': ACME } }
    const { items } = await list(`?organization_id=${ACME}&limit=100`, options)
    expect(items.map(({ id }) => id)).toEqual(own)
  })

  it('cannot use a cursor of the first, and neither can another list', async () => {
    const { next } = await list('?limit=1')
    expect((await list(next ?? '', { key: acmeKey })).status).toBe(200)
    const stolen = await list(next ?? '', { key: globexKey })
    expect([stolen.status, stolen.body['errors']]).toMatchObject([400, [{ pointer: '?cursor' }]])
    const { status } = await context.host.call('GET', `/v1/organizations/${ACME}/api-keys${next}`, {
      member: 'acme-admin',
    })
    expect(status).toBe(400)
  })

  it("is not found by its ID, which is not in a webhook's body", async () => {
    const json = { requirementsText: 'x', external_id: 'G-1' }
    const { body } = await context.host.call('POST', PATH, { key: globexKey, json })
    const foreign = String(body['quotation_id'])
    expect(await all('?external_id=G-1')).toEqual([])
    expect((await list('?external_id=G-1', { key: globexKey })).items).toMatchObject([{ id: foreign }])
    await context.host.integrations.pipeline(foreign).failed()
    const events =
      await context.sql`select body::text from quickquote.events where body::text like ${`%${foreign}%`}`
    expect(events).toHaveLength(1)
    expect(JSON.stringify(events)).not.toContain('G-1')
  })
})
