import type { ApiKey, Member } from '@quickquote/core'
import { afterEach, describe, expect, it } from 'vitest'
import { ACME, GLOBEX, type MemberName, NOWHERE, useHost } from './support/host.ts'

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
  for (const unknown of ['', 'pk_x', `${key.slice(0, -1)}!`]) expect(await apiKeys.holds(unknown)).toBe(false)
})
