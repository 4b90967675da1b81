import { createHash, randomUUID } from 'node:crypto'
import type { ApiKey, Member } from '@quickquote/core'
import { afterEach, describe, expect, it } from 'vitest'
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

describe('Creating a key', () => {
  const context = useHost()
  const path = `/v1/organizations/${ACME}/api-keys`
  const create = (json: unknown) => context.host.call('POST', path, { member: 'acme-member', json })
  const days = (count: number) => new Date(Date.now() + count * 24 * 60 * 60 * 1000).toISOString()

  describe('POST /v1/organizations/:organizationId/api-keys', () => {
    it('answers 201 with the record and the key, shown once, with no-store', async () => {
      const { status, headers, body } = await create({ name: 'CRM', expires_at: YEAR_AHEAD })
      expect(status).toBe(201)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(body).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        organization_id: ACME,
        owner_id: 'acme-member',
        name: 'CRM',
        masked_key: expect.stringMatching(/^pk_\w{4}…\w{4}$/),
        status: 'active',
        expires_at: YEAR_AHEAD,
        last_used_at: null,
        replaced_by: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        key: expect.stringMatching(/^pk_[0-9A-Za-z]{49}$/),
      })
      const key = String(body['key'])
      expect(body['masked_key']).toBe(`${key.slice(0, 7)}…${key.slice(-4)}`)
    })

    it('stores only the hash of the key', async () => {
      const { body } = await create({ name: 'CRM', expires_at: YEAR_AHEAD })
      const [row] =
        await context.sql`select *, api_keys::text as everything from quickquote.api_keys where id = ${String(body['id'])}`
      expect(row?.['key_hash']).toEqual(createHash('sha256').update(String(body['key'])).digest())
      expect(row?.['everything']).not.toContain(String(body['key']).slice(3, 40))
    })

    it('ignores an organization, an owner or a key in the body', async () => {
      const { body } = await create({
        name: 'CRM',
        expires_at: YEAR_AHEAD,
        organization_id: GLOBEX,
        owner_id: 'acme-admin',
        key: 'pk_mine',
        status: 'revoked',
      })
      expect(body).toMatchObject({ organization_id: ACME, owner_id: 'acme-member', status: 'active' })
    })

    it.each<[string, Record<string, unknown>, string]>([
      ['no name', { expires_at: YEAR_AHEAD }, '/name'],
      ['an empty name', { name: '', expires_at: YEAR_AHEAD }, '/name'],
      ['a number for a name', { name: 5, expires_at: YEAR_AHEAD }, '/name'],
      ['null for a name', { name: null, expires_at: YEAR_AHEAD }, '/name'],
      ['a name of 201 characters', { name: 'x'.repeat(201), expires_at: YEAR_AHEAD }, '/name'],
      ['no expiry', { name: 'CRM' }, '/expires_at'],
      ['an expiry that is not a timestamp', { name: 'CRM', expires_at: 'tomorrow' }, '/expires_at'],
      ['an expiry without a time zone', { name: 'CRM', expires_at: '2027-01-01T00:00:00' }, '/expires_at'],
      ['a number for an expiry', { name: 'CRM', expires_at: 4_000_000_000 }, '/expires_at'],
      ['an expiry in the past', { name: 'CRM', expires_at: days(-1) }, '/expires_at'],
      ['an expiry more than two years away', { name: 'CRM', expires_at: days(732) }, '/expires_at'],
    ])('refuses %s with 400', async (_, json, pointer) => {
      const { status, body } = await create(json)
      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
    })

    it('creates a key that works', async () => {
      const { body } = await create({ name: 'CRM', expires_at: YEAR_AHEAD })
      const key = String(body['key'])
      const id = await context.host.startQuotation(key)
      expect((await context.host.call('GET', `/v1/integrations/quotations/${id}`, { key })).status).toBe(200)
    })
  })
})

describe('The record of a key', () => {
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
})

