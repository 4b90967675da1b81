import { describe, expect, it } from 'vitest'
import { ApiError, type Client, createClient } from '../src/index.ts'
import { answer, QUOTATION, startService } from './support/service.ts'

const { id } = QUOTATION
const REQUIREMENTS = { requirementsText: 'Customers sign in and see their invoices.' }
/** As JavaScript passes it, without the types. */
const untyped = (options: object) => options as never
/** A call whose errors all reject. */
const calling = async (call: () => unknown) => await call()

describe('An option that the client does not know is refused, with the nearest one, before a request:', () => {
  it.each<[string, (client: Client) => unknown, string]>([
    ['list', ({ quotations }) => quotations.list(untyped({ external_id: 'D-1' })), 'externalId'],
    ['list', ({ quotations }) => quotations.list(untyped({ stat: 'failed' })), 'status'],
    ['get', ({ quotations }) => quotations.get(id, untyped({ waitSecond: 1 })), 'waitSeconds'],
    ['waitFor', ({ quotations }) => quotations.waitFor(id, untyped({ timeout: 1 })), 'timeoutMs'],
    [
      'start',
      ({ quotations }) => quotations.start(untyped({ ...REQUIREMENTS, externalId: '1' })),
      'external_id',
    ],
    [
      'start',
      ({ quotations }) => quotations.start(REQUIREMENTS, untyped({ idempotency_key: 'D-1' })),
      'idempotencyKey',
    ],
    ['cancel', ({ quotations }) => quotations.cancel(id, untyped({ signals: null })), 'signal'],
    ['pipeline', ({ quotations }) => quotations.pipeline(id, untyped({ sginal: null })), 'signal'],
    ['proposal', ({ proposals }) => proposals.get(id, untyped({ signale: null })), 'signal'],
    ['document', ({ proposals }) => proposals.documentUrl(id, untyped({ Signal: null })), 'signal'],
    ['events', ({ events }) => events.list(untyped({ generation_source: 'ui' })), 'generationSource'],
    ['follow', ({ events }) => events.follow(untyped({ on_disconnect: null })), 'onDisconnect'],
    [
      'unwrap',
      ({ webhooks }) =>
        webhooks.unwrap({ headers: {}, body: '' }, untyped({ secret: 'whsec_x', header_prefix: 'Acme' })),
      'headerPrefix',
    ],
  ])('%s', async (_call, call, nearest) => {
    const { client, requests } = await startService([answer(200, [])])
    const refused = calling(() => call(client))
    await expect(refused).rejects.toBeInstanceOf(TypeError)
    await expect(refused).rejects.toThrow(`Did you mean ${nearest}? Options: `)
    expect(requests).toHaveLength(0)
  })

  it('createClient', () => {
    const options = { baseUrl: 'http://localhost', apiKey: 'pk_test', maxRetry: 0 }
    expect(() => createClient(options)).toThrow('Unknown option "maxRetry". Did you mean maxRetries?')
  })

  it.each([undefined, null, 'http://localhost'])('createClient(%j)', (options) => {
    expect(() => createClient(options as never)).toThrow(
      'Options must be an object with: baseUrl, apiKey, fetch, timeoutMs, maxRetries',
    )
  })

  it('with all options, if none is near', () => {
    const { quotations } = createClient({ baseUrl: 'http://localhost', apiKey: 'pk_test' })
    expect(() => quotations.list(untyped({ q: 'portal' }))).toThrow(
      'Unknown option "q". Options: status, source, createdSince, createdUntil, externalId, limit, signal',
    )
  })
})

describe('JSON of another service is no response of this API:', () => {
  const first = (items: AsyncIterable<unknown>) => items[Symbol.asyncIterator]().next()
  const calls: [string, (client: Client) => Promise<unknown>][] = [
    ['start', ({ quotations }) => quotations.start(REQUIREMENTS)],
    ['get', ({ quotations }) => quotations.get(id)],
    ['waitFor', ({ quotations }) => quotations.waitFor(id)],
    ['cancel', ({ quotations }) => quotations.cancel(id)],
    ['pipeline', ({ quotations }) => quotations.pipeline(id)],
    ['list', ({ quotations }) => first(quotations.list())],
    ['proposal', ({ proposals }) => proposals.get(id)],
    ['document', ({ proposals }) => proposals.documentUrl(id)],
    ['events', ({ events }) => events.list()],
    ['follow', ({ events }) => first(events.follow({ after: 'evt_1' }))],
  ]
  const link = { Link: '</v1/integrations/events?after=x>; rel="next"' }
  const bodies = [{ status: 'ok' }, 'ok', null, 7, [{ hello: 'world' }], [null]]

  it.each(calls)('%s', async (_name, call) => {
    for (const body of bodies) {
      const { client, requests } = await startService([answer(200, body, link)])
      const error = await call(client).catch((reason: unknown) => reason)
      expect(error, JSON.stringify(body)).toBeInstanceOf(ApiError)
      expect(error).toMatchObject({
        status: 200,
        code: null,
        detail: 'The response is not from this API. Check baseUrl, and any proxies in between.',
      })
      expect(requests).toHaveLength(1)
    }
  })

  it('an array without the link that the event feed always has', async () => {
    const { client, requests } = await startService([answer(200, [{ id: '1', type: 'note' }])])
    await expect(first(client.events.follow({ after: 'evt_1' }))).rejects.toThrow('not from this API')
    expect(requests).toHaveLength(1)
  })

  it('text that claims to be JSON', async () => {
    const { client } = await startService([
      (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('<html>'),
    ])
    await expect(client.quotations.get(id)).rejects.toThrow('not from this API')
  })

  it.each([
    [{ code: 'constructor', detail: 'no' }, 'constructor: no'],
    [{ code: 'toString', detail: { message: 'no' }, errors: 'no' }, 'not from this API'],
    [{ code: 404, detail: 'no' }, 'not from this API'],
  ])('an error such as %j', async (body, message) => {
    const { client } = await startService([answer(400, body)])
    const error = await client.quotations.get(id).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 400, errors: [], message: expect.stringContaining(message) })
  })
})
