import type { AuditStorage } from '@quickquote/core/internal'
import { and, eq, getTableColumns, gte, lt } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { isAfter, newestFirst, readable } from '../connection/readable.ts'
import { RECORD_ENTRY } from './audit-log.sql.ts'

/** See AuditStorage. */
export function auditStorage({ db, run, tables }: Database): AuditStorage {
  const { auditLog } = tables
  const entry = readable(getTableColumns(auditLog))

  return {
    async record(entry) {
      const { changes, ...fields } = entry
      await run(RECORD_ENTRY, { ...fields, changes: JSON.stringify(changes) })
    },

    async list(organizationId, { resource_id, action, actor_id, since, until }, { after, limit }) {
      return db
        .select(entry)
        .from(auditLog)
        .where(
          and(
            eq(auditLog.organization_id, organizationId),
            resource_id === null ? undefined : eq(auditLog.resource_id, resource_id),
            action === null ? undefined : eq(auditLog.action, action),
            actor_id === null ? undefined : eq(auditLog.actor_id, actor_id),
            since === null ? undefined : gte(auditLog.created_at, since),
            until === null ? undefined : lt(auditLog.created_at, until),
            isAfter(auditLog, after),
          ),
        )
        .orderBy(...newestFirst(auditLog))
        .limit(limit)
    },
  }
}
