import { beforeEach, describe, expect, it } from 'vitest'
import { ACME, useHost, YEAR_AHEAD } from './support/host.ts'

type Describe = (ids: readonly string[], context: { organizationId: string }) => unknown
const calls: [readonly string[], string][] = []
let answer: Describe
const context = useHost({
  plugin: {
    describeMembers: (ids, { organizationId }) => {
      calls.push([[...ids].sort(), organizationId])
      return answer(ids, { organizationId }) as Record<string, { name: string }>
    },
  },
})
const plain = useHost()
beforeEach(() => {
  calls.length = 0
  answer = () => ({ 'acme-member': { name: 'Ada', email: 'ada@acme.example' } })
})

const PATH = `/v1/organizations/${ACME}`
const json = { name: 'CRM', expires_at: YEAR_AHEAD }
const call = (
  method: string,
  path: string,
  body?: object,
  member: 'acme-member' | 'acme-admin' = 'acme-member',
) => context.host.call(method, PATH + path, { member, ...(body && { json: body }) })
const listed = async (path: string) =>
  (await call('GET', path, undefined, 'acme-admin')).body as unknown as Record<string, unknown>[]

describe('describeMembers', () => {
  it('names the owner in every response with a key, without the rest', async () => {
    const { body: key } = await call('POST', '/api-keys', json)
    const { body: rolled } = await call('POST', `/api-keys/${key['id']}/roll`, { expires_at: YEAR_AHEAD })
    const answers = [
      key,
      rolled,
      (await call('GET', `/api-keys/${key['id']}`)).body,
      (await call('PATCH', `/api-keys/${key['id']}`, { name: 'x' })).body,
      (await call('POST', `/api-keys/${key['id']}/deactivate`)).body,
      (await call('POST', `/api-keys/${key['id']}/activate`)).body,
    ]
    expect(answers.map(({ owner_name }) => owner_name)).toEqual(Array(6).fill('Ada'))
    expect(JSON.stringify(answers)).not.toContain('ada@')
    expect(calls).toEqual(Array(6).fill([['acme-member'], ACME]))
  })

  it('is called once for a list, and leaves members whom it does not know null', async () => {
    for (const member of ['acme-member', 'acme-admin'] as const) await call('POST', '/api-keys', json, member)
    calls.length = 0
    const keys = await listed('/api-keys?owner=all')
    expect(calls).toEqual([[['acme-admin', 'acme-member'], ACME]])
    expect(new Set(keys.map(({ owner_id, owner_name }) => `${owner_id} ${owner_name}`))).toEqual(
      new Set(['acme-admin null', 'acme-member Ada']),
    )
    const entries = await listed('/audit-log')
    expect(entries.find(({ actor_id }) => actor_id === 'acme-member')).toMatchObject({ actor_name: 'Ada' })
    expect(entries.find(({ actor_id }) => actor_id === 'acme-admin')).toMatchObject({ actor_name: null })
    expect(calls).toHaveLength(2)
  })

  it('names the signed-in member', async () => {
    const me = async (member: 'acme-member' | 'acme-admin') =>
      (await call('GET', '/me', undefined, member)).body['member_name']
    expect([await me('acme-member'), await me('acme-admin')]).toEqual(['Ada', null])
    expect(calls).toEqual([
      [['acme-member'], ACME],
      [['acme-admin'], ACME],
    ])
  })

  it.each<[string, Describe]>([
    [
      'throws',
      () => {
        throw new Error('directory down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('directory down'))],
    ['hangs', () => new Promise(() => {})],
    ['returns nothing', () => undefined],
    ['returns names that are none', () => ({ 'acme-member': { name: 5 } })],
  ])('leaves names null if it %s', async (_, how) => {
    answer = how
    const { status, body } = await call('POST', '/api-keys', json)
    expect([status, body['owner_name']]).toEqual([201, null])
  })

  it('is optional: without it there are no such fields', async () => {
    const { status, body } = await plain.host.call('POST', `${PATH}/api-keys`, {
      member: 'acme-member',
      json,
    })
    expect(status).toBe(201)
    expect(body).not.toHaveProperty('owner_name')
    const me = await plain.host.call('GET', `${PATH}/me`, { member: 'acme-member' })
    expect(me.body).not.toHaveProperty('member_name')
  })
})
