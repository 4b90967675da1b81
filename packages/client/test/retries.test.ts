import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { startReceiver } from '@quickquote/test-kit'
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest'
import {
  ApiError,
  type ClientOptions,
  ConnectionError,
  createClient,
  NotFoundError,
  RateLimitedError,
  ServiceError,
  TimeoutError,
} from '../src/index.ts'
import { answer, type Behavior, cut, hang, problem, QUOTATION, startService } from './support/service.ts'

const { id } = QUOTATION
const OK = answer(200, QUOTATION)
const REQUIREMENTS = { requirementsText: 'Customers sign in and see their invoices.' }
const limited = (seconds: string) => problem(429, 'RATE_LIMITED', { 'Retry-After': seconds })

/** At the same time, because most of each is a wait. */
describe.concurrent('Retries', () => {
  it.for<[string, Behavior]>([
    ['429', limited('0')],
    ['429 without Retry-After', problem(429, 'RATE_LIMITED')],
    ['503', problem(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '0' })],
    ['502', answer(502, '<html>')],
    ['504', answer(504, '<html>')],
    ['a lost connection', cut],
    [
      'a body cut short',
      (response) =>
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 99 }).write('{'),
    ],
  ])('%s', async ([name, behavior], { onTestFinished }) => {
    const closing: Behavior = (response, request) => {
      behavior(response, request)
      if (name.startsWith('a body')) setImmediate(() => response.destroy())
    }
    const { client, requests } = await startService([closing, OK], {}, onTestFinished)
    expect(await client.quotations.get(id)).toEqual(QUOTATION)
    expect(requests.map(({ path }) => path)).toEqual(Array(2).fill(`/v1/integrations/quotations/${id}`))
  })

  it('429 and 503 after their Retry-After', async ({ onTestFinished }) => {
    const { client, requests } = await startService([limited('1'), OK], {}, onTestFinished)
    await client.quotations.get(id)
    const [first, second] = requests
    // A timer of Node may fire a millisecond early.
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(990)
  })

  // 0.25 s, 0.5 s and 1 s, each at least.
  it.for(['0', 'Sat, 21 Nov 2020 10:00:00 GMT', '1.5', '2, 2'])(
    'never sooner than its own back-off: Retry-After: %s',
    async (value, { onTestFinished }) => {
      const behaviors = [limited(value), limited(value), OK] as const
      const { client, requests } = await startService(behaviors, {}, onTestFinished)
      await client.quotations.get(id)
      const [first, second, third] = requests.map(({ at }) => at)
      expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(245)
      expect((third ?? 0) - (second ?? 0)).toBeGreaterThan(490)
    },
  )

  it('an attempt without a response in time', async ({ onTestFinished }) => {
    const { client, requests } = await startService([hang, OK], { timeoutMs: 5000 }, onTestFinished)
    expect(await client.quotations.get(id)).toEqual(QUOTATION)
    expect(requests).toHaveLength(2)
  })

  it('a start, with the idempotency key and the body of its first attempt', async ({ onTestFinished }) => {
    const started = answer(202, { quotation_id: id, status: 'queued' })
    const stream = new Blob(['# Portal']).stream()
    const { client, requests } = await startService([cut, limited('0'), started], {}, onTestFinished)
    await client.quotations.start({ ...REQUIREMENTS, files: [{ name: 'a.md', content: stream }] })
    const [key, ...others] = requests.map(({ headers }) => headers['idempotency-key'])
    expect(key).toMatch(/^[0-9a-f-]{36}$/)
    expect(others).toEqual([key, key])
    for (const { body } of requests) expect(body.toString()).toContain('# Portal')
  })

  it('a start whose first attempt is still in progress', async ({ onTestFinished }) => {
    const inUse = problem(409, 'IDEMPOTENCY_KEY_IN_USE', { 'Retry-After': '0' })
    const started = answer(202, { quotation_id: id, status: 'queued' })
    const { client } = await startService([cut, inUse, started], {}, onTestFinished)
    expect((await client.quotations.start(REQUIREMENTS)).quotation_id).toBe(id)
  })
})

