import { Type } from '@sinclair/typebox'
import { Text } from '../lib/schema.ts'
import { validate } from '../lib/validator.ts'
import { MEMBER_ID_LENGTH } from './limits.ts'

/** The contract's `organization_id`: a uuid. What is refused is told how to map ids of another kind. */
export const OrganizationId = Type.String({ format: 'organization-id' })

/** Any text of a host's own, at most 128 characters. */
export const MemberId = Text({ minLength: 1, maxLength: MEMBER_ID_LENGTH })

const Organization = Type.Object({ organizationId: OrganizationId })
const MemberIds = Type.Object({ organizationId: OrganizationId, memberId: MemberId })

/** @throws IntegrationError VALIDATION_FAILED for what is no uuid: the database would call it an error */
export function checkOrganizationId(organizationId: string): void {
  validate(Organization, { organizationId })
}

/** @throws IntegrationError VALIDATION_FAILED for ids that cannot be stored */
export function checkMemberIds({
  organizationId,
  memberId,
}: {
  organizationId: string
  memberId: string
}): void {
  validate(MemberIds, { organizationId, memberId })
}
