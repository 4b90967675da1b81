import type { Member } from '@quickquote/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  ACME,
  type Answer,
  type Host,
  NOWHERE,
  startHost,
  useDatabase,
  useHost,
  YEAR_AHEAD,
} from './support/host.ts'
import { watchSecrets } from './support/secrets.ts'
import { sendRaw } from './support/socket.ts'

describe('A request with a key', () => {
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
      [
        'one character off',
        (value) => value.slice(0, 10) + (value[10] === 'a' ? 'b' : 'a') + value.slice(11),
      ],
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
      const start = await context.host.call('POST', '/v1/integrations/quotations', {
        key: spent.key,
        json: {},
      })
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
      (await context.sql`select last_used_at from quickquote.api_keys where id = ${keyId}`)[0]?.[
        'last_used_at'
      ]

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
})

describe('The notice of its expiry', () => {
  const DAY_MS = 24 * 60 * 60 * 1000
  const QUOTATIONS = '/v1/integrations/quotations'
  let ahead = 0
  const context = useHost({
    integrations: { now: () => new Date(Date.now() + ahead), limits: { startsPerMinute: 1 } },
  })
  afterEach(() => {
    ahead = 0
  })

  const owner: Member = { memberId: 'acme-member', organizationId: ACME, permissions: new Set() }
  const createKey = async (days: number) => {
    const { apiKeys } = context.host.integrations
    const expires_at = new Date(Date.now() + days * DAY_MS).toISOString()
    const { key } = await apiKeys.create(owner, { name: 'CRM', expires_at })
    return { key: key.reveal(), expires_at }
  }

  it('every response in the last 30 days of a key carries its expiry', async () => {
    const { key, expires_at } = await createKey(31)
    const { call } = context.host
    const notice = async (method: string, path: string, json?: unknown) => {
      const { status, headers } = await call(method, path, { key, json })
      return [status, headers.get('x-api-key-expires-at')]
    }
    expect(await notice('GET', QUOTATIONS)).toEqual([200, null])
    ahead = 1 * DAY_MS + 60_000
    expect(await notice('GET', QUOTATIONS)).toEqual([200, expires_at])
    expect(await notice('GET', `${QUOTATIONS}/${NOWHERE}`)).toEqual([404, expires_at])
    expect(await notice('POST', QUOTATIONS, { requirementsText: '' })).toEqual([400, expires_at])
    expect(await notice('POST', QUOTATIONS, { requirementsText: 'A roof.' })).toEqual([429, expires_at])
    ahead = 31 * DAY_MS + 60_000
    expect(await notice('GET', QUOTATIONS)).toEqual([403, null])
  })

  it('responses without a key, or of session routes, do not', async () => {
    await createKey(1)
    const { call } = context.host
    expect((await call('GET', QUOTATIONS)).headers.get('x-api-key-expires-at')).toBeNull()
    const keys = await call('GET', `/v1/organizations/${ACME}/api-keys`, { member: 'acme-member' })
    expect(keys.headers.get('x-api-key-expires-at')).toBeNull()
  })
})

describe('The secrecy of a key', () => {
  const database = useDatabase()
  let host: Host
  beforeAll(async () => {
    host = await startHost({ databaseUrl: database.url })
  })
  afterAll(() => host.close())

  const KEYS = `/v1/organizations/${ACME}/api-keys`

  /** The response, including headers. */
  const textOf = ({ headers, body }: Answer) => JSON.stringify([[...headers], body])

  /** Creates a key and uses it in every request that accepts or shows keys. Returns all responses but the first. */
  async function wholeLife(): Promise<{ key: string; answers: Answer[] }> {
    // So that a page of one key has a link to the next.
    await host.createKey('acme-admin')
    const created = await host.call('POST', KEYS, {
      member: 'acme-member',
      json: { name: 'CRM', expires_at: YEAR_AHEAD },
    })
    const { id, key } = created.body as { id: string; key: string }
    const answers: Answer[] = []
    const member = async (
      method: string,
      path: string,
      json?: unknown,
      as: 'acme-member' | 'acme-admin' = 'acme-member',
    ) => answers.push(await host.call(method, KEYS + path, { member: as, json }))
    const partner = async (path: string, value: string = key) =>
      answers.push(await host.call('GET', `/v1/integrations${path}`, { key: value }))

    const quotation = await host.startQuotation(key)
    await partner(`/quotations/${quotation}`)
    await partner(`/quotations/${NOWHERE}`)
    await partner(`/quotations/${quotation}?api_key=${key}`)
    await partner(`/quotations/${key}`)
    await partner(`/${key}`)
    await partner(`/quotations/${quotation}`, key.toLowerCase())
    await partner(`/quotations/${quotation}`, `${key}, ${key}`)
    await member('GET', '')
    await member('GET', `?owner=all&limit=1&x=${key}`, undefined, 'acme-admin')
    await member('GET', `?cursor=${key}`)
    await member('GET', `/${id}`)
    await member('GET', `/${key}`)
    await member('POST', '', { name: 5, expires_at: key, key })
    await member('PATCH', `/${id}`, { name: 'ERP', key })
    await member('POST', `/${id}/deactivate`)
    await partner(`/quotations/${NOWHERE}`)
    await member('POST', `/${id}/activate`)
    await member('DELETE', `/${id}`)
    await member('POST', `/${id}/activate`)
    await member('PATCH', `/${id}`, { name: 'gone' })
    await partner(`/quotations/${NOWHERE}`)
    answers.push(await host.call('GET', `/v1/organizations/${ACME}/audit-log`, { member: 'acme-admin' }))
    answers.push(await host.call('PUT', `${KEYS}/${key}`, { member: 'acme-admin' }))
    answers.push(await host.call('PUT', `${KEYS}/${id}`, { member: 'acme-admin', json: { key } }))
    return { key, answers }
  }

  it('shows a key once, at its creation, and never again in a response, a log line or a table', async () => {
    const watch = watchSecrets()
    const { key, answers } = await wholeLife()
    watch.answered('POST', KEYS, '', { key })
    expect(new Set(answers.map(({ status }) => status))).toEqual(
      new Set([200, 204, 400, 401, 403, 404, 405, 409]),
    )
    for (const answer of answers) {
      expect(textOf(answer)).not.toContain(key.slice(7, -4))
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    expect(await watch.leaks(host.logs, database.url)).toEqual([])
  })

  it('would find a key in any table, as text or as bytes', async () => {
    const watch = watchSecrets()
    const { id, key } = await host.createKey('acme-member')
    watch.answered('POST', KEYS, '', { key })
    const stored = (await database.sql`select key_hash, name from quickquote.api_keys where id = ${id}`)[0]
    await database.sql`update quickquote.api_keys set name = ${key} where id = ${id}`
    expect(await watch.leaks([], database.url)).toEqual(['the table quickquote.api_keys'])
    await database.sql`
    update quickquote.api_keys set name = ${stored?.['name']}, key_hash = ${Buffer.from(key)} where id = ${id}`
    expect(await watch.leaks([], database.url)).toEqual(['the table quickquote.api_keys'])
    await database.sql`update quickquote.api_keys set key_hash = ${stored?.['key_hash']} where id = ${id}`
    expect(await watch.leaks([key], database.url)).toEqual([`the log line ${key}`])
  })
})