describe('Does not retry', () => {
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => Promise.reject(new Error('was taken')),
      (error) => error,
    )

  it('more than maxRetries times', async () => {
    for (const [maxRetries, tries] of [
      [undefined, 4],
      [0, 1],
    ] as const) {
      const { client, requests } = await startService(
        [limited('0')],
        maxRetries === undefined ? {} : { maxRetries },
      )
      const error = await refusal(client.quotations.get(id))
      expect(error).toBeInstanceOf(RateLimitedError)
      expect(error).toMatchObject({ retryAfterMs: 0, status: 429, requestId: 'req-1' })
      expect(requests).toHaveLength(tries)
    }
  })

  it.each([
    ['404', problem(404, 'QUOTATION_NOT_FOUND'), NotFoundError],
    ['500', problem(500, 'INTERNAL_ERROR'), ServiceError],
    ['an unknown code', problem(409, 'SOMETHING_NEW'), ApiError],
    ['429 that asks for more than ten minutes', limited('601'), RateLimitedError],
    ['429 that asks for longer than numbers can say', limited('9'.repeat(400)), RateLimitedError],
  ])('%s', async (_, behavior, Class) => {
    const { client, requests } = await startService([behavior])
    expect(await refusal(client.quotations.get(id))).toBeInstanceOf(Class)
    expect(requests).toHaveLength(1)
  })

  it('a start whose idempotency key another request is using', async () => {
    const { client, requests } = await startService([problem(409, 'IDEMPOTENCY_KEY_IN_USE')])
    const start = client.quotations.start(REQUIREMENTS, { idempotencyKey: 'deal' })
    expect(await refusal(start)).toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
    expect(requests).toHaveLength(1)
  })

  it('a redirect, because the key must reach no other address', async () => {
    const other = await startService([OK])
    const { client, requests } = await startService([answer(307, undefined, { Location: other.url })])
    const error = await refusal(client.quotations.get(id))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 307, code: null, detail: expect.stringContaining('redirects') })
    expect(requests).toHaveLength(1)
    expect(other.requests).toHaveLength(0)
  })

  it('a response that is not from this API', async () => {
    const html: Behavior = (response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>')
    const { client, requests } = await startService([html])
    expect(await refusal(client.quotations.get(id))).toMatchObject({
      name: 'ApiError',
      status: 200,
      code: null,
    })
    expect(requests).toHaveLength(1)
  })

  it('what the runtime itself refuses to send', async () => {
    const { client, requests } = await startService([OK])
    const start = client.quotations.start(REQUIREMENTS, { idempotencyKey: 'two\nlines' })
    expect(await refusal(start)).toBeInstanceOf(TypeError)
    expect(requests).toHaveLength(0)
  })

  it('forever without a response', async () => {
    const { client } = await startService([hang], { timeoutMs: 100, maxRetries: 1 })
    expect(await refusal(client.quotations.get(id))).toBeInstanceOf(TimeoutError)
  })
})

describe('A ConnectionError, with its cause and the address, and without the key:', () => {
  async function errorAt(baseUrl: string): Promise<ConnectionError> {
    const client = createClient({ baseUrl, apiKey: 'pk_test', maxRetries: 0 })
    const error: unknown = await client.quotations.get(id).catch((reason: unknown) => reason)
    if (!(error instanceof ConnectionError)) return expect.fail(inspect(error))
    expect(error.message).toContain(`Connection to ${new URL(baseUrl).host} failed: `)
    expect(error.cause).toBeInstanceOf(Error)
    expect(inspect(error, { depth: null })).not.toContain('pk_test')
    return error
  }

  it('refused', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    expect((await errorAt(`http://127.0.0.1:${port}`)).message).toContain('ECONNREFUSED')
  })

  it('an unknown name', async () => {
    // `.invalid` never exists (RFC 2606). Without a network, the resolver itself fails.
    expect((await errorAt('http://quotes.invalid')).message).toMatch(/ENOTFOUND|EAI_AGAIN/)
  })

  it('a certificate that is not trusted', async () => {
    const server = await startReceiver()
    onTestFinished(() => server.stop())
    expect((await errorAt(server.url)).message).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/)
  })

  it('a connection that is lost before the response, or within it', async () => {
    const half: Behavior = (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 99 }).write('{')
      setImmediate(() => response.destroy())
    }
    for (const behavior of [cut, half]) {
      const { url } = await startService([behavior])
      await errorAt(url)
    }
  })

  it('after all retries', async () => {
    const { client, requests } = await startService([cut], { maxRetries: 1 })
    await expect(client.quotations.get(id)).rejects.toBeInstanceOf(ConnectionError)
    expect(requests).toHaveLength(2)
  })
})

