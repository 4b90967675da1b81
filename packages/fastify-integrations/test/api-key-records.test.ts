import { randomUUID } from 'node:crypto'
import type { Member } from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import {
  ACME,
  GLOBEX,
  type MemberName,
  NOWHERE,
  openHost,
  useDatabase,
  useHost,
  YEAR_AHEAD,
} from './support/host.ts'

const context = useHost()
const KEYS = `/v1/organizations/${ACME}/api-keys`
const RECORD_FIELDS = [
  'id',
  'organization_id',
  'owner_id',
  'name',
  'masked_key',
  'status',
  'expires_at',
  'last_used_at',
  'replaced_by',
  'created_at',
  'updated_at',
]

/** A separate organization, whose list has no other keys. */
function member(memberId: string, permissions: string[] = [], organizationId = ACME): Member {
  return { memberId, organizationId, permissions: new Set(permissions) }
}

async function keyOf(memberId: string, name = 'CRM'): Promise<string> {
  const { id } = await context.host.integrations.apiKeys.create(member(memberId), {
    name,
    expires_at: YEAR_AHEAD,
  })
  return id
}

const call = (method: string, path: string, as: MemberName, json?: unknown) =>
  context.host.call(method, path, { member: as, json })

const listed = (body: unknown) => body as { id: string; owner_id: string }[]

