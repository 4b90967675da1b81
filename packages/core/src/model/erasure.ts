/** Stands where a text was that has been erased. No body of an event looks like it: those are JSON objects. */
export const ERASED = '[erased]'

/** Who asks for a change that the host's own code makes: a member id for the audit log. Default: the service itself. */
export interface RequestedBy {
  readonly by?: string
}

/** What only the host can erase, because it keeps that itself and gave no method for it. */
export type LeftToHost = 'quotations' | 'files'

/** What erasing a quotation came to. Counts are 0 when it had been erased before. */
export interface ErasedQuotation {
  readonly quotation_id: string
  /** Events whose bodies were erased. Their rows stay: ids, types and times. */
  readonly events: number
  /** Deliveries that were still to be made, and now never are. */
  readonly deliveries: number
  /** Attempts whose recorded response was erased. */
  readonly attempts: number
  /** Files that were given to the file storage to delete: at once, or by a worker if it fails now. */
  readonly files: number
  readonly left_to_host: readonly LeftToHost[]
}

/** How far the erasing of an organization has come. */
export interface Erasure {
  readonly status: 'erasing' | 'erased'
  /** What is being emptied now: a table of ours, or what the host keeps; `end` once it is erased. */
  readonly phase: ErasurePhase
  /** Rows that were removed so far, by the name of their table. */
  readonly removed: Readonly<Record<string, number>>
  readonly left_to_host: readonly LeftToHost[]
  readonly started_at: Date
  readonly erased_at: Date | null
}

/**
 * What is emptied, in this order. Each row is found by something that is removed after it: deliveries by their event,
 * attempts and health by their endpoint. The audit log is the last.
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