it.each(['', '.', '..'])('the id %j cannot lead to another path', async (wrong) => {
  const { client, requests } = await startService([OK])
  const { quotations, proposals } = client
  for (const call of [
    quotations.get,
    quotations.pipeline,
    quotations.waitFor,
    proposals.get,
    proposals.documentUrl,
  ]) {
    await expect(call(wrong)).rejects.toBeInstanceOf(TypeError)
  }
  expect(requests).toHaveLength(0)
})

it.each(['a/../b', '%2e%2e', '?x=1', '#'])('the id %j stays one segment', async (strange) => {
  const { client, requests } = await startService([OK])
  await client.quotations.get(strange)
  expect(requests[0]?.path).toBe(`/v1/integrations/quotations/${encodeURIComponent(strange)}`)
})

describe('An abort', () => {
  const aborted = expect.objectContaining({ name: 'AbortError' })

  it('ends the call before, during and between attempts', async () => {
    for (const behavior of [hang, limited('600')]) {
      const { client, seen } = await startService([behavior])
      const controller = new AbortController()
      const call = client.quotations.get(id, { signal: controller.signal }).catch((error) => error)
      await seen(1)
      controller.abort('a reason of its own')
      expect(await call).toEqual(aborted)
    }
    const { client, requests } = await startService([OK])
    await expect(client.quotations.get(id, { signal: AbortSignal.abort() })).rejects.toEqual(aborted)
    expect(requests).toHaveLength(0)
  })

  it('ends a wait for a quote', async () => {
    const { client, seen } = await startService([answer(200, { ...QUOTATION, status: 'running' })])
    const controller = new AbortController()
    const wait = client.quotations.waitFor(id, { signal: controller.signal }).catch((error) => error)
    await seen(2)
    controller.abort()
    expect(await wait).toEqual(aborted)
  })
})

const queryOf = (path = '') => Object.fromEntries(new URL(path, 'http://localhost').searchParams)

/** Most of each is a wait. */
describe.concurrent('waitFor with a timeout', () => {
  const running = answer(200, { ...QUOTATION, status: 'running' })

  it('asks once more at its end', async ({ onTestFinished }) => {
    const { client, requests } = await startService([running], {}, onTestFinished)
    const begun = performance.now()
    await expect(client.quotations.waitFor(id, { timeoutMs: 2000 })).rejects.toBeInstanceOf(TimeoutError)
    expect((requests.at(-1)?.at ?? 0) - begun).toBeGreaterThanOrEqual(2000)
  })

  it.each(['5000', Number.NaN])('refuses %o', async (timeoutMs) => {
    const { quotations } = createClient({ baseUrl: 'https://quotes.example.com', apiKey: 'pk_test' })
    const wait = quotations.waitFor(id, { timeoutMs: timeoutMs as number })
    await expect(wait).rejects.toThrow(new TypeError('waitFor: timeoutMs must be a number'))
  })

  it('waits no longer', async ({ onTestFinished }) => {
    const { client, requests } = await startService([running], {}, onTestFinished)
    await expect(client.quotations.waitFor(id, { timeoutMs: 2500 })).rejects.toBeInstanceOf(TimeoutError)
    expect(requests.map(({ path }) => queryOf(path)['wait'])).toEqual(['2', '2', '0'])
  })

  it('rejects after it, with the status of the quote', async ({ onTestFinished }) => {
    const { client } = await startService([running], {}, onTestFinished)
    const wait = client.quotations.waitFor(id, { timeoutMs: 1500 })
    await expect(wait).rejects.toThrow(`The quote ${id} was still running after 1500 ms`)
    await expect(wait).rejects.toBeInstanceOf(TimeoutError)
  })
})