/** Follows `next` links to the end. */
async function pages(path: string, as: MemberName): Promise<{ id: string; owner_id: string }[][]> {
  const read = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer = await call('GET', next, as)
    expect(answer.status).toBe(200)
    read.push(listed(answer.body))
    next = /^<(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  return read
}

describe('GET /v1/organizations/:organizationId/api-keys', () => {
  it('lists the caller’s own keys, without their values, with no-store', async () => {
    const [own, other] = [await keyOf('acme-member'), await keyOf('somebody')]
    const { status, headers, body } = await call('GET', KEYS, 'acme-member')
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    const ids = listed(body).map(({ id }) => id)
    expect(ids).toContain(own)
    expect(ids).not.toContain(other)
    for (const record of listed(body)) expect(Object.keys(record)).toEqual(RECORD_FIELDS)
  })

  it('lists the keys of all members with ?owner=all, only for holders of manage_integrations', async () => {
    const id = await keyOf('somebody')
    const all = await call('GET', `${KEYS}?owner=all&limit=100`, 'acme-admin')
    expect(listed(all.body).map((key) => key.id)).toContain(id)
    const own = await call('GET', `${KEYS}?owner=me`, 'acme-admin')
    expect(listed(own.body).map(({ owner_id }) => owner_id)).not.toContain('somebody')

    const { status, body } = await call('GET', `${KEYS}?owner=all`, 'acme-member')
    expect(status).toBe(403)
    expect(body).toMatchObject({ code: 'PERMISSION_REQUIRED' })
  })

  it('lists keys in every state', async () => {
    const { apiKeys } = context.host.integrations
    const ids = [await keyOf('acme-member'), await keyOf('acme-member'), await keyOf('acme-member')]
    await apiKeys.deactivate(member('acme-member'), String(ids[1]))
    await apiKeys.revoke(member('acme-member'), String(ids[2]))
    const { body } = await call('GET', `${KEYS}?limit=3`, 'acme-member')
    expect(body).toMatchObject([
      { id: ids[2], status: 'revoked' },
      { id: ids[1], status: 'inactive' },
      { id: ids[0], status: 'active' },
    ])
  })

  it('continues page by page through the next link, which keeps the filters', async () => {
    const ids = []
    for (let count = 0; count < 5; count += 1) ids.push(await keyOf('acme-admin', `page ${count}`))
    const whole = listed((await call('GET', `${KEYS}?owner=all&limit=100`, 'acme-admin')).body)
    const read = await pages(`${KEYS}?owner=all&limit=2`, 'acme-admin')
    expect(read.slice(0, -1).every((page) => page.length === 2)).toBe(true)
    expect(read.flat()).toEqual(whole)
    expect(whole.slice(0, 5).map(({ id }) => id)).toEqual(ids.toReversed())
    expect(new Set(whole.map(({ owner_id }) => owner_id)).size).toBeGreaterThan(1)
  })

  it('repeats only known parameters in the next link', async () => {
    await keyOf('acme-member')
    const { headers } = await call('GET', `${KEYS}?limit=1&api_key=none&x=1`, 'acme-member')
    expect(headers.get('link')).toMatch(
      /^<\/v1\/organizations\/[\w-]+\/api-keys\?limit=1&cursor=[0-9a-f]{80}>; rel="next"$/,
    )
  })

  it.each([
    ['?limit=0', '?limit'],
    ['?limit=101', '?limit'],
    ['?limit=many', '?limit'],
    ['?limit=1&limit=2', '?limit'],
    ['?limit=1.5', '?limit'],
    ['?owner=somebody', '?owner'],
    ['?cursor=', '?cursor'],
    ['?cursor=next', '?cursor'],
    [`?cursor=${'A'.repeat(200)}`, '?cursor'],
    [`?cursor=${NOWHERE}`, '?cursor'],
  ])('refuses %s with 400', async (query, pointer) => {
    const { status, body } = await call('GET', KEYS + query, 'acme-member')
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
  })
})

describe('GET /v1/organizations/:organizationId/api-keys/:id', () => {
  it('returns the record of a key, with its last use', async () => {
    const { id, key } = await context.host.createKey('acme-member')
    await context.host.call('GET', `/v1/integrations/quotations/${NOWHERE}`, { key })
    let record: Record<string, unknown> = {}
    await expect
      .poll(async () => {
        const { status, body } = await call('GET', `${KEYS}/${id}`, 'acme-member')
        expect(status).toBe(200)
        record = body
        return body['last_used_at']
      })
      .toEqual(expect.any(String))
    expect(Object.keys(record)).toEqual(RECORD_FIELDS)
    expect(record).toMatchObject({
      id,
      owner_id: 'acme-member',
      masked_key: `${key.slice(0, 7)}…${key.slice(-4)}`,
    })
  })
})

describe('PATCH /v1/organizations/:organizationId/api-keys/:id', () => {
  it('renames a key, and changes nothing else, whatever the body says', async () => {
    const id = await keyOf('acme-member')
    const before = (await call('GET', `${KEYS}/${id}`, 'acme-member')).body
    const { status, headers, body } = await call('PATCH', `${KEYS}/${id}`, 'acme-member', {
      name: 'ERP 日本',
      expires_at: '2099-01-01T00:00:00Z',
      owner_id: 'thief',
      organization_id: GLOBEX,
      status: 'revoked',
      masked_key: 'pk_',
    })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({ ...before, name: 'ERP 日本', updated_at: expect.any(String) })
    expect(body['updated_at']).not.toBe(before['updated_at'])
    expect((await call('GET', `${KEYS}/${id}`, 'acme-member')).body).toEqual(body)
  })

  it('does nothing if the name is the same', async () => {
    const id = await keyOf('acme-member')
    const before = (await call('GET', `${KEYS}/${id}`, 'acme-member')).body
    expect((await call('PATCH', `${KEYS}/${id}`, 'acme-member', { name: 'CRM' })).body).toEqual(before)
  })

  it('renames an inactive key, but not a revoked one', async () => {
    const { apiKeys } = context.host.integrations
    const id = await keyOf('acme-member')
    await apiKeys.deactivate(member('acme-member'), id)
    expect((await call('PATCH', `${KEYS}/${id}`, 'acme-admin', { name: 'old CRM' })).body).toMatchObject({
      name: 'old CRM',
      status: 'inactive',
    })
    await apiKeys.revoke(member('acme-member'), id)
    const { status, body } = await call('PATCH', `${KEYS}/${id}`, 'acme-member', { name: 'gone' })
    expect(status).toBe(409)
    expect(body).toMatchObject({ code: 'STATE_CONFLICT' })
  })

  it.each([
    ['no fields', {}],
    ['fields that it does not know', { title: 'CRM' }],
    ['an empty name', { name: '' }],
    ['null for a name', { name: null }],
    ['a number for a name', { name: 5 }],
    ['a name of 201 characters', { name: 'x'.repeat(201) }],
    ['a name with a NUL', { name: 'C\0RM' }],
  ])('refuses %s with 400', async (_, json) => {
    const id = await keyOf('acme-member')
    const { status, body } = await call('PATCH', `${KEYS}/${id}`, 'acme-member', json)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer: '/name' }] })
  })
})

