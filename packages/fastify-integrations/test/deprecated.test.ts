import { describe, expect, it } from 'vitest'
import { useHost } from './support/host.ts'

const since = new Date('2026-11-01T00:00:00.900Z')
const sunset = new Date('2027-11-01T00:00:00Z')
// As of a file that ends with a line break.
const link = 'https://docs.example.com/änderungen→'
const context = useHost({
  plugin: { deprecated: { listQuotations: { since, sunset, link }, getQuotation: { since } } },
})

describe('A deprecated route (RFC 9745, RFC 8594)', () => {
  const PATH = '/v1/integrations/quotations'
  const announced = { deprecation: '@1793491200', sunset: 'Mon, 01 Nov 2027 00:00:00 GMT' }

  it('says so on every response, also beside the link to the next page', async () => {
    const { key } = await context.host.createKey()
    const call = (query: string) => context.host.call('GET', PATH + query, { key })
    for (const [query, status] of [
      ['', 200],
      ['?limit=0', 400],
    ] as const) {
      const answer = await call(query)
      expect(answer.status).toBe(status)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        ...announced,
        link: '<https://docs.example.com/%C3%A4nderungen%E2%86%92>; rel="deprecation"',
      })
    }
    const unauthorized = await context.host.call('GET', PATH)
    expect([unauthorized.status, unauthorized.headers.get('deprecation')]).toEqual([
      401,
      announced.deprecation,
    ])

    await context.host.startQuotation(key)
    await context.host.startQuotation(key)
    const page = await call('?limit=1')
    expect(page.headers.get('link')).toMatch(
      /^<[^>]+cursor=[^>]+>; rel="next", <https:[^>]+>; rel="deprecation"$/,
    )
  })

  it('works as before, and no other route says so', async () => {
    const { key } = await context.host.createKey()
    const id = await context.host.startQuotation(key)
    const read = await context.host.call('GET', `${PATH}/${id}`, { key })
    expect(read.status).toBe(200)
    expect(read.headers.get('deprecation')).toBe(announced.deprecation)
    expect(read.headers.get('sunset')).toBeNull()
    expect(read.headers.get('link')).toBeNull()
    const start = await context.host.call('POST', PATH, { key, json: { requirementsText: 'x' } })
    expect(start.headers.get('deprecation')).toBeNull()
  })

  it('is marked in the document, with its headers', () => {
    const { [PATH]: list, [`${PATH}/{id}`]: one } = context.host.openapi.paths
    expect([list?.['get']?.deprecated, one?.['get']?.deprecated, list?.['post']?.deprecated]).toEqual([
      true,
      true,
      undefined,
    ])
    expect(list?.['get']?.responses['200']).toMatchObject({
      headers: { Deprecation: {}, Sunset: {}, Link: {} },
    })
  })
})