describe('waitFor of a quote', () => {
  /** A quote that changes with each response. */
  const at = (seconds: number, status = 'running') =>
    answer(200, { ...QUOTATION, status, updated_at: `2026-11-21T10:05:0${seconds}.000Z` })

  it('waits for its end, not for its steps', async () => {
    const { client, requests } = await startService([at(1), at(2, 'completed')])
    await client.quotations.waitFor(id)
    expect(requests.map(({ path }) => queryOf(path))).toEqual(Array(2).fill({ wait: '20', until: 'end' }))
  })

  it('asks again at once after each change, if somebody listens', async () => {
    const { client, requests } = await startService([at(1), at(2), at(3), at(4, 'completed')])
    const seen: string[] = []
    await client.quotations.waitFor(id, { onChange: ({ updated_at }) => void seen.push(updated_at) })
    expect(seen.map((time) => time[18])).toEqual(['1', '2', '3', '4'])
    expect(requests.map(({ path }) => queryOf(path))).toEqual([
      {},
      { wait: '20', since: '2026-11-21T10:05:01.000Z' },
      { wait: '20', since: '2026-11-21T10:05:02.000Z' },
      { wait: '20', since: '2026-11-21T10:05:03.000Z' },
    ])
  })

  it.each<[string, (waitMs: number) => number]>([
    ['that waits', (waitMs) => waitMs],
    ['that is too busy to wait', () => 0],
  ])('asks a service %s at most four times a minute', async (_, waits) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let status = 'running'
    const asked: number[] = []
    const client = createClient({
      baseUrl: 'http://localhost',
      apiKey: 'pk_test',
      async fetch(input) {
        asked.push(performance.now())
        const waitMs = Number(queryOf(new Request(input).url)['wait'] ?? 0) * 1000
        await new Promise((resolve) => setTimeout(resolve, waits(waitMs)))
        return Response.json({ ...QUOTATION, status, updated_at: '2026-11-21T10:05:01.000Z' })
      },
    })
    const minutes = 10
    const wait = client.quotations.waitFor(id)
    await vi.advanceTimersByTimeAsync(minutes * 60_000)
    status = 'completed'
    await vi.advanceTimersByTimeAsync(60_000)
    await wait
    const within = asked.map((from) => asked.filter((at) => at >= from && at < from + 60_000).length)
    expect(Math.max(...within)).toBeLessThanOrEqual(4)
    expect(asked.length).toBeGreaterThanOrEqual(3 * minutes)
  })
})

it.each(['', '/', '/v1/integrations', '/v1/integrations/'])('baseUrl may end in %j', async (end) => {
  const { url, requests } = await startService([OK])
  await createClient({ baseUrl: `${url}/tenant${end}`, apiKey: 'pk_test' }).quotations.get(id)
  expect(requests[0]?.path).toBe(`/tenant/v1/integrations/quotations/${id}`)
})

it('baseUrl and apiKey may come from environment variables', () => {
  expectTypeOf<NodeJS.ProcessEnv[string]>().toExtend<ClientOptions['baseUrl']>()
  expectTypeOf<NodeJS.ProcessEnv[string]>().toExtend<ClientOptions['apiKey']>()
})

it.each([
  ['baseUrl', { baseUrl: 'quotes.example.com' }],
  ['baseUrl', { baseUrl: 'https://quotes.example.com?x=1' }],
  ['baseUrl', { baseUrl: undefined }],
  ['baseUrl', { baseUrl: new URL('https://quotes.example.com') }],
  ['fetch', { fetch: { agent: null } }],
  ['apiKey', { apiKey: 'pk_test\n' }],
  ['apiKey', { apiKey: undefined }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['timeoutMs', { timeoutMs: Number.NaN }],
  ['timeoutMs', { timeoutMs: '5000' }],
  ['maxRetries', { maxRetries: 1.5 }],
  ['maxRetries', { maxRetries: -1 }],
])('%s is checked at once: %o', (name, wrong) => {
  const options = { baseUrl: 'https://quotes.example.com', apiKey: 'pk_test', ...wrong }
  const create = () => createClient(options as Parameters<typeof createClient>[0])
  expect(create).toThrow(TypeError)
  expect(create).toThrow(`createClient: ${name} must`)
})
