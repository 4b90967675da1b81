import type { AuditEntry } from '../model/audit-entry.ts'
import type { Erasure, LeftToHost } from '../model/erasure.ts'
import type { FileId } from './files.ts'

/** An organization that is being erased. */
export interface OpenErasure {
  readonly organizationId: string
  /** Whether the host has erased what it keeps, since something was last removed. */
  readonly isHostAsked: boolean
}

/** Erases quotations and whole organizations. Everything else only adds to history: see docs/security.md. */
export interface ErasureStorage {
  /**
   * Erases the bodies and recorded responses of a quotation's events; ends its deliveries, its order to start and its
   * idempotency key. A delivery in flight is recorded as `interrupted`. Call it before you delete the quotation itself.
   * @param since the quotation has no older events
   * @returns how many of each
   */
  eraseHistory(
    organizationId: string,
    quotationId: string,
    since: Date,
  ): Promise<{ events: number; deliveries: number; attempts: number }>
  /**
   * Which of these quotations were erased, as far back as the audit log goes, or erased with their organization at
   * `since` or later.
   */
  findErased(
    quotations: readonly {
      readonly id: string
      readonly organization_id: string
      readonly since?: Date
    }[],
  ): Promise<ReadonlySet<string>>
  /**
   * Starts erasing an organization: from then on, additions are refused with ORGANIZATION_ERASED, its keys are revoked,
   * and its endpoints are deleted with their secrets. Waits for nobody. Does nothing if it is being erased, or was erased
   * and nothing has been added since.
   * @param entry is added to the audit log
   */
  begin(
    organizationId: string,
    options: { readonly keepAuditLog: boolean; readonly entry: AuditEntry; readonly now: Date },
  ): Promise<void>
  /** The progress; null: it never started. */
  find(organizationId: string): Promise<Erasure | null>
  /** The organization's rows by table: what erasing it would remove. */
  count(organizationId: string): Promise<Readonly<Record<string, number>>>
  isErasing(organizationId: string): Promise<boolean>
  /** The erasure that is due and has waited longest; null: none, or others are at it. */
  next(): Promise<OpenErasure | null>
  /**
   * Removes and counts at most `limit` rows, except files and the audit log. Passes over rows that others hold.
   * @returns how many; null: another process is at it
   */
  removeRows(organizationId: string, limit: number): Promise<number | null>
  /** The same for the audit log. */
  removeAuditLog(organizationId: string, limit: number): Promise<number | null>
  /** Counts the rows removed elsewhere. */
  countRemoved(organizationId: string, removed: Readonly<Record<string, number>>): Promise<void>
  /** The host has erased what it keeps, except this. */
  setLeftToHost(organizationId: string, leftToHost: readonly LeftToHost[]): Promise<void>
  /** Abandons the next files of the organization. Their bytes must be deleted. */
  findFiles(organizationId: string, limit: number): Promise<FileId[]>
  /**
   * Removes and counts files whose bytes are deleted. One that is still being uploaded stays, abandoned, until its
   * upload has failed or is an hour old: then its bytes are deleted again.
   */
  forgetFiles(organizationId: string, files: readonly FileId[]): Promise<number>
  /**
   * Ends the erasure once two passes in a row found nothing, and every transaction that was open after the first time has ended
   * before the second. Then only a hash of the organization's id is kept. Otherwise it goes on later.
   */
  finish(organizationId: string): Promise<void>
  /** Lets others go first. */
  postpone(organizationId: string): Promise<void>
}
