import { bool, statement } from './connection/statement.ts'

/**
 * An SQL condition for statements that add rows: true, or an error if the organization is being erased. Use it in the
 * statement that writes, or in its transaction: an erasure ends only because no such row can follow (decision 0017).
 */
export function notErased(organizationId = '$organization_id'): string {
  return `case when exists (
        select from $schema.erased_organizations erased where erased.organization_id = ${organizationId}
      ) then $schema.refuse_erased() else true end`
}

/** Fails if the organization is being erased, to find out whether that is why a statement wrote nothing. */
export const REFUSE_ERASED = statement({ accepted: bool }, `select ${notErased()} as accepted`)
