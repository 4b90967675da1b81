import { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { ReceiverOptions, WebhookPayload, WebhookVerificationError } from '@quickquote/webhook-signature'
import { expressWebhooks } from '@quickquote/webhook-signature/express'
import { fetchWebhooks } from '@quickquote/webhook-signature/fetch'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bodyOf, SECRET, send, signedHeaders } from './support/delivery.ts'
import { listen, PATH, reportTo, SERVERS } from './support/servers.ts'

const body = bodyOf('evt_1')

/** Options that record the calls. */
function recorder(options: Partial<ReceiverOptions> = {}) {
  const events: WebhookPayload[] = []
  const refusals: WebhookVerificationError[] = []
  return {
    events,
    refusals,
    options: {
      secrets: SECRET,
      onEvent: (event) => void events.push(event),
      onRefused: (refusal) => void refusals.push(refusal),
      ...options,
    } satisfies ReceiverOptions,
  }
}

describe.each(SERVERS)('$name', ({ start }) => {
  it('accepts a signed delivery: 204, and the event is handled', async () => {
    const { events, options } = recorder()
    const url = await start(options)
    expect(await send(url, await signedHeaders(body), body)).toMatchObject({ status: 204, text: '' })
    expect(events).toEqual([JSON.parse(body)])
  })

  it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', ''])(
    'reads the raw body of any media type: %j',
    async (type) => {
      const { events, options } = recorder()
      const url = await start(options)
      const { 'Content-Type': _, ...headers } = await signedHeaders(body)
      const sent = { ...headers, ...(type !== '' && { 'Content-Type': type }) }
      expect((await send(url, sent, body)).status).toBe(204)
      expect(events).toHaveLength(1)
    },
  )

  it('accepts a body in chunks, split inside a character', async () => {
    const { events, options } = recorder()
    const url = await start(options)
    const text = bodyOf('evt_größe')
    const bytes = Buffer.from(text)
    const cut = bytes.indexOf('ö') + 1
    const parts = [bytes.subarray(0, cut), bytes.subarray(cut, cut + 5), bytes.subarray(cut + 5)]
    expect((await send(url, await signedHeaders(text), parts)).status).toBe(204)
    expect(events).toEqual([JSON.parse(text)])
  })

  it('keeps white space as signed (rule 1)', async () => {
    const { events, options } = recorder()
    const url = await start(options)
    const spaced = `${JSON.stringify(JSON.parse(body), null, 2)}\r\n`
    expect((await send(url, await signedHeaders(spaced), spaced)).status).toBe(204)
    expect((await send(url, await signedHeaders(spaced), body)).status).toBe(401)
    expect(events).toHaveLength(1)
  })

  it('accepts signatures by any of several secrets, or by the previous one (rotation)', async () => {
    const { events, options } = recorder({ secrets: ['whsec_new', SECRET] })
    const url = await start(options)
    for (const secret of ['whsec_new', SECRET]) {
      expect((await send(url, await signedHeaders(body, { secret }), body)).status).toBe(204)
    }
    const overlapping = await signedHeaders(body, { secret: 'whsec_newer', previous: SECRET })
    expect((await send(url, overlapping, body)).status).toBe(204)
    expect(events).toHaveLength(3)
  })

  it('uses the given prefix and tolerance', async () => {
    const { options } = recorder({ headerPrefix: 'Acme', tolerance: 1000 })
    const url = await start(options)
    const headers = await signedHeaders(body, { ageSeconds: 900 })
    const renamed = Object.entries(headers).map(([name, value]) => [name.replace('Service', 'Acme'), value])
    expect((await send(url, Object.fromEntries(renamed), body)).status).toBe(204)
    expect(await send(url, headers, body)).toMatchObject({ status: 401, text: 'MISSING_HEADER' })
  })

  it.each([
    ['another body', 401, 'SIGNATURE_MISMATCH', {}, `${body} `],
    ['no body', 401, 'SIGNATURE_MISMATCH', {}, ''],
    ['an old timestamp', 401, 'TIMESTAMP_OUT_OF_TOLERANCE', { ageSeconds: 301 }, body],
    ['a timestamp in the future', 401, 'TIMESTAMP_OUT_OF_TOLERANCE', { ageSeconds: -330 }, body],
    ['another secret', 401, 'SIGNATURE_MISMATCH', { secret: 'whsec_other' }, body],
  ] as const)('refuses %s: %i %s', async (_, status, code, how, sent) => {
    const { events, refusals, options } = recorder()
    const url = await start(options)
    expect(await send(url, await signedHeaders(body, how), sent)).toMatchObject({ status, text: code })
    expect(events).toEqual([])
    expect(refusals).toMatchObject([{ name: 'WebhookVerificationError', code }])
  })

  it.each([
    ['no signature', 401, 'MISSING_HEADER', { 'X-Service-Signature': [] }],
    ['no timestamp', 401, 'MISSING_HEADER', { 'X-Service-Timestamp': [] }],
    ['a later version alone', 401, 'UNSUPPORTED_SIGNATURE_VERSION', { 'X-Service-Signature': 'v2=abc' }],
    ['a signature without its version', 400, 'MALFORMED_SIGNATURE', { 'X-Service-Signature': '00' }],
    ['a fresh timestamp on an old signature', 401, 'SIGNATURE_MISMATCH', { 'X-Service-Timestamp': -10 }],
    ['two timestamps', 400, 'MALFORMED_TIMESTAMP', { 'X-Service-Timestamp': [0, 0] }],
    ['a timestamp in milliseconds', 400, 'MALFORMED_TIMESTAMP', { 'X-Service-Timestamp': '1795264980000' }],
  ] as const)('refuses tampered headers, %s: %i %s', async (_, status, code, change) => {
    const { events, options } = recorder()
    const url = await start(options)
    const headers = await signedHeaders(body)
    const sentAt = Number(headers['X-Service-Timestamp'])
    const text = (value: string | number) => (typeof value === 'number' ? String(sentAt + value) : value)
    const changes = Object.entries(change).map(([name, value]) => [
      name,
      typeof value === 'object' ? value.map(text) : text(value),
    ])
    const tampered = { ...headers, ...Object.fromEntries(changes) }
    expect(await send(url, tampered, body)).toMatchObject({ status, text: code })
    expect(events).toEqual([])
  })

  it('accepts a repeated signature header if one of the two matches', async () => {
    const { events, options } = recorder()
    const url = await start(options)
    const headers = await signedHeaders(body)
    const signatures = [`v1=${'0'.repeat(64)}`, headers['X-Service-Signature'] ?? '']
    expect((await send(url, { ...headers, 'X-Service-Signature': signatures }, body)).status).toBe(204)
    expect(events).toHaveLength(1)
  })

  it('refuses a signed body that is not an event: 400', async () => {
    const { options } = recorder()
    const url = await start(options)
    const answer = await send(url, await signedHeaders('[]'), '[]')
    expect(answer).toMatchObject({ status: 400, text: 'MALFORMED_BODY' })
  })

  it('does not unpack a compressed body: 415', async () => {
    const { events, options } = recorder()
    const url = await start(options)
    const headers = { ...(await signedHeaders(body)), 'Content-Encoding': 'gzip' }
    expect(await send(url, headers, gzipSync(body))).toMatchObject({ status: 415 })
    expect(await send(url, await signedHeaders(body), gzipSync(body))).toMatchObject({ status: 401 })
    expect(events).toEqual([])
  })

  it('reads no more than maxBodyBytes: 413, with and without a Content-Length', async () => {
    const { events, options } = recorder({ maxBodyBytes: body.length })
    const url = await start(options)
    expect((await send(url, await signedHeaders(body), body)).status).toBe(204)
    const larger = `${body} `
    expect((await send(url, await signedHeaders(larger), larger)).status).toBe(413)
    const chunks = Array.from({ length: 64 }, () => 'x'.repeat(1024))
    expect((await send(url, await signedHeaders(larger), chunks)).status).toBe(413)
    expect(events).toHaveLength(1)
    expect((await send(url, await signedHeaders(body), body)).status).toBe(204)
  })

  it('reads 64 KiB by default', async () => {
    const { options } = recorder()
    const url = await start(options)
    const full = body + ' '.repeat(64 * 1024 - body.length)
    expect((await send(url, await signedHeaders(full), full)).status).toBe(204)
    expect((await send(url, await signedHeaders(`${full} `), `${full} `)).status).toBe(413)
  })

  it('responds with 500 if the event could not be handled, so that it is sent again', async () => {
    const errors: unknown[] = []
    const failure = new Error('the database is unreachable')
    let tries = 0
    const { options } = recorder({
      onEvent: async () => {
        tries += 1
        if (tries === 1) throw failure
      },
    })
    const url = await start(options, (error) => errors.push(error))
    expect((await send(url, await signedHeaders(body), body)).status).toBe(500)
    expect(errors).toEqual([failure])
    expect((await send(url, await signedHeaders(body), body)).status).toBe(204)
  })

  it('responds with 410 if the event is not wanted', async () => {
    const { options } = recorder({ onEvent: () => 'gone' })
    const url = await start(options)
    expect((await send(url, await signedHeaders(body), body)).status).toBe(410)
  })

  it('handles an event once with a deduplicating hook, and again after a failure (rule 4)', async () => {
    const handled: string[] = []
    const known = new Set<string>()
    const { options } = recorder({
      onEvent: ({ id }) => {
        handled.push(id)
        if (handled.length === 1) throw new Error('not yet')
      },
      once: async (id, handle) => {
        if (known.has(id)) return
        await handle()
        known.add(id)
      },
    })
    const url = await start(options)
    const other = bodyOf('evt_2')
    const statuses = []
    for (const sent of [body, body, body, other, body]) {
      statuses.push((await send(url, await signedHeaders(sent), sent)).status)
    }
    expect(statuses).toEqual([500, 204, 204, 204, 204])
    expect(handled).toEqual(['evt_1', 'evt_1', 'evt_2'])
  })

  it('refuses a GET', async () => {
    const { events, options } = recorder()
    const url = await start(options)
    const { status, headers } = await send(url, await signedHeaders(''), '', 'GET')
    expect([404, 405]).toContain(status)
    if (status === 405) expect(headers['allow']).toBe('POST')
    expect(events).toEqual([])
  })

  it.each([
    ['no secret', { secrets: [] }],
    ['an empty secret', { secrets: '' }],
    ['a secret with a line break after it', { secrets: `${SECRET}\n` }],
    ['a secret in quotes, in a list', { secrets: [SECRET, `"${SECRET}"`] }],
    ['an impossible prefix', { headerPrefix: 'A B' }],
  ])('does not start with %s', async (_, wrong) => {
    await expect(async () => start(recorder(wrong).options)).rejects.toThrow(TypeError)
  })
})

