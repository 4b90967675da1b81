import type { PageRequest } from '../lib/page.ts'
import type { AuditAction, AuditEntry } from '../model/audit-entry.ts'

/** Filters of the audit log; null: any. `since` is inclusive, `until` is exclusive. */
export interface AuditFilter {
  readonly resource_id: string | null
  readonly action: AuditAction | null
  readonly actor_id: string | null
  readonly since: Date | null
  readonly until: Date | null
}

export interface AuditStorage {
  /** Call it in the transaction of the change: see audit-log.ts. */
  record(entry: AuditEntry): Promise<void>
  /** Newest first. */
  list(organizationId: string, filter: AuditFilter, page: PageRequest): Promise<AuditEntry[]>
}
