import { randomUUID } from 'node:crypto'
import { type ApiKeyExpiringWarning, memberOf } from '@quickquote/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  ACME,
  GLOBEX,
  type Host,
  type MemberName,
  NOWHERE,
  openHost,
  useDatabase,
  useHost,
  YEAR_AHEAD,
} from './support/host.ts'

describe('Rolling a key', () => {
  const SECOND_MS = 1000
  const HOUR_MS = 60 * 60 * SECOND_MS
  const DAY_MS = 24 * HOUR_MS
  const QUOTATIONS = '/v1/integrations/quotations'

  let ahead = 0
  const warned: ApiKeyExpiringWarning[] = []
  const context = useHost({
    integrations: {
      now: () => new Date(Date.now() + ahead),
      onApiKeyExpiring: (warning) => void warned.push(warning),
    },
  })
  const database = useDatabase()
  beforeEach(() => {
    warned.length = 0
  })
  afterEach(() => {
    ahead = 0
  })

  const keysOf = (organizationId: string) => `/v1/organizations/${organizationId}/api-keys`
  const call = (
    method: string,
    path: string,
    { member = 'acme-member', json }: { member?: MemberName; json?: object } = {},
  ) => context.host.call(method, keysOf(ACME) + path, { member, ...(json && { json }) })
  const create = async (expires_at: string = YEAR_AHEAD) =>
    (await call('POST', '', { json: { name: `CRM ${randomUUID()}`, expires_at } })).body
  const roll = (id: unknown, json: object = {}, member: MemberName = 'acme-member') =>
    call('POST', `/${id}/roll`, { member, json: { expires_at: YEAR_AHEAD, ...json } })
  const statusWith = async (key: unknown) =>
    (await context.host.call('GET', QUOTATIONS, { key: String(key) })).status

  describe('POST /api-keys/:id/roll', () => {
    it('of one key several times at once rolls it once: the others are refused with 409', async () => {
      const old = await create()
      const answers = await Promise.all(Array.from({ length: 8 }, () => roll(old['id'])))
      const [rolled] = answers.filter(({ status }) => status === 201)
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
      expect((await call('GET', `/${old['id']}`)).body['replaced_by']).toBe(rolled?.body['id'])
      const { body } = await call('GET', '?limit=100')
      const named = (body as unknown as { name: string }[]).filter(({ name }) => name === old['name'])
      expect(named).toHaveLength(2)
    })

    it('creates a key of the caller with the same name; both work until the overlap is over', async () => {
      const old = await create()
      const before = Date.now()
      const { status, body } = await roll(old['id'], { overlap_seconds: 3600 })
      expect(status).toBe(201)
      expect(body).toEqual({
        id: expect.any(String),
        organization_id: ACME,
        owner_id: 'acme-member',
        name: old['name'],
        key: expect.stringMatching(/^pk_/),
        masked_key: expect.stringMatching(/^pk_.{4}…/),
        status: 'active',
        expires_at: YEAR_AHEAD,
        last_used_at: null,
        replaced_by: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      })
      const replaced = (await call('GET', `/${old['id']}`)).body
      expect(replaced).toMatchObject({ status: 'active', replaced_by: body['id'], name: old['name'] })
      const end = Date.parse(String(replaced['expires_at']))
      expect(end - before).toBeGreaterThanOrEqual(HOUR_MS)
      expect(end - before).toBeLessThan(HOUR_MS + 60 * SECOND_MS)
      expect([await statusWith(old['key']), await statusWith(body['key'])]).toEqual([200, 200])
      ahead = HOUR_MS + 61 * SECOND_MS
      expect([await statusWith(old['key']), await statusWith(body['key'])]).toEqual([403, 200])
    })

    it('overlaps for a day by default, not at all with 0, and never beyond the expiry of the old key', async () => {
      const [one, two] = [await create(), await create()]
      await roll(one['id'])
      const ends = Date.parse(String((await call('GET', `/${one['id']}`)).body['expires_at']))
      expect(Math.abs(ends - Date.now() - DAY_MS)).toBeLessThan(60 * SECOND_MS)
      await roll(two['id'], { overlap_seconds: 0 })
      expect((await call('GET', `/${two['id']}`)).body).toMatchObject({ status: 'expired' })
      expect(await statusWith(two['key'])).toBe(403)
      const expires_at = new Date(Date.now() + HOUR_MS).toISOString()
      const three = await create(expires_at)
      await roll(three['id'], { overlap_seconds: 604_800 })
      expect((await call('GET', `/${three['id']}`)).body).toMatchObject({ expires_at })
    })

    it('makes the manager who rolls the key of another member the owner of the new one', async () => {
      const old = await create()
      expect((await roll(old['id'], {}, 'acme-admin')).body).toMatchObject({ owner_id: 'acme-admin' })
      expect((await call('GET', `/${old['id']}`)).body).toMatchObject({ owner_id: 'acme-member' })
    })

    it('refuses a key that is not active, or has been rolled, with 409', async () => {
      const [rolled, inactive, revoked] = [await create(), await create(), await create()]
      const expired = await create(new Date(Date.now() + HOUR_MS).toISOString())
      await roll(rolled['id'])
      await call('POST', `/${inactive['id']}/deactivate`)
      await call('DELETE', `/${revoked['id']}`)
      ahead = 2 * HOUR_MS
      for (const { id } of [rolled, inactive, revoked, expired] as { id: string }[]) {
        const { status, body } = await roll(id)
        expect([status, body['code']]).toEqual([409, 'STATE_CONFLICT'])
      }
      expect((await call('GET', `/${inactive['id']}`)).body).toMatchObject({ replaced_by: null })
    })

    it('rolls a key once, however many ask at the same moment', async () => {
      const old = await create()
      const answers = await Promise.all(Array.from({ length: 5 }, () => roll(old['id'])))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
      const names = (await call('GET', '?limit=100')).body as unknown as { name: string }[]
      expect(names.filter(({ name }) => name === old['name'])).toHaveLength(2)
    })

    it.each<[object, string]>([
      [{ expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
      [{ expires_at: undefined }, '/expires_at'],
      [{ overlap_seconds: -1 }, '/overlap_seconds'],
      [{ overlap_seconds: 604_801 }, '/overlap_seconds'],
      [{ overlap_seconds: 1.5 }, '/overlap_seconds'],
      [{ overlap_seconds: '60' }, '/overlap_seconds'],
      [{ overlap_seconds: null }, '/overlap_seconds'],
    ])('refuses %j with 400, and changes nothing', async (json, pointer) => {
      const old = await create()
      const { status, body } = await roll(old['id'], json)
      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] })
      expect((await call('GET', `/${old['id']}`)).body).toMatchObject({
        expires_at: YEAR_AHEAD,
        replaced_by: null,
      })
    })

    it('answers a key of another member or organization like an unknown one', async () => {
      const old = await create()
      const theirs = await context.host.createKey('globex-admin')
      const ofAdmin = (
        await call('POST', '', { member: 'acme-admin', json: { name: 'x', expires_at: YEAR_AHEAD } })
      ).body
      for (const id of [theirs.id, NOWHERE, ofAdmin['id']]) {
        expect((await roll(id)).body).toMatchObject({ status: 404, code: 'API_KEY_NOT_FOUND' })
      }
      const path = `${keysOf(GLOBEX)}/${old['id']}/roll`
      const answer = await context.host.call('POST', path, {
        member: 'globex-admin',
        json: { expires_at: YEAR_AHEAD },
      })
      expect(answer.status).toBe(404)
      expect(await statusWith(theirs.key)).toBe(200)
    })

    it('is one entry of the audit log, on the old key, which names the new one', async () => {
      const old = await create()
      const { body: created } = await roll(old['id'], { overlap_seconds: 60 }, 'acme-admin')
      const list = async (query: string) =>
        (
          await context.host.call('GET', `/v1/organizations/${ACME}/audit-log${query}`, {
            member: 'acme-admin',
          })
        ).body as unknown as object[]
      const [entry, ...more] = await list(`?resource_id=${old['id']}&action=api_key.rolled`)
      expect(more).toEqual([])
      expect(entry).toMatchObject({
        actor_id: 'acme-admin',
        resource_name: old['name'],
        changes: [
          { field: 'expires_at', from: YEAR_AHEAD, to: expect.any(String) },
          { field: 'replaced_by', from: null, to: created['id'] },
        ],
      })
      expect(JSON.stringify(await list('?limit=100'))).not.toContain(created['key'])
      expect(await list(`?resource_id=${created['id']}`)).toEqual([])
    })

    it('warns the partner who still uses the old key, and the host', async () => {
      const old = await create()
      const answer = () => context.host.call('GET', QUOTATIONS, { key: String(old['key']) })
      expect((await answer()).headers.get('x-api-key-expires-at')).toBeNull()
      // A key that was as short from the beginning gets no warning.
      ahead = 2 * DAY_MS
      const { body: created } = await roll(old['id'])
      const { expires_at } = (await call('GET', `/${old['id']}`)).body
      expect((await answer()).headers.get('x-api-key-expires-at')).toBe(expires_at)
      await context.sql`update quickquote.api_keys set created_at = created_at - interval '1 day' where id = ${String(old['id'])}`
      await context.host.integrations.sendWarnings()
      expect(warned.find(({ apiKey }) => apiKey.id === old['id'])).toMatchObject({
        apiKey: { replaced_by: created['id'] },
        expiresAt: new Date(String(expires_at)),
        daysLeft: 1,
      })
    })
  })

  describe('a key that has been rolled', () => {
    it('does not count for the limits any more', async () => {
      const limits = { apiKeysPerMember: 2, apiKeysPerOrganization: 2 }
      const host = await openHost({ databaseUrl: database.url, integrations: { limits }, limitsKeys: true })
      const send = (path: string, json: object) =>
        host.call('POST', keysOf(ACME) + path, {
          member: 'acme-member',
          json: { expires_at: YEAR_AHEAD, ...json },
        })
      const [one] = [await send('', { name: 'one' }), await send('', { name: 'two' })]
      expect((await send('', { name: 'three' })).status).toBe(409)
      const rolled = await send(`/${one.body['id']}/roll`, {})
      expect(rolled.status).toBe(201)
      expect((await send(`/${rolled.body['id']}/roll`, {})).status).toBe(201)
      expect((await send('', { name: 'three' })).body).toMatchObject({ code: 'API_KEY_LIMIT_REACHED' })
    })
  })
})