it.each(SERVERS.filter(({ name }) => name !== 'fetch'))(
  '$name: the rest of the application still gets parsed JSON',
  async ({ start }) => {
    const url = await start(recorder().options)
    const headers = { 'Content-Type': 'application/json' }
    const { text } = await send(url.replace(PATH, '/echo'), headers, '{ "a" : 1 }')
    expect(text).toBe('{"a":1}')
  },
)

describe('Express, after the body was read', () => {
  async function post(parser: express.RequestHandler, sent: string): Promise<[number, unknown[]]> {
    const errors: unknown[] = []
    const app = express()
    app.use(parser)
    app.use(PATH, expressWebhooks(recorder().options))
    app.use(reportTo((error) => errors.push(error)))
    const url = await listen(app)
    return [(await send(url, await signedHeaders(body), sent)).status, errors]
  }

  it.each([
    ['express.raw()', express.raw({ type: '*/*' })],
    ['express.text()', express.text({ type: '*/*' })],
    [
      'express.json() that keeps the raw body',
      express.json({
        verify: (request, _response, rawBody) => void Object.assign(request, { rawBody }),
      }),
    ],
    ['express.json() for another type', express.json({ type: 'application/other' })],
  ])('accepts the raw body of %s', async (_, parser) => {
    expect(await post(parser, body)).toEqual([204, []])
    expect(await post(parser, `${body} `)).toEqual([401, []])
  })

  it('verifies a body of any text', async () => {
    expect(await post(express.text({ type: '*/*' }), 'too large')).toEqual([401, []])
  })

  it('reports that a body parsed by express.json() is not raw: 500, because the receiver is misconfigured', async () => {
    expect(await post(express.json(), body)).toMatchObject([500, [{ code: 'BODY_NOT_RAW' }]])
  })
})

