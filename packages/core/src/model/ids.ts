import type { Static } from '@sinclair/typebox'
import { Text } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import { validate } from '../lib/validator.ts'
import { MEMBER_ID_LENGTH } from './limits.ts'

/** A uuid. The error says how to convert other ids. */
export const OrganizationId = Type.String({ format: 'organization-id' })

/** The host's own id, at most 128 characters. */
export const MemberId = Text({ minLength: 1, maxLength: MEMBER_ID_LENGTH })

const Organization = Type.Object({ organizationId: OrganizationId })
const MemberIds = Type.Object({ organizationId: OrganizationId, memberId: MemberId })

/** @throws IntegrationError VALIDATION_FAILED unless it is a uuid: the database would throw */
export function checkOrganizationId(organizationId: string): void {
  validate(Organization, { organizationId })
}

/** @throws IntegrationError VALIDATION_FAILED for ids that cannot be stored */
export function checkMemberIds(ids: Static<typeof MemberIds>): void {
  validate(MemberIds, ids)
}
