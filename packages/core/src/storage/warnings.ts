import type { WarningKind } from '../model/warning.ts'

/** A warning that a worker has taken on. */
export interface ClaimedWarning {
  readonly id: string
  readonly kind: WarningKind
  readonly organization_id: string
  /** The endpoint or the API key. */
  readonly subject_id: string
  /** The first failure; the first delivery that was given up; the expiry of the key. */
  readonly since: Date
  /** The last delivery that was given up. Null for the other kinds. */
  readonly until: Date | null
  /** Deliveries that were given up, or days that a key has left. Null for an endpoint that fails. */
  readonly count: number | null
  /** 1 for the first call of the hook. It fences the lease. */
  readonly attempt: number
  /** What the host is told of the endpoint or the key. Null: it is gone, or what it was warned of is over. */
  readonly subject: {
    readonly name: string
    readonly owner_id: string | null
    readonly masked_key: string | null
  } | null
}

/** Warnings to the host. Each is written once, however many workers see its cause. */
export interface WarningStorage {
  /** Endpoints to which every delivery has failed since `failingSince` or longer. `stage` is higher for a later warning. */
  noteFailingEndpoints(found: { failingSince: Date; stage: number; now: Date }): Promise<void>
  /** Active keys that expire within so many days, and were created before. */
  noteExpiringKeys(found: { days: number; now: Date }): Promise<void>
  /** Takes on warnings that are due. They are due again at `leaseUntil`, unless they are settled by then. */
  claim(round: { limit: number; now: Date; leaseUntil: Date }): Promise<ClaimedWarning[]>
  /** Ends a warning (`retryAt` null), or sets when it is due again. Nothing happens if somebody else has taken it on. */
  settle(warning: { id: string; attempt: number; retryAt: Date | null }): Promise<void>
  /** Forgets warnings that ended, were made before then, and whose cause is over. */
  forget(before: Date): Promise<void>
}
