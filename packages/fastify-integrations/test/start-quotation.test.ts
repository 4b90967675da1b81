import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { ACME, GLOBEX, useHost } from './support/host.ts'

const context = useHost({
  integrations: {
    limits: {
      startsPerMinute: 1000,
      requestsPerMinute: 1000,
      jsonBodyBytes: 100_000,
      requirementsTextLength: 60_000,
    },
  },
})
const path = '/v1/integrations/quotations'
let key: string
let keyId: string

beforeAll(async () => {
  const created = await context.host.createKey()
  key = created.key
  keyId = created.id
})

async function start(json: unknown) {
  return context.host.call('POST', path, { key, json })
}

async function stored(id: unknown) {
  const [row] = await context.sql`select * from quickquote.quotations where id = ${String(id)}`
  return row
}

describe('POST /v1/integrations/quotations', () => {
  it('answers 202 at once, with quotation_id and status', async () => {
    const { status, headers, body } = await start({ requirementsText: 'A portal.' })
    expect(status).toBe(202)
    expect(body).toEqual({ quotation_id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'queued' })
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(headers.get('location')).toBe(`${path}/${body['quotation_id']}`)
    const summary = await context.host.call('GET', String(headers.get('location')), { key })
    expect(summary.body).toMatchObject({ id: body['quotation_id'] })
  })

  it('stores every field, with source api_key and the id of the key', async () => {
    const config_id = randomUUID()
    const metadata = { deal: 'D-1042', nested: { list: [1, 'two', null, true] } }
    const { body } = await start({
      name: 'Portal',
      description: 'Phase 2',
      config_id,
      requirementsText: '  A portal.\n',
      metadata,
    })
    expect(await stored(body['quotation_id'])).toMatchObject({
      organization_id: ACME,
      name: 'Portal',
      description: 'Phase 2',
      config_id,
      requirements_text: '  A portal.\n',
      metadata,
      source: 'api_key',
      api_key_id: keyId,
      status: 'queued',
    })
  })

  it('accepts null for every optional field', async () => {
    const { status, body } = await start({
      name: null,
      description: null,
      config_id: null,
      metadata: null,
      requirementsText: 'x',
    })
    expect(status).toBe(202)
    const row = await stored(body['quotation_id'])
    expect(row).toMatchObject({ description: '', config_id: null, metadata: null })
    expect(row?.['name']).toMatch(/^Quick Quote \d{4}-\d\d-\d\d \d\d:\d\d$/)
  })

  it('ignores unknown fields, and any organization or source in the body', async () => {
    const { status, body } = await context.host.call(
      'POST',
      `${path}?organization_id=${GLOBEX}&organizationId=${GLOBEX}`,
      {
        key,
        json: {
          requirementsText: 'x',
          organization_id: GLOBEX,
          organizationId: GLOBEX,
          source: 'ui',
          api_key_id: randomUUID(),
          id: randomUUID(),
          status: 'completed',
          unheard: { of: 1 },
        },
        headers: { 'X-Organization-Id': GLOBEX },
      },
    )
    expect(status).toBe(202)
    expect(await stored(body['quotation_id'])).toMatchObject({
      organization_id: ACME,
      source: 'api_key',
      api_key_id: keyId,
      status: 'queued',
    })
  })

  it('counts characters, not UTF-16 units', async () => {
    expect((await start({ requirementsText: 'x', name: '😀'.repeat(200) })).status).toBe(202)
    expect((await start({ requirementsText: 'x', name: '😀'.repeat(201) })).status).toBe(400)
  })
})

