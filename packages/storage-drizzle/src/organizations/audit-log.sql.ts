import type { PageRequest } from '@quickquote/core'
import type { AuditFilter } from '@quickquote/core/internal'
import { AFTER, given, newestFirst } from '../connection/page.ts'
import { columnsOf, insertion, selected, statement } from '../connection/statement.ts'
import { notErased } from '../not-erased.sql.ts'
import { auditLog } from '../schema.ts'

const ENTRY = columnsOf(auditLog)

export const RECORD_ENTRY = statement({}, `${insertion(auditLog, ENTRY)} where ${notErased()}`)

export function listEntries(filter: AuditFilter, after: PageRequest['after']) {
  const conditions = given(
    { ...filter, after },
    {
      resource_id: 'resource_id = $resource_id',
      action: 'action = $action',
      actor_id: 'actor_id = $actor_id',
      since: 'created_at >= $since',
      until: 'created_at < $until',
      after: AFTER,
    },
  )
  return statement(
    ENTRY,
    `select ${selected(ENTRY)} from $schema.audit_log
      where organization_id = $organization_id${conditions}
      order by ${newestFirst('audit_log')} limit $limit`,
  )
}
