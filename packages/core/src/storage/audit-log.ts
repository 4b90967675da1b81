import type { PageRequest } from '../lib/page.ts'
import type { AuditAction, AuditEntry } from '../model/audit-entry.ts'

/** Which entries of the audit log are wanted; null: any. `since` is inclusive, `until` is not. */
export interface AuditFilter {
  readonly resource_id: string | null
  readonly action: AuditAction | null
  readonly since: Date | null
  readonly until: Date | null
}

export interface AuditStorage {
  /** Writes an entry. Call it in the transaction of the change that it tells of: see audit-log.ts. */
  record(entry: AuditEntry): Promise<void>
  /** The newest first. */
  list(organizationId: string, filter: AuditFilter, page: PageRequest): Promise<AuditEntry[]>
}
