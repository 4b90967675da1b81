import { describe, expect, it } from 'vitest'
import { ACME, useHost } from './support/host.ts'

// A host without its own limits.
const context = useHost({ limitsKeys: true })
const KEYS = `/v1/organizations/${ACME}/api-keys`
const WEBHOOKS = `/v1/organizations/${ACME}/webhooks`
const DAY_MS = 24 * 60 * 60 * 1000
const MIB = 1024 * 1024

type Body = Record<string, unknown> | FormData

/** Starts a quote with a new key, because starts are limited. */
async function start(body: Body) {
  const { key } = await context.host.createKey()
  if (!(body instanceof FormData)) {
    return context.host.call('POST', '/v1/integrations/quotations', { key, json: body })
  }
  const encoded = new Response(body)
  return context.host.call('POST', '/v1/integrations/quotations', {
    key,
    headers: { 'Content-Type': encoded.headers.get('content-type') ?? '' },
    body: new Uint8Array(await encoded.arrayBuffer()),
  })
}

/** A form with this many files of this many bytes. */
function form(count: number, bytes: number): FormData {
  const sent = new FormData()
  for (let index = 0; index < count; index += 1) {
    sent.append('files', new File(['x'.repeat(bytes)], `${index}.txt`))
  }
  return sent
}

const text = (length: number) => ({ requirementsText: 'x'.repeat(length) })
const name = (length: number) => ({ ...text(1), name: 'x'.repeat(length) })
const description = (length: number) => ({ ...text(1), description: 'x'.repeat(length) })
/** `{"a":"…"}` has eight bytes around its text. */
const metadata = (bytes: number) => ({ ...text(1), metadata: { a: 'x'.repeat(bytes - 8) } })

describe('a start has at most', () => {
  it.each<[string, Body, Body, number, string]>([
    ['requirementsText of 500,000 characters', text(500_000), text(500_001), 400, '/requirementsText'],
    ['a name of 200 characters', name(200), name(201), 400, '/name'],
    ['a description of 10,000 characters', description(10_000), description(10_001), 400, '/description'],
    ['metadata of 16 KiB', metadata(16 * 1024), metadata(16 * 1024 + 1), 400, '/metadata'],
    ['5 files a start', form(5, 1), form(6, 1), 400, '/files/5'],
    ['a file of 10 MiB', form(1, 10 * MIB), form(1, 10 * MIB + 1), 413, '/files/0'],
  ])('%s', async (_, most, more, status, pointer) => {
    expect((await start(most)).status).toBe(202)
    const refused = await start(more)
    expect(refused.status).toBe(status)
    expect(refused.body).toMatchObject({ errors: [{ pointer }] })
  })
})

describe('a body of a session route', () => {
  const create = (description: string, filler = '') => {
    const endpoint = { name: 'CRM', url: 'https://crm.example.com/hook', events: ['quotation.completed'] }
    // As sent by a client that escapes all but ASCII.
    const json = JSON.stringify({ ...endpoint, description, filler }).replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
    )
    return context.host.call('POST', WEBHOOKS, {
      member: 'acme-admin',
      headers: { 'Content-Type': 'application/json' },
      body: json,
    })
  }

  it('has room for the longest description in any script', async () => {
    const { status, body } = await create('🙂'.repeat(10_000))
    expect(status).toBe(201)
    await context.host.call('DELETE', `${WEBHOOKS}/${body['id']}`, { member: 'acme-admin' })
  })

  it('has at most 128 KiB, although a start may have 4 MiB', async () => {
    const { status, body } = await create('', 'x'.repeat(128 * 1024))
    expect([status, body['code']]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })
})

describe('an organization creates at most', () => {
  const expiring = (days: number) =>
    context.host.call('POST', KEYS, {
      member: 'acme-member',
      json: { name: 'CRM', expires_at: new Date(Date.now() + days * DAY_MS - 60_000).toISOString() },
    })

  it('keys with a lifetime of two years', async () => {
    expect((await expiring(731)).status).toBe(201)
    const refused = await expiring(732)
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({ errors: [{ pointer: '/expires_at' }] })
  })

  it('50 webhook endpoints', async () => {
    const create = () =>
      context.host.call('POST', WEBHOOKS, {
        member: 'acme-admin',
        json: { name: 'CRM', url: 'https://crm.example.com/hook', events: ['quotation.completed'] },
      })
    for (let count = 0; count < 50; count += 1) expect((await create()).status).toBe(201)
    const refused = await create()
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({ code: 'WEBHOOK_ENDPOINT_LIMIT_REACHED' })
  })
})
