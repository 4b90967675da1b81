import { describe, expect, it } from 'vitest'
import {
  AuthenticationError,
  ConnectionError,
  CursorExpiredError,
  type Quotation,
  ValidationError,
} from '../src/index.ts'
import { useHost } from './support/host.ts'
import { answer, cut, problem, QUOTATION, startService } from './support/service.ts'

const host = useHost({ limits: { requestsPerMinute: 1000, startsPerMinute: 1000 } })
const REQUIREMENTS = { requirementsText: 'Customers sign in and see their invoices.' }

describe('The list of quotes', () => {
  it('is read page by page as needed, or one page at a time', async () => {
    const { partner, client } = await host().partner()
    const ids: string[] = []
    for (let count = 0; count < 5; count += 1) {
      ids.unshift((await client.quotations.start({ ...REQUIREMENTS, metadata: { count } })).quotation_id)
    }
    const listed: Quotation[] = []
    for await (const quotation of client.quotations.list({ limit: 2 })) listed.push(quotation)
    expect(listed.map(({ id }) => id)).toEqual(ids)
    expect(listed[0]?.metadata).toEqual({ count: 4 })

    const list = client.quotations.list({ limit: 3, status: 'queued', source: 'api_key' })
    const first = await list.page()
    const second = await list.page(first.next ?? '')
    expect([first.items.length, second.items.length, second.next]).toEqual([3, 2, null])
    const since = new Date(listed[1]?.created_at ?? '')
    expect((await client.quotations.list({ createdSince: since }).page()).items).toHaveLength(2)
    expect((await client.quotations.list({ createdUntil: since }).page()).items).toHaveLength(3)
    await partner.quote(ids[0] ?? '').fail()
    expect((await client.quotations.list({ status: 'failed' }).page()).items).toHaveLength(1)
  })

  it('is read on after a page without a match, if the service has examined only a part', async () => {
    const next = (cursor: string) => ({ Link: `</v1/integrations/quotations?cursor=${cursor}>; rel="next"` })
    const { client, requests } = await startService([
      answer(200, [], next('b')),
      answer(200, [QUOTATION], next('c')),
      answer(200, [], next('d')),
      answer(200, []),
    ])
    const listed: Quotation[] = []
    for await (const quotation of client.quotations.list()) listed.push(quotation)
    expect(listed).toEqual([QUOTATION])
    expect(requests.map(({ path }) => path?.split('=')[1])).toEqual([undefined, 'b', 'c', 'd'])
  })
})

