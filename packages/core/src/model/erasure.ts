/** Replaces erased texts. It cannot be mistaken for the body of an event, which is a JSON object. */
export const ERASED = '[erased]'

/** The member who requested a change, for the audit log. Default: the service itself. */
export interface RequestedBy {
  readonly by?: string
}

/** Data that only the host can erase, because it keeps it and has no method for erasing it. */
export type LeftToHost = 'quotations' | 'files'

/** The result of erasing a quotation. Counts are 0 if it had been erased before. */
export interface ErasedQuotation {
  readonly quotation_id: string
  /** Events with erased bodies. Their ids, types and times are kept. */
  readonly events: number
  /** Pending deliveries that were dropped. */
  readonly deliveries: number
  /** Attempts with erased responses. */
  readonly attempts: number
  /** Files to delete: at once, or by a worker if that fails. */
  readonly files: number
  readonly left_to_host: readonly LeftToHost[]
}

/** The progress of erasing an organization. */
export interface Erasure {
  readonly status: 'erasing' | 'erased'
  /** The table or the part of the host being erased; `end` once everything is. */
  readonly phase: ErasurePhase
  /** Removed rows, by table. */
  readonly removed: Readonly<Record<string, number>>
  readonly left_to_host: readonly LeftToHost[]
  readonly started_at: Date
  readonly erased_at: Date | null
}

/**
 * The order of erasing. Each row is found through something that is removed after it: deliveries by their event,
 * attempts and health by their endpoint. The audit log is last.
 */
export const ERASURE_PHASES = [
  'waiting',
  'idempotency_keys',
  'quotations',
  'pipeline_starts',
  'events',
  'deliveries',
  'delivery_attempts',
  'event_sequences',
  'replays',
  'warnings',
  'endpoint_health',
  'delivery_hours',
  'webhook_endpoints',
  'api_keys',
  'feed_floors',
  'host_quotations',
  'file_chunks',
  'uploads',
  'audit_log',
  'end',
] as const
export type ErasurePhase = (typeof ERASURE_PHASES)[number]