describe('The states of a key', () => {
  type ApiKeyStatus = ApiKey['status']
  type ApiKeyMove = 'activate' | 'deactivate' | 'revoke'

  const HOUR_MS = 60 * 60 * 1000
  let ahead = 0
  const context = useHost({
    integrations: {
      now: () => new Date(Date.now() + ahead),
      limits: { failedAuthenticationsPerMinute: 10_000 },
    },
  })
  afterEach(() => {
    ahead = 0
  })

  const admin: Member = {
    memberId: 'root',
    organizationId: ACME,
    permissions: new Set(['manage_integrations']),
  }

  /** Creates a key of a member in a state. */
  async function keyIn(state: ApiKeyStatus, memberId: string) {
    const { apiKeys } = context.host.integrations
    const owner: Member = { memberId, organizationId: ACME, permissions: new Set() }
    const expires_at = new Date(Date.now() + HOUR_MS).toISOString()
    const { id, key } = await apiKeys.create(owner, { name: 'CRM', expires_at })
    if (state === 'inactive') await apiKeys.deactivate(owner, id)
    if (state === 'revoked') await apiKeys.revoke(owner, id)
    if (state === 'expired') ahead = 2 * HOUR_MS
    return { id, value: key.reveal() }
  }

  const stateOf = async (id: string) => (await context.host.integrations.apiKeys.get(admin, id)).status

  /** The audit log entries of a key, newest first. */
  async function auditOf(id: string) {
    const { items } = await context.host.integrations.auditLog.list(admin, { resource_id: id })
    return items
  }

  /** The response to a partner with the key. A working key gets 404, because the quotation is unknown. */
  const CODE_IN: Record<ApiKeyStatus, [number, string]> = {
    active: [404, 'QUOTATION_NOT_FOUND'],
    inactive: [403, 'API_KEY_INACTIVE'],
    expired: [403, 'API_KEY_EXPIRED'],
    revoked: [403, 'API_KEY_REVOKED'],
  }

  const REQUESTS: Record<ApiKeyMove, { method: string; path: string; status: number; action: string }> = {
    activate: { method: 'POST', path: '/activate', status: 200, action: 'api_key.activated' },
    deactivate: { method: 'POST', path: '/deactivate', status: 200, action: 'api_key.deactivated' },
    revoke: { method: 'DELETE', path: '', status: 204, action: 'api_key.revoked' },
  }

  /** The state table of the specification: the next state of each move; null: refused. */
  const TABLE: Record<ApiKeyStatus, Record<ApiKeyMove, ApiKeyStatus | null>> = {
    active: { activate: 'active', deactivate: 'inactive', revoke: 'revoked' },
    inactive: { activate: 'active', deactivate: 'inactive', revoke: 'revoked' },
    expired: { activate: null, deactivate: null, revoke: 'revoked' },
    revoked: { activate: null, deactivate: null, revoke: 'revoked' },
  }

  interface Actor {
    readonly member?: MemberName
    readonly owner: string
    readonly organization?: string
    /** The refusal of the actor; without it, the state table decides. */
    readonly refused?: readonly [number, string]
  }

  const ACTORS: Record<string, Actor> = {
    'its owner': { member: 'acme-member', owner: 'acme-member' },
    'a holder of manage_integrations': { member: 'acme-admin', owner: 'acme-member' },
    'another member': { member: 'acme-member', owner: 'somebody', refused: [404, 'API_KEY_NOT_FOUND'] },
    'an admin of another organization, under its own': {
      member: 'globex-admin',
      owner: 'acme-member',
      organization: GLOBEX,
      refused: [404, 'API_KEY_NOT_FOUND'],
    },
    'an admin of another organization, under this one': {
      member: 'globex-admin',
      owner: 'acme-member',
      refused: [403, 'NOT_A_MEMBER'],
    },
    'a member of another organization that has the same id as the owner': {
      member: 'globex-admin',
      owner: 'globex-admin',
      organization: GLOBEX,
      refused: [404, 'API_KEY_NOT_FOUND'],
    },
    nobody: { owner: 'acme-member', refused: [401, 'SESSION_REQUIRED'] },
  }

  const CASES = Object.entries(TABLE).flatMap(([state, moves]) =>
    Object.entries(moves).flatMap(([move, next]) =>
      Object.entries(ACTORS).map(([name, actor]) => ({
        state: state as ApiKeyStatus,
        move: move as ApiKeyMove,
        next,
        name,
        actor,
      })),
    ),
  )

  describe('States and transitions: API key', () => {
    it.each(CASES)('$state, $move by $name', async ({ state, move, next, actor }) => {
      const key = await keyIn(state, actor.owner)
      const before = await auditOf(key.id)
      const { method, path, status, action } = REQUESTS[move]
      const { member, organization = ACME } = actor

      const answer = await context.host.call(
        method,
        `/v1/organizations/${organization}/api-keys/${key.id}${path}`,
        member === undefined ? {} : { member },
      )

      const refused = actor.refused ?? (next === null ? ([409, 'STATE_CONFLICT'] as const) : undefined)
      const now = refused === undefined ? (next ?? state) : state
      if (refused !== undefined) {
        expect([answer.status, answer.body['code']]).toEqual(refused)
      } else {
        expect(answer.status).toBe(status)
        expect(answer.body).toMatchObject(move === 'revoke' ? { text: '' } : { id: key.id, status: now })
      }
      expect(await stateOf(key.id)).toBe(now)
      const audit = await auditOf(key.id)
      expect(audit.slice(audit.length - before.length)).toEqual(before)
      expect(audit.slice(0, audit.length - before.length)).toEqual(
        now === state
          ? []
          : [
              expect.objectContaining({
                action,
                actor_id: member,
                resource_id: key.id,
                changes: [{ field: 'status', from: state, to: now }],
              }),
            ],
      )
      const use = await context.host.call('GET', `/v1/integrations/quotations/${NOWHERE}`, { key: key.value })
      expect([use.status, use.body['code']]).toEqual(CODE_IN[now])
    })

    it('an inactive key expires, too', async () => {
      const { id } = await keyIn('inactive', 'acme-member')
      ahead = 2 * HOUR_MS
      expect(await stateOf(id)).toBe('expired')
      const list = await context.host.call('GET', `/v1/organizations/${ACME}/api-keys?limit=1`, {
        member: 'acme-member',
      })
      expect(list.body).toMatchObject([{ id, status: 'expired' }])
      const answer = await context.host.call('POST', `/v1/organizations/${ACME}/api-keys/${id}/activate`, {
        member: 'acme-member',
      })
      expect(answer.status).toBe(409)
    })

    it('concurrent moves of a key: each starts from the result of the previous one, none follows a revocation', async () => {
      const { id } = await keyIn('active', 'acme-member')
      const moves = Array.from({ length: 30 }, (_, index) =>
        index === 20 ? 'revoke' : index % 2 === 0 ? 'deactivate' : 'activate',
      )
      const answers = await Promise.all(
        moves.map((move) => {
          const { method, path } = REQUESTS[move]
          return context.host.call(method, `/v1/organizations/${ACME}/api-keys/${id}${path}`, {
            member: 'acme-member',
          })
        }),
      )
      for (const { status } of answers) expect([200, 204, 409]).toContain(status)
      expect(await stateOf(id)).toBe('revoked')

      const changes = (await auditOf(id)).toReversed().flatMap((entry) => entry.changes)
      const states = changes.filter(({ field }) => field === 'status')
      expect(states[0]).toEqual({ field: 'status', to: 'active' })
      for (const [index, { from }] of states.entries()) {
        if (index > 0) expect(from).toBe(states[index - 1]?.to)
      }
      expect(states.map(({ to }) => to).indexOf('revoked')).toBe(states.length - 1)
    })
  })

  it('apiKeys.holds finds a key in any state, and writes nothing', async () => {
    const { apiKeys } = context.host.integrations
    const { id, key } = await context.host.createKey()
    expect(await apiKeys.holds(key)).toBe(true)
    await apiKeys.deactivate(admin, id)
    expect(await apiKeys.holds(key)).toBe(true)
    await apiKeys.revoke(admin, id)
    expect(await apiKeys.holds(key)).toBe(true)
    expect(await apiKeys.get(admin, id)).toMatchObject({ last_used_at: null })
    for (const unknown of ['', 'pk_x', `${key.slice(0, -1)}!`])
      expect(await apiKeys.holds(unknown)).toBe(false)
  })
})