describe('The limits of keys', () => {
  const keysOf = (organizationId: string) => `/v1/organizations/${organizationId}/api-keys`
  const json = { name: 'CRM', expires_at: YEAR_AHEAD }

  function create(host: Host, member: MemberName) {
    return host.call('POST', keysOf(member === 'globex-admin' ? GLOBEX : ACME), { member, json })
  }

  /** One after the other: all of them wait for the same row, for three seconds at most. */
  async function createMany(host: Host, member: MemberName, count: number): Promise<string[]> {
    const created = []
    while (created.length < count) created.push(await create(host, member))
    expect(created.map(({ status }) => status)).toEqual(Array(count).fill(201))
    return created.map(({ body }) => String(body['id']))
  }

  /** A host with its own database, so that every test starts without keys. */
  function beside(name: string, test: (host: Host, sql: typeof database.sql) => Promise<void>, limits = {}) {
    it(name, async () => {
      await database.sql`delete from quickquote.api_keys`
      const host = await openHost({ databaseUrl: database.url, integrations: { limits }, limitsKeys: true })
      await test(host, database.sql)
    })
  }
  const database = useDatabase()

  describe('keys that are neither revoked nor expired', () => {
    beside('are at most 25 of one member, and at most 100 of one organization', async (host, sql) => {
      await createMany(host, 'acme-member', 25)
      const refused = await create(host, 'acme-member')
      expect(refused).toMatchObject({
        status: 409,
        body: {
          code: 'API_KEY_LIMIT_REACHED',
          detail: 'A member may have at most 25 API keys that are neither revoked nor expired.',
        },
      })
      await createMany(host, 'acme-admin', 24)
      // Keys of other members fill the organization, so acme-admin cannot create a 25th.
      await sql`
      insert into quickquote.api_keys
      select gen_random_uuid(), organization_id, 'member ' || n, name, sha256(n::text::bytea), masked_key, status,
        expires_at, null, created_at, updated_at
      from generate_series(1, 51) n, (select * from quickquote.api_keys limit 1) key`
      expect(await create(host, 'acme-admin')).toMatchObject({
        status: 409,
        body: {
          code: 'API_KEY_LIMIT_REACHED',
          detail: 'An organization may have at most 100 API keys that are neither revoked nor expired.',
        },
      })
      expect((await create(host, 'globex-admin')).status).toBe(201)
    })

    const limits = { apiKeysPerMember: 3, apiKeysPerOrganization: 5 }

    beside(
      'stay within the limit if twelve are created at once',
      async (host) => {
        const [first, second, third] = await Promise.all([
          Promise.all(Array.from({ length: 6 }, () => create(host, 'acme-member'))),
          Promise.all(Array.from({ length: 6 }, () => create(host, 'acme-admin'))),
          Promise.all(Array.from({ length: 6 }, () => create(host, 'globex-admin'))),
        ])
        const taken = (answers: Awaited<ReturnType<typeof create>>[]) =>
          answers.filter(({ status }) => status === 201).length
        expect([taken(first) + taken(second), taken(third)]).toEqual([5, 3])
        expect(Math.max(taken(first), taken(second))).toBe(3)
        const refused = [...first, ...second, ...third].filter(({ status }) => status !== 201)
        expect(new Set(refused.map(({ body }) => body['code']))).toEqual(new Set(['API_KEY_LIMIT_REACHED']))
      },
      limits,
    )

    beside(
      'count while inactive, so that activating one never fails, but not once revoked or expired',
      async (host, sql) => {
        const [id] = await createMany(host, 'acme-member', 3)
        const path = `${keysOf(ACME)}/${id}`
        const act = async (method: string, url: string) =>
          (await host.call(method, url, { member: 'acme-member' })).status
        expect(await act('POST', `${path}/deactivate`)).toBe(200)
        expect((await create(host, 'acme-member')).status).toBe(409)
        expect(await act('POST', `${path}/activate`)).toBe(200)
        expect(await act('DELETE', path)).toBe(204)
        const [next] = await createMany(host, 'acme-member', 1)
        expect((await create(host, 'acme-member')).status).toBe(409)
        // Not just now(): times are whole milliseconds, and the next request may come within the same one.
        await sql`
        update quickquote.api_keys set expires_at = now() - interval '1 second' where id = ${String(next)}`
        await createMany(host, 'acme-member', 1)
        expect((await create(host, 'acme-member')).status).toBe(409)
      },
      limits,
    )

    beside(
      'are also limited for the host’s own calls, even in its own transaction',
      async (host, sql) => {
        const member = memberOf({ memberId: 'acme-member', organizations: [{ id: ACME }] }, ACME)
        for (let count = 0; count < 3; count += 1) await host.integrations.apiKeys.create(member, json)
        const refusal = expect.objectContaining({ code: 'API_KEY_LIMIT_REACHED' })
        await expect(host.integrations.apiKeys.create(member, json)).rejects.toEqual(refusal)
        const inside = sql.begin((tx) => host.integrations.within(tx).apiKeys.create(member, json))
        await expect(inside).rejects.toEqual(refusal)
      },
      limits,
    )

    beside('are kept by a member who already has more', async (host, sql) => {
      await createMany(host, 'acme-member', 4)
      const lower = await openHost({ databaseUrl: database.url, integrations: { limits } })
      expect((await create(lower, 'acme-member')).status).toBe(409)
      const listed = await lower.call('GET', keysOf(ACME), { member: 'acme-member' })
      expect(listed.body).toHaveLength(4)
      const [{ id }] = (await sql`select id from quickquote.api_keys limit 1`) as unknown as [{ id: string }]
      for (const move of ['deactivate', 'activate']) {
        const moved = await lower.call('POST', `${keysOf(ACME)}/${id}/${move}`, { member: 'acme-member' })
        expect(moved.status).toBe(200)
      }
    })
  })
})
