import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NOWHERE, useHost } from './support/host.ts'
import { sendRaw } from './support/socket.ts'

let lookUps = 0
const context = useHost({
  integrations: {
    limits: { requestsPerMinute: 1000, startsPerMinute: 1000, failedAuthenticationsPerMinute: 1000 },
  },
  wrapStorage: (storage) => ({
    ...storage,
    apiKeys: {
      ...storage.apiKeys,
      findByHash(hash) {
        lookUps += 1
        return storage.apiKeys.findByHash(hash)
      },
    },
  }),
})
let key: string
let id: string

beforeAll(async () => {
  const created = await context.host.createKey()
  key = created.key
  id = await context.host.startQuotation(key)
})
beforeEach(() => {
  lookUps = 0
})

const get = (headers: Record<string, string>, query = '') =>
  context.host.call('GET', `/v1/integrations/quotations/${id}${query}`, { headers })

const setKey = (keyId: string, values: Record<string, unknown>) =>
  context.sql`update quickquote.api_keys set ${context.sql(values)} where id = ${keyId}`

describe('Authentication, rule 1: the key is sent in X-API-Key', () => {
  it('accepts a valid key, whatever the case of the header', async () => {
    expect((await get({ 'x-API-key': key })).status).toBe(200)
  })

  it('accepts it nowhere else', async () => {
    expect((await get({ Authorization: `Bearer ${key}` })).status).toBe(401)
    expect((await get({ Cookie: `X-API-Key=${key}` })).status).toBe(401)
  })
})

describe('Authentication, rule 2: a key in the query is a 400', () => {
  const names = ['api_key', 'apikey', 'api-key', 'x-api-key', 'key', 'token', 'access_token']
  const spellings = names.flatMap((name) => [
    name,
    name.toUpperCase(),
    `%20${name}`,
    name.replace('k', '%6b'),
  ])

  it.each(spellings)('under the name %s', async (name) => {
    const { status, body } = await get({}, `?${name}=whatever`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'API_KEY_IN_QUERY' })
  })

  it.each([
    ['under any other name', (value: string) => `?a=1&q=${value}`],
    ['percent-encoded', (value: string) => `?q=${value.replace('_', '%5F')}`],
    ['inside a longer value', (value: string) => `?q=key:${value}!`],
    ['as the name', (value: string) => `?${value}`],
    ['twice', (value: string) => `?q=1&q=${value}`],
    ['after a semicolon', (value: string) => `?a=1;q=${value}`],
    ['in capitals', (value: string) => `?q=${value.toUpperCase()}`],
    ['next to a malformed escape', (value: string) => `?x=%zz&q=${value}`],
  ])('as a value like a key, %s', async (_, query) => {
    for (const headers of [{}, { 'X-API-Key': key }]) {
      const { status, body } = await get(headers, query(key))
      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'API_KEY_IN_QUERY' })
      expect(JSON.stringify(body)).not.toContain(key.slice(3))
    }
  })

  it('even with a valid key in the header, on every kind of route, and without a database query', async () => {
    for (const [method, path] of [
      ['GET', `/v1/integrations/quotations/${id}`],
      ['POST', '/v1/integrations/quotations'],
      ['DELETE', `/v1/integrations/quotations/${id}`],
      ['GET', '/v1/integrations/nothing/here'],
      ['GET', '/v1/integrations'],
      ['OPTIONS', '/v1/integrations/quotations'],
    ] as const) {
      const { status, body } = await context.host.call(method, `${path}?api_key=${key}`, { key })
      expect([method, path, status, body['code']]).toEqual([method, path, 400, 'API_KEY_IN_QUERY'])
    }
    expect(lookUps).toBe(0)
  })

  it('ignores other parameters', async () => {
    expect((await get({ 'X-API-Key': key }, '?keyboard=1&q=pk_short&organization_id=1')).status).toBe(200)
  })

  it('keeps the value out of every log line, on known and unknown paths', async () => {
    const secret = 'a-secret-without-shape'
    const { host } = context
    const before = host.logs.length
    await host.call('GET', `/v1/integrations/quotations/${id}?token=${secret}&a=1`, { key })
    await host.call('GET', `/v1/integrations/nothing?token=${secret}`, { key })
    await host.call('PUT', `/v1/integrations/quotations/${id}?Token=${secret}`, { key })
    await host.call('OPTIONS', `/v1/integrations/quotations?tok%65n=${secret}`, { key })
    await host.call('GET', `/v1/integrations/quotations/${key}`, { key })
    await host.call('POST', `/v1/organizations/${NOWHERE}/api-keys?api_key=${key}`)
    await sendRaw(
      host.url,
      `PROPFIND /v1/integrations/x?token=${secret} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    )
    const logged = host.logs.slice(before).join('')
    expect(logged).toContain(`/v1/integrations/quotations/${id}?token=[redacted]&a=1`)
    expect(logged).toContain('"method":"PROPFIND"')
    expect(logged).not.toContain(secret)
    expect(logged).not.toContain(key.slice(3))
  })
})

describe('Authentication, rule 3: a missing or invalid key is a 401', () => {
  it('missing', async () => {
    const { status, body } = await get({})
    expect(status).toBe(401)
    expect(body).toMatchObject({ code: 'API_KEY_MISSING' })
    expect((await get({ 'X-API-Key': '' })).body).toMatchObject({ code: 'API_KEY_MISSING' })
  })

  it.each<[string, (value: string) => string]>([
    ['one character off', (value) => value.slice(0, 10) + (value[10] === 'a' ? 'b' : 'a') + value.slice(11)],
    ['in the wrong case', (value) => `pk_${value.slice(3).toLowerCase()}`],
    ['with a prefix in capitals', (value) => `PK_${value.slice(3)}`],
    ['cut off', (value) => value.slice(0, -1)],
    ['with something after it', (value) => `${value}x`],
    ['without its prefix', (value) => value.slice(3)],
    ['with Bearer before it', (value) => `Bearer ${value}`],
    ['10 kB long', (value) => value.repeat(200)],
    ['twice in one header', (value) => `${value}, ${value}`],
    ['a masked form', (value) => `${value.slice(0, 7)}...${value.slice(-4)}`],
  ])('%s, without a database query', async (_, spoil) => {
    const { status, body } = await get({ 'X-API-Key': spoil(key) })
    expect(status).toBe(401)
    expect(body).toMatchObject({ code: 'API_KEY_INVALID' })
    expect(lookUps).toBe(0)
  })

  it('the header twice', async () => {
    const answer = await sendRaw(
      context.host.url,
      `GET /v1/integrations/quotations/${id} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(answer).toContain('API_KEY_INVALID')
  })

  it('well-formed but unknown', async () => {
    const deleted = await context.host.createKey()
    await context.sql`delete from quickquote.api_keys where id = ${deleted.id}`
    const { status, body } = await get({ 'X-API-Key': deleted.key })
    expect(status).toBe(401)
    expect(body).toMatchObject({ code: 'API_KEY_INVALID' })
    expect(lookUps).toBe(1)
  })
})