describe('Express, beside other libraries', () => {
  it('responds although one replaced writeHead() for the whole process, as restify does', async () => {
    const { writeHead } = ServerResponse.prototype
    onTestFinished(() => void Object.assign(ServerResponse.prototype, { writeHead }))
    Object.assign(ServerResponse.prototype, {
      writeHead(this: ServerResponse, ...head: Parameters<typeof writeHead>) {
        Reflect.apply(writeHead, this, head)
      },
    })
    const { options } = recorder()
    const url = await listen((request, response) =>
      expressWebhooks(options)(request, response, () => undefined),
    )
    expect(await send(url, await signedHeaders(body), body)).toMatchObject({ status: 204, text: '' })
    expect(await send(url, {}, body)).toMatchObject({ status: 401, text: 'MISSING_HEADER' })
  })

  it('passes an error of the response to next(), for it would end the process otherwise', async () => {
    const failure = new Error('cannot end')
    const errors: unknown[] = []
    const url = await listen((request, response) => {
      response.end = () => {
        throw failure
      }
      expressWebhooks(recorder().options)(request, response, (error) => {
        errors.push(error)
        response.destroy()
      })
    })
    void send(url, await signedHeaders(body), body).catch(() => 'no response')
    await expect.poll(() => errors).toEqual([failure])
  })

  it('leaves the response of something that responded meanwhile, such as a timeout', async () => {
    const url = await listen((request, response) => {
      const onEvent = () => void response.writeHead(503).end()
      expressWebhooks(recorder({ onEvent }).options)(request, response, () => undefined)
    })
    expect((await send(url, await signedHeaders(body), body)).status).toBe(503)
  })
})

it('fetch: a body that was already read is not raw: 500', async () => {
  const errors: unknown[] = []
  const handle = fetchWebhooks({ ...recorder().options, onError: (error) => errors.push(error) })
  const request = new Request('https://example.com/', {
    method: 'POST',
    headers: await signedHeaders(body),
    body,
  })
  await request.json()
  expect((await handle(request)).status).toBe(500)
  expect(errors).toMatchObject([{ code: 'BODY_NOT_RAW' }])
})
