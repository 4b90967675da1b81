import type { Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { pageParameters } from '../connection/page.ts'
import { listEntries, RECORD_ENTRY } from './audit-log.sql.ts'

export function auditStorage({ call, run }: Database): Storage['auditLog'] {
  return {
    record: (entry) =>
      call('auditLog.record', async () => {
        const { changes, ...fields } = entry
        await run(RECORD_ENTRY, { ...fields, changes: JSON.stringify(changes) })
      }),

    list: (organizationId, filter, page) =>
      call('auditLog.list', () =>
        run(listEntries(filter, page.after), {
          organization_id: organizationId,
          ...filter,
          ...pageParameters(page),
        }),
      ),
  }
}
