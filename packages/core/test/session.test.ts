import { describe, expect, it } from 'vitest'
import { IntegrationError } from '../src/lib/errors.ts'
import {
  managesIntegrations,
  memberOf,
  requireManageIntegrations,
  viewsIntegrations,
} from '../src/model/session.ts'

const ACME = '0192f0c4-0000-7000-8000-00000000000a'
const session = (organization: object) => ({
  memberId: 'm-1',
  organizations: [{ id: ACME, ...organization }],
})

describe('Permissions', () => {
  it.each([
    ['an admin by default', { role: 'admin' }, true],
    ['a plain member', { role: 'member' }, false],
    ['a member without a role', {}, false],
    ['a member with the permission', { role: 'member', permissions: ['manage_integrations'] }, true],
    ['a viewer', { permissions: ['view_integrations'] }, false],
    ['an admin whose explicit permissions omit it', { role: 'admin', permissions: [] }, false],
  ])('manage_integrations of %s', (_, organization, holds) => {
    const member = memberOf(session(organization), ACME)
    expect(managesIntegrations(member)).toBe(holds)
    if (holds) expect(() => requireManageIntegrations(member)).not.toThrow()
    else expect(() => requireManageIntegrations(member)).toThrow(IntegrationError)
  })

  it.each([
    ['an admin by default', { role: 'admin' }, true],
    ['a member with manage_integrations alone', { permissions: ['manage_integrations'] }, true],
    ['a viewer', { permissions: ['view_integrations'] }, true],
    ['a member', { role: 'member' }, false],
  ])('view_integrations of %s', (_, organization, holds) => {
    expect(viewsIntegrations(memberOf(session(organization), ACME))).toBe(holds)
  })

  it('refuses an organization that is not in the session', () => {
    expect(() => memberOf(session({}), ACME.replace('a', 'b'))).toThrow(
      expect.objectContaining({ code: 'NOT_A_MEMBER' }),
    )
  })

  it('ignores the case of the organization id', () => {
    expect(memberOf(session({}), ACME.toUpperCase()).organizationId).toBe(ACME)
  })
})
