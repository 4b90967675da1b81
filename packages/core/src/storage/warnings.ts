import type { WarningKind } from '../model/warning.ts'

export interface ClaimedWarning {
  readonly id: string
  readonly kind: WarningKind
  readonly organization_id: string
  /** The endpoint or the API key. */
  readonly subject_id: string
  /** The first failure, the first exhausted delivery, or the expiry of the key. */
  readonly since: Date
  /** The last exhausted delivery. Null for other kinds. */
  readonly until: Date | null
  /** Exhausted deliveries, or days left for a key. Null for a failing endpoint. */
  readonly count: number | null
  /** 1 for the first call of the hook. It fences the lease. */
  readonly attempt: number
  /** The endpoint or key for the host. Null: it no longer exists, or the cause is over. */
  readonly subject: {
    readonly name: string
    readonly owner_id: string | null
    readonly masked_key: string | null
    readonly replaced_by: string | null
  } | null
}

/** Warnings to the host, each written once, however many workers find its cause. */
export interface WarningStorage {
  /** Endpoints to which every delivery has failed since `failingSince` or longer. A later warning has a higher `stage`. */
  noteFailingEndpoints(found: { failingSince: Date; stage: number; now: Date }): Promise<void>
  /** Active keys that expire within this many days, and were created earlier than that. */
  noteExpiringKeys(found: { days: number; now: Date }): Promise<void>
  /** Claims due warnings until `leaseUntil`. */
  claim(round: { limit: number; now: Date; leaseUntil: Date }): Promise<ClaimedWarning[]>
  /** Ends a warning (`retryAt` null), or schedules the next call. Does nothing if the lease was lost. */
  recordCall(warning: { id: string; attempt: number; retryAt: Date | null }): Promise<void>
  /** Removes ended warnings created before this time whose cause is over. */
  forget(before: Date): Promise<void>
}