describe('POST /v1/integrations/quotations refuses with 400, and leaves nothing behind', () => {
  it.each<[string, unknown, string]>([
    ['no requirements', {}, '/requirementsText'],
    ['requirements of only white space', { requirementsText: ' \n\t ' }, '/requirementsText'],
    ['requirements that are null', { requirementsText: null }, '/requirementsText'],
    ['a number for a name: nothing is coerced', { requirementsText: 'x', name: 5 }, '/name'],
    ['a boolean for a description', { requirementsText: 'x', description: true }, '/description'],
    ['a list for the requirements', { requirementsText: ['x'] }, '/requirementsText'],
    ['a number for the requirements', { requirementsText: 12 }, '/requirementsText'],
    ['a config_id that is not a uuid', { requirementsText: 'x', config_id: 'abc' }, '/config_id'],
    ['an empty config_id', { requirementsText: 'x', config_id: '' }, '/config_id'],
    ['text for metadata', { requirementsText: 'x', metadata: '{}' }, '/metadata'],
    ['a list for metadata', { requirementsText: 'x', metadata: [] }, '/metadata'],
    ['metadata over 16 KiB', { requirementsText: 'x', metadata: { a: 'x'.repeat(16_384) } }, '/metadata'],
    ['NUL in metadata', { requirementsText: 'x', metadata: { a: ['\0'] } }, '/metadata'],
    ['a name over 200 characters', { requirementsText: 'x', name: 'x'.repeat(201) }, '/name'],
    ['a description over 10,000', { requirementsText: 'x', description: 'x'.repeat(10_001) }, '/description'],
    ['requirements over their limit', { requirementsText: 'x'.repeat(60_001) }, '/requirementsText'],
    ['NUL in a string', { requirementsText: 'a\0b' }, '/requirementsText'],
    ['a lone surrogate', { requirementsText: 'x', name: 'a\ud800' }, '/name'],
    ['a list', [{ requirementsText: 'x' }], ''],
    ['null', null, ''],
    ['a string', 'requirementsText', ''],
    ['a number', 7, ''],
  ])('%s', async (_, json, pointer) => {
    const before = await context.sql`select count(*) from quickquote.quotations`
    const { status, body } = await start(json)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
    expect(await context.sql`select count(*) from quickquote.quotations`).toEqual(before)
  })

  it('names every invalid field', async () => {
    const { body } = await start({ requirementsText: 1, name: 2, config_id: 'x' })
    const pointers = (body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)
    expect(pointers.sort()).toEqual(['/config_id', '/name', '/requirementsText'])
  })

  it.each<[string, string | Uint8Array, RegExp]>([
    ['not JSON', '{"requirementsText": "x"', /not valid JSON/],
    ['JSON with something after it', '{"requirementsText": "x"} x', /not valid JSON/],
    ['an empty body', '', /empty/],
    ['only a byte order mark', '\ufeff', /not valid JSON/],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), /not UTF-8/],
    ['nesting of 65 levels', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`, /64 levels/],
    ['nesting without an end', '['.repeat(99_000), /64 levels/],
    ['__proto__', '{"requirementsText":"x","__proto__":{"a":1}}', /forbidden key/],
    ['an escaped __proto__ deep inside', '{"metadata":{"a":[{"\\u005f_proto__":1}]}}', /forbidden key/],
    ['constructor with a prototype', '{"metadata":{"constructor":{"prototype":{}}}}', /forbidden key/],
  ])('%s', async (_, body, detail) => {
    const answer = await context.host.call('POST', path, {
      key,
      body,
      headers: { 'Content-Type': 'application/json' },
    })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'MALFORMED_REQUEST', detail: expect.stringMatching(detail) })
  })

  it('no body at all', async () => {
    const { status, body } = await context.host.call('POST', path, { key })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'MALFORMED_REQUEST', detail: 'The body is empty.' })
  })
})

describe('POST /v1/integrations/quotations reads JSON', () => {
  it.each([
    ['with a byte order mark', '\ufeff{"requirementsText":"x"}', 'application/json'],
    ['with a charset', '{"requirementsText":"x"}', 'application/json; charset=utf-8'],
    ['whatever the case of the media type', '{"requirementsText":"x"}', 'Application/JSON'],
    [
      'with brackets and quotes in strings',
      `{"requirementsText":"\\"${'[{'.repeat(40)}\\\\"}`,
      'application/json',
    ],
    [
      'of 64 levels',
      `{"requirementsText":"x","metadata":{"a":${'['.repeat(62)}${']'.repeat(62)}}}`,
      'application/json',
    ],
    [
      'with a harmless constructor',
      '{"requirementsText":"x","metadata":{"constructor":"ACME"}}',
      'application/json',
    ],
  ])('%s', async (_, body, type) => {
    const answer = await context.host.call('POST', path, { key, body, headers: { 'Content-Type': type } })
    expect(answer.status).toBe(202)
  })
})

describe('POST /v1/integrations/quotations refuses with 415', () => {
  const json = '{"requirementsText":"x"}'
  const form = '--b\r\nContent-Disposition: form-data; name="requirementsText"\r\n\r\nx\r\n--b--\r\n'
  const formType = 'multipart/form-data; boundary=b'
  it.each<[string, string | Uint8Array, Record<string, string>]>([
    ['text', json, { 'Content-Type': 'text/plain' }],
    ['a form', 'requirementsText=x', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['JSON under another name', json, { 'Content-Type': 'application/vnd.api+json' }],
    ['an invalid media type', json, { 'Content-Type': 'json' }],
    ['a body without a Content-Type', Buffer.from(json), {}],
    ['a compressed body', gzipSync(json), { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }],
    ['a compressed form', gzipSync(form), { 'Content-Type': formType, 'Content-Encoding': 'gzip' }],
    ['a form that claims to be compressed', form, { 'Content-Type': formType, 'Content-Encoding': 'br' }],
  ])('%s', async (_, body, headers) => {
    const answer = await context.host.call('POST', path, { key, body, headers })
    expect(answer.status).toBe(415)
    expect(answer.body).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
    expect(answer.headers.get('accept-encoding')).toBe('Content-Encoding' in headers ? 'identity' : null)
  })
})

describe('POST /v1/integrations/quotations refuses with 413', () => {
  it('a body over its limit, by Content-Length', async () => {
    const { status, body } = await start({ requirementsText: 'x'.repeat(100_000) })
    expect(status).toBe(413)
    expect(body).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  })

  it('a body over its limit, without Content-Length', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(60_000))
    const body = new ReadableStream({
      start(controller) {
        for (const part of [chunk, chunk]) controller.enqueue(part)
        controller.close()
      },
    })
    const response = await fetch(context.host.url + path, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  })
})
