import type { FileId } from '../files/file-storage.ts'
import type { AuditEntry } from '../model/audit-entry.ts'
import type { Erasure, ErasurePhase, LeftToHost } from '../model/erasure.ts'

/** An organization whose erasing goes on. */
export interface OpenErasure {
  readonly organizationId: string
  readonly phase: ErasurePhase
  readonly keepAuditLog: boolean
}

/** Erases quotations and whole organizations. History is otherwise only added to: see docs/security.md. */
export interface ErasureStorage {
  /**
   * Erases the bodies of the events of a quotation and what receivers answered to them; ends its deliveries, its order to
   * start and its idempotency key. A delivery that is being sent is recorded as `interrupted`. To be called before the
   * quotation itself is deleted.
   * @param since the quotation has no older events
   * @returns how many of each there were
   */
  eraseHistory(
    organizationId: string,
    quotationId: string,
    since: Date,
  ): Promise<{ events: number; deliveries: number; attempts: number }>
  /**
   * Which of these quotations were erased, as far back as the audit log goes; or with their organization, at `since` or
   * later.
   */
  findErased(
    quotations: readonly {
      readonly id: string
      readonly organization_id: string
      readonly since?: Date
    }[],
  ): Promise<ReadonlySet<string>>
  /**
   * Begins to erase an organization: revokes its keys, deletes its endpoints with their secrets, ends its replays. From
   * then on whatever would add something of it is refused with ORGANIZATION_ERASED. One that is being erased already, or
   * was and has added nothing since, is left as it is.
   * @param entry is added to the audit log
   */
  begin(
    organizationId: string,
    options: { readonly keepAuditLog: boolean; readonly entry: AuditEntry; readonly now: Date },
  ): Promise<void>
  /** How far it is; null: it never began. */
  find(organizationId: string): Promise<Erasure | null>
  /** How many rows of the organization there are, by table: what erasing it would remove. */
  count(organizationId: string): Promise<Readonly<Record<string, number>>>
  /** Whether the organization is being erased right now. */
  isErasing(organizationId: string): Promise<boolean>
  /** The erasing that was left alone for longest; null: there is nothing to erase. */
  next(): Promise<OpenErasure | null>
  /**
   * Removes at most `limit` rows of the phase, and counts them. When there are no more, the phase is over.
   * @returns whether it is over
   */
  eraseBatch(erasure: OpenErasure, limit: number): Promise<boolean>
  /** Puts an end to a phase that is carried out elsewhere, or puts it off when it failed. */
  endPhase(
    erasure: OpenErasure,
    outcome: {
      readonly removed: number
      readonly isOver: boolean
      readonly leftToHost?: readonly LeftToHost[]
    },
  ): Promise<void>
  /** Files of the organization whose bytes are to be deleted. */
  findFiles(organizationId: string, limit: number): Promise<FileId[]>
  /**
   * Ends it: of the organization nothing but a hash of its id is kept. Begins with the first phase again where something was
   * added after all, or may yet be: by a transaction that still reads what was there before.
   */
  finish(erasure: OpenErasure): Promise<void>
}
