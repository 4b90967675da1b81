import { bool, statement } from './connection/statement.ts'

/**
 * An SQL condition for statements that add rows: true, or an error if the organization is being erased. It must be part
 * of the statement that writes, or of its transaction: the end of an erasing rests on it (decision 0017).
 */
export function notErased(organizationId = '$organization_id'): string {
  return `case when exists (
        select from $schema.erased_organizations erased where erased.organization_id = ${organizationId}
      ) then $schema.refuse_erased() else true end`
}

/** For what failed, perhaps for that reason. */
export const REFUSE_ERASED = statement({ accepted: bool }, `select ${notErased()} as accepted`)
