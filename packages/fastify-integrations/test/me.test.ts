import { describe, expect, it } from 'vitest'
import { ACME, GLOBEX, type MemberName, NOWHERE, useHost } from './support/host.ts'

/** The members of the `x-member` header, some with names of their organizations. */
const context = useHost({
  plugin: {
    resolveSession: ({ headers }) => {
      const admin = { id: ACME.toUpperCase(), name: 'Acme GmbH', role: 'admin' }
      const guest = { id: GLOBEX, permissions: ['read', 'bill'] }
      switch (headers['x-member']) {
        case 'acme-admin':
          return { memberId: 'ada', organizations: [admin, guest] }
        case 'acme-member':
          return { memberId: 'max', organizations: [{ id: ACME, role: 'member' }] }
        default:
          return null
      }
    },
  },
})

const me = (organizationId: string, member?: MemberName) =>
  context.host.call('GET', `/v1/organizations/${organizationId}/me`, member === undefined ? {} : { member })

describe('GET /v1/organizations/:organizationId/me', () => {
  it('returns the caller, with the permissions and the names in the session', async () => {
    const acme = { id: ACME, name: 'Acme GmbH' }
    const globex = { id: GLOBEX, name: null }
    const { status, headers, body } = await me(ACME, 'acme-admin')
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      member_id: 'ada',
      organization: acme,
      permissions: ['manage_integrations', 'view_integrations'],
      organizations: [acme, globex],
      limits: {
        webhook_endpoints: 50,
        api_keys_per_member: 10_000,
        api_key_max_days: 731,
        event_days: 30,
        disable_after_ms: 5 * 86_400_000,
      },
    })
    expect((await me(GLOBEX, 'acme-admin')).body).toMatchObject({
      organization: globex,
      permissions: ['bill', 'read'],
    })
  })

  it('is open to members without a permission', async () => {
    const { status, body } = await me(ACME, 'acme-member')
    expect([status, body['permissions'], body['member_id']]).toEqual([200, [], 'max'])
  })

  it('reveals nothing about other organizations', async () => {
    for (const organizationId of [GLOBEX, NOWHERE]) {
      const { status, body } = await me(organizationId, 'acme-member')
      expect([status, body['code']]).toEqual([403, 'NOT_A_MEMBER'])
      expect(JSON.stringify(body)).not.toContain(organizationId)
    }
    expect((await me(ACME)).body).toMatchObject({ status: 401, code: 'SESSION_REQUIRED' })
  })
})