describe('Authentication, rule 4: a key that may not be used is a 403', () => {
  it.each([
    ['inactive', { status: 'inactive' }, 'API_KEY_INACTIVE'],
    ['expired', { expires_at: new Date(Date.now() - 1000) }, 'API_KEY_EXPIRED'],
    ['revoked', { status: 'revoked' }, 'API_KEY_REVOKED'],
    ['revoked and expired', { status: 'revoked', expires_at: new Date(0) }, 'API_KEY_REVOKED'],
  ])('%s', async (_, values, code) => {
    const spent = await context.host.createKey()
    expect((await get({ 'X-API-Key': spent.key })).status).toBe(200)
    await setKey(spent.id, values)
    const { status, body } = await get({ 'X-API-Key': spent.key })
    expect(status).toBe(403)
    expect(body).toMatchObject({ code })
    const start = await context.host.call('POST', '/v1/integrations/quotations', { key: spent.key, json: {} })
    expect(start.body).toMatchObject({ code })
  })

  it('a key that is activated again works again', async () => {
    const resting = await context.host.createKey()
    await setKey(resting.id, { status: 'inactive' })
    expect((await get({ 'X-API-Key': resting.key })).status).toBe(403)
    await setKey(resting.id, { status: 'active' })
    expect((await get({ 'X-API-Key': resting.key })).status).toBe(200)
  })
})

describe('Authentication, rule 6: last_used_at', () => {
  const lastUsed = async (keyId: string) =>
    (await context.sql`select last_used_at from quickquote.api_keys where id = ${keyId}`)[0]?.['last_used_at']

  /** Uses are written in the order of their requests. */
  async function usesAreWritten(): Promise<void> {
    const last = await context.host.createKey()
    await get({ 'X-API-Key': last.key })
    await expect.poll(() => lastUsed(last.id)).not.toBeNull()
  }

  it('is updated only by a successful authentication', async () => {
    const fresh = await context.host.createKey()
    await usesAreWritten()
    expect(await lastUsed(fresh.id)).toBeNull()

    const before = Date.now()
    expect((await get({ 'X-API-Key': fresh.key })).status).toBe(200)
    await usesAreWritten()
    const first = await lastUsed(fresh.id)
    expect(first.getTime()).toBeGreaterThanOrEqual(before)

    await setKey(fresh.id, { status: 'inactive' })
    expect((await get({ 'X-API-Key': fresh.key })).status).toBe(403)
    await usesAreWritten()
    expect(await lastUsed(fresh.id)).toEqual(first)
  })

  it('is also updated by a request that ends in an error', async () => {
    const fresh = await context.host.createKey()
    await context.host.call('GET', `/v1/integrations/quotations/${NOWHERE}`, { key: fresh.key })
    await usesAreWritten()
    expect(await lastUsed(fresh.id)).not.toBeNull()
  })
})

describe('the order of checks', () => {
  const path = '/v1/integrations/quotations'
  const broken = { body: '{', headers: { 'Content-Type': 'application/json' } }

  it('a key in the query is checked first', async () => {
    expect((await context.host.call('POST', `${path}?key=x`, broken)).body).toMatchObject({
      code: 'API_KEY_IN_QUERY',
    })
  })

  it('401 comes before validation, media types, unknown routes and methods', async () => {
    const { host } = context
    expect((await host.call('POST', path, broken)).status).toBe(401)
    expect(
      (await host.call('POST', path, { body: 'x', headers: { 'Content-Type': 'text/plain' } })).status,
    ).toBe(401)
    expect((await host.call('GET', `${path}/not-a-uuid`)).status).toBe(401)
    expect((await host.call('GET', '/v1/integrations/nothing')).status).toBe(401)
    expect((await host.call('DELETE', path)).status).toBe(401)
  })

  it('403 of the key comes before validation', async () => {
    const revoked = await context.host.createKey()
    await setKey(revoked.id, { status: 'revoked' })
    const { body } = await context.host.call('POST', path, { ...broken, key: revoked.key })
    expect(body).toMatchObject({ code: 'API_KEY_REVOKED' })
  })

  it('validation comes before the look-up', async () => {
    const { body } = await context.host.call('GET', `${path}/not-a-uuid/proposal`, { key })
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED' })
  })
})