describe('a key that the caller may not manage', () => {
  const ROUTES = [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/activate'],
    ['POST', '/deactivate'],
  ] as const

  it.each(ROUTES)('is the same 404 as an unknown key: %s :id%s', async (method, path) => {
    const others = {
      "another member's": await keyOf('somebody'),
      "another organization's": (await context.host.createKey('globex-admin')).id,
      "nobody's": randomUUID(),
    }
    const problems = []
    for (const id of Object.values(others)) {
      const json = method === 'PATCH' ? { name: 'stolen' } : undefined
      const { status, body } = await call(method, `${KEYS}/${id}${path}`, 'acme-member', json)
      expect(status).toBe(404)
      const { instance: _, ...problem } = body
      problems.push(problem)
    }
    expect(problems[0]).toMatchObject({ code: 'API_KEY_NOT_FOUND' })
    expect(problems[1]).toEqual(problems[0])
    expect(problems[2]).toEqual(problems[0])
    const rows = await context.sql`select name, status from quickquote.api_keys
      where id = any(${Object.values(others)}) and name <> 'stolen'`
    expect(rows.map(({ status }) => status)).toEqual(['active', 'active'])
  })

  it.each(ROUTES)(
    'of another organization is also a 404 for holders of manage_integrations: %s :id%s',
    async (method, path) => {
      const { id } = await context.host.createKey('globex-admin')
      const json = method === 'PATCH' ? { name: 'stolen' } : undefined
      const { status, body } = await call(method, `${KEYS}/${id}${path}`, 'acme-admin', json)
      expect(status).toBe(404)
      expect(body).toMatchObject({ code: 'API_KEY_NOT_FOUND' })
    },
  )
})

describe('a host with its own key screens', () => {
  const database = useDatabase()

  it('turns the routes off and calls the same service, also in its own transaction', async () => {
    const host = await openHost({ databaseUrl: database.url, plugin: { apiKeyRoutes: false } })
    expect((await host.call('GET', KEYS, { member: 'acme-admin' })).status).toBe(404)

    const { apiKeys, within } = host.integrations
    const owner = member('owner')
    const rolledBack = database.sql.begin(async (transaction) => {
      const { id } = await within(transaction).apiKeys.create(owner, {
        name: 'CRM',
        expires_at: YEAR_AHEAD,
      })
      expect(await within(transaction).apiKeys.get(owner, id)).toMatchObject({ id })
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    expect(await apiKeys.list(owner)).toEqual({ items: [], nextCursor: null })
    const admin = member('root', ['manage_integrations'])
    expect((await host.integrations.auditLog.list(admin)).items).toEqual([])

    const { id } = await apiKeys.create(owner, { name: 'CRM', expires_at: YEAR_AHEAD })
    expect((await apiKeys.list(admin, { owner: 'all', limit: 1 })).items).toMatchObject([{ id }])
    await expect(apiKeys.list(owner, { limit: 1000 })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
    await expect(apiKeys.list(owner, { owner: 'all' })).rejects.toMatchObject({
      code: 'PERMISSION_REQUIRED',
    })
    await expect(apiKeys.get(member('other'), id)).rejects.toMatchObject({ code: 'API_KEY_NOT_FOUND' })
    await expect(apiKeys.revoke(owner, 'no id')).rejects.toMatchObject({ code: 'API_KEY_NOT_FOUND' })
  })
})
