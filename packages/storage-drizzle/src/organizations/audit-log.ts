import type { AuditStorage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { pageParameters } from '../connection/page.ts'
import { listEntries, RECORD_ENTRY } from './audit-log.sql.ts'

/** See AuditStorage. */
export function auditStorage({ run }: Database): AuditStorage {
  return {
    async record(entry) {
      const { changes, ...fields } = entry
      await run(RECORD_ENTRY, { ...fields, changes: JSON.stringify(changes) })
    },

    list: (organizationId, filter, page) =>
      run(listEntries(filter, page.after), {
        organization_id: organizationId,
        ...filter,
        ...pageParameters(page),
      }),
  }
}
