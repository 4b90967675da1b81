import type { FileId } from '../files/file-storage.ts'
import type { AuditEntry } from '../model/audit-entry.ts'
import type { Erasure, ErasurePhase, LeftToHost } from '../model/erasure.ts'

/** An organization that is being erased. */
export interface OpenErasure {
  readonly organizationId: string
  readonly phase: ErasurePhase
  readonly keepAuditLog: boolean
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
   * Starts erasing an organization: revokes its keys, deletes its endpoints with their secrets, and ends its replays.
   * From then on, additions are refused with ORGANIZATION_ERASED. Does nothing if it is being erased, or was erased and
   * nothing has been added since.
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
  /** Whether the organization is being erased. */
  isErasing(organizationId: string): Promise<boolean>
  /** The erasure that has waited longest; null: none. */
  next(): Promise<OpenErasure | null>
  /**
   * Removes and counts at most `limit` rows of the phase. The phase is over when none are left.
   * @returns whether it is over
   */
  eraseBatch(erasure: OpenErasure, limit: number): Promise<boolean>
  /** Ends a phase that is carried out elsewhere, or postpones it after a failure. */
  endPhase(
    erasure: OpenErasure,
    outcome: {
      readonly removed: number
      readonly isOver: boolean
      readonly leftToHost?: readonly LeftToHost[]
    },
  ): Promise<void>
  /** Files of the organization whose bytes must be deleted. */
  findFiles(organizationId: string, limit: number): Promise<FileId[]>
  /**
   * Ends the erasing: only a hash of the organization's id is kept. Starts again with the first phase if data was added
   * after all, or may still be, by a transaction with an older snapshot.
   */
  finish(erasure: OpenErasure): Promise<void>
}
