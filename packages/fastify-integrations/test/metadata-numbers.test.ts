import { STATUS_CODES } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseJson } from '../src/bodies/json-body.ts'
import { isExact } from '../src/bodies/json-numbers.ts'
import { useHost } from './support/host.ts'

const context = useHost({ integrations: { limits: { requestsPerMinute: 10_000, startsPerMinute: 10_000 } } })
let key: string
beforeAll(async () => {
  key = (await context.host.createKey()).key
})

const PATH = '/v1/integrations/quotations'
const SEND_AS_STRING = expect.stringContaining('send it as a string')

/** The same quote as JSON and as a form, whose `metadata` is JSON text. */
const WAYS = ['JSON', 'multipart'] as const
async function start(way: (typeof WAYS)[number], metadata: string) {
  if (way === 'JSON') {
    return context.host.call('POST', PATH, {
      key,
      body: `{"requirementsText":"A portal.","metadata":${metadata}}`,
      headers: { 'Content-Type': 'application/json' },
    })
  }
  const form = new FormData()
  form.set('requirementsText', 'A portal.')
  form.set('metadata', metadata)
  return context.host.call('POST', PATH, { key, body: form })
}

async function stored(id: unknown): Promise<string> {
  const [row] = await context.sql`
    select metadata::text as metadata from quickquote.quotations where id = ${String(id)}`
  return String(row?.['metadata'])
}

describe.each(WAYS)('numbers in metadata, sent as %s', (way) => {
  it.each([
    '0',
    '-0',
    '-0.0',
    '0e999999999999',
    '1.10',
    '1e2',
    '1E+2',
    '100e-2',
    '0.1',
    '10000000000000000000',
    '9007199254740992',
    '1e308',
    '1.7976931348623157e308',
    '5e-324',
    '1234567890123456.5',
    `1${'0'.repeat(300)}`,
    `0.${'0'.repeat(300)}1`,
    `${'1'}.${'0'.repeat(5000)}`,
  ])('accepts %s, and keeps its value', async (number) => {
    const { status, body } = await start(way, `{"deal":[{"id":${number}}]}`)
    expect([status, body]).toEqual([202, expect.anything()])
    const kept = JSON.parse(await stored(body['quotation_id'])) as { deal: [{ id: number }] }
    expect(kept.deal[0].id === Number(number)).toBe(true)
  })

  it.each([
    '1e999',
    '-1e999',
    '1e-400',
    '12345678901234567890',
    '9007199254740993',
    '0.1234567890123456789',
    '0.1000000000000000055511151231257827',
    '2e-324',
    '1.7976931348623158e308',
    `${'9'.repeat(5000)}`,
  ])('refuses %s, and points at it', async (number) => {
    const { status, body } = await start(way, `{"a/b~c":1.10,"deal":[{"id":${number}},"${number}"]}`)
    expect([status, body['code'], body['errors']]).toEqual([
      400,
      'VALIDATION_FAILED',
      [{ pointer: '/metadata/deal/0/id', detail: SEND_AS_STRING }],
    ])
    expect(JSON.stringify(body)).not.toContain(number)
  })

  it('names every invalid number, and escapes pointers', async () => {
    const { body } = await start(way, '{"a/b":{"~":1e999},"":[0,1e-999]}')
    expect(body['errors']).toEqual([
      { pointer: '/metadata/a~1b/~0', detail: SEND_AS_STRING },
      { pointer: '/metadata//1', detail: SEND_AS_STRING },
    ])
  })

  it.each(['1e999', '[1e999]'])('%s instead of the object is not an object', async (metadata) => {
    const { status, body } = await start(way, metadata)
    expect([status, body['errors']]).toEqual([
      400,
      [{ pointer: '/metadata', detail: 'must be an object or null' }],
    ])
  })

  it('does not change digits in strings and names', async () => {
    const metadata = { '1e999': '12345678901234567890', text: '{"a":1e999}, \\" 1e999 \\\\' }
    const { status, body } = await start(way, JSON.stringify(metadata))
    expect(status).toBe(202)
    expect(JSON.parse(await stored(body['quotation_id']))).toEqual(metadata)
  })

  it.each([
    [64, 202],
    [65, 400],
  ])('metadata of %i levels is answered with %i', async (levels, expected) => {
    // The body, or the object itself, is the first level.
    const inner = levels - (way === 'JSON' ? 2 : 1)
    const { status } = await start(way, `{"a":${'['.repeat(inner)}${']'.repeat(inner)}}`)
    expect([status, STATUS_CODES[status]]).toEqual([expected, STATUS_CODES[expected]])
  })
})

describe('an inexact number', () => {
  it('is refused in every known field, and ignored in others', async () => {
    const send = (body: string) =>
      context.host.call('POST', PATH, { key, body, headers: { 'Content-Type': 'application/json' } })
    const refused = await send('{"requirementsText":"A portal.","name":1e999}')
    expect(refused.body['errors']).toEqual([{ pointer: '/name', detail: 'must be a string or null' }])
    expect((await send('{"requirementsText":"A portal.","other":1e999}')).status).toBe(202)
    expect((await send('1e999')).status).toBe(400)
    expect((await send('{1e999:1}')).body['code']).toBe('MALFORMED_REQUEST')
    expect((await send('{"a":01e999}')).body['code']).toBe('MALFORMED_REQUEST')
  })

  it('takes time in proportion to its length, whatever the digits', () => {
    const digits = 2 ** 20
    for (const number of [
      '9'.repeat(digits),
      `1${'0'.repeat(digits)}1`,
      `0.${'0'.repeat(digits)}1e${digits}`,
      `0.${'10'.repeat(digits / 2)}`,
      `1e${'9'.repeat(digits)}`,
      '-'.repeat(digits),
      `[${'1e999,'.repeat(digits / 8)}1]`,
      `[${'-'.repeat(digits)},1e999]`,
    ]) {
      try {
        parseJson(Buffer.from(`{"metadata":${number}}`))
      } catch (error) {
        expect(error).toMatchObject({ code: 'MALFORMED_REQUEST' })
      }
    }
    expect(isExact(`0.${'0'.repeat(1000)}1e1001`)).toBe(true)
  }, 30_000)
})
