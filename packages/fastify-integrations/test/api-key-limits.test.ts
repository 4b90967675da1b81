import { memberOf } from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import {
  ACME,
  GLOBEX,
  type Host,
  type MemberName,
  openHost,
  useDatabase,
  YEAR_AHEAD,
} from './support/host.ts'

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