describe('The event feed', () => {
  it('continues from a reader’s position, up to new events', async () => {
    const { partner, client } = await host().partner()
    const { next } = await client.events.list({ after: 'latest' })
    const quotes = [await partner.startQuote(), await partner.startQuote()]
    await quotes[0]?.fail()
    const seen: string[] = []
    const controller = new AbortController()
    const { signal } = controller
    const following = (async () => {
      for await (const event of client.events.follow({ after: next, types: ['quotation.failed'], signal })) {
        seen.push(String((event.data as { quotation_id: string }).quotation_id))
        if (seen.length === 1) await quotes[1]?.fail()
        else controller.abort()
      }
    })()
    await expect(following).rejects.toMatchObject({ name: 'AbortError' })
    expect(seen).toEqual(quotes.map(({ id }) => id))

    const { events } = await client.events.list({ after: next, limit: 1 })
    const rest = await client.events.list({ after: events[0]?.id ?? '' })
    expect(rest.events.map(({ data }) => (data as { quotation_id: string }).quotation_id)).toEqual([
      quotes[1]?.id,
    ])
    expect((await client.events.list({ after: next, generationSource: 'ui' })).events).toEqual([])
  })

  it('refuses a cursor of another organization, and reports an expired one', async () => {
    const [{ client }, other] = [await host().partner(), await host().partner()]
    const { next } = await other.client.events.list({ after: 'latest' })
    await expect(client.events.list({ after: next })).rejects.toBeInstanceOf(ValidationError)
    const { client: expired } = await startService([problem(410, 'CURSOR_EXPIRED')])
    await expect(expired.events.list({ after: 'x' })).rejects.toBeInstanceOf(CursorExpiredError)
  })

  it('is followed through a restart of the service, of which the reader hears once', async () => {
    const event = { id: 'evt_1', type: 'quotation.failed' }
    const link = { Link: '</v1/integrations/events?after=there>; rel="next"' }
    const away = problem(503, 'SERVICE_UNAVAILABLE')
    const { client, requests } = await startService([cut, away, answer(200, [event], link)], {
      maxRetries: 0,
    })
    const errors: Error[] = []
    const onDisconnect = (error: Error) => void errors.push(error)
    const feed = client.events.follow({ after: 'here', onDisconnect })[Symbol.asyncIterator]()
    expect(await feed.next()).toEqual({ done: false, value: event })
    expect(errors).toEqual([expect.any(ConnectionError)])
    expect(requests.map(({ path }) => new URL(path ?? '', 'http://host').searchParams.get('after'))).toEqual(
      Array(3).fill('here'),
    )
    const [first, second, third] = requests.map(({ at }) => at)
    // A timer of Node may fire a millisecond early.
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(990)
    expect((third ?? 0) - (second ?? 0)).toBeGreaterThan(1990)
  })

  it('waits for a service that is away for weeks, without asking again and again', async () => {
    const away = problem(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '99999999' })
    const { client, requests } = await startService([away])
    const controller = new AbortController()
    const feed = client.events.follow({ signal: controller.signal })[Symbol.asyncIterator]()
    setTimeout(() => controller.abort(), 500)
    await expect(feed.next()).rejects.toThrow('aborted')
    expect(requests).toHaveLength(1)
  })

  it('is not followed past a refusal', async () => {
    const { client, requests } = await startService([problem(403, 'API_KEY_REVOKED')])
    await expect(client.events.follow()[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(
      AuthenticationError,
    )
    expect(requests).toHaveLength(1)
  })

  it('from its end is read without a wait first, so that a lost connection loses no event', async () => {
    const link = (after: string) => ({ Link: `</v1/integrations/events?after=${after}>; rel="next"` })
    const { client, requests } = await startService(
      [
        answer(200, [], link('here')),
        cut,
        answer(200, [{ id: 'evt_1', type: 'quotation.failed' }], link('there')),
      ],
      { maxRetries: 0 },
    )
    await client.events.follow({ after: 'latest' })[Symbol.asyncIterator]().next()
    expect(requests.map(({ path }) => path?.split('?')[1])).toEqual([
      'after=latest&wait=0',
      'after=here&wait=20',
      'after=here&wait=20',
    ])
  })

  it('is asked for less and less often if the service refuses to wait', async () => {
    const empty = answer(200, [], { Link: '</v1/integrations/events?after=here>; rel="next"' })
    const { client, requests, seen } = await startService([empty])
    const controller = new AbortController()
    const { signal } = controller
    // The rounds of 2 and 4 s begin now; each request may arrive late.
    const begun = performance.now()
    const over = client.events.follow({ after: 'here', signal })[Symbol.asyncIterator]().next()
    await seen(3)
    controller.abort()
    await expect(over).rejects.toMatchObject({ name: 'AbortError' })
    const [, second = 0, third = 0] = requests.map(({ at }) => at)
    expect(second - begun).toBeGreaterThan(1990)
    expect(third - begun).toBeGreaterThan(5980)
  })

  it('is not polled in a tight loop if the service refuses to wait', async () => {
    const empty = answer(200, [], { Link: '</v1/integrations/events?after=here>; rel="next"' })
    const { client, requests, seen } = await startService([empty])
    const controller = new AbortController()
    const { signal } = controller
    const following = client.events.follow({ after: 'here', signal })[Symbol.asyncIterator]().next()
    const over = following.catch((error) => error)
    await seen(1)
    setTimeout(() => controller.abort(), 300)
    await expect(over.then((error) => Promise.reject(error))).rejects.toMatchObject({ name: 'AbortError' })
    expect(requests).toHaveLength(1)
  })
})
