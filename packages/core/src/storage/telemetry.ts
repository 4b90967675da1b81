import type { TraceContext } from '../lib/trace-context.ts'

/** Where an attempt comes from. */
export interface DeliveryOrigin {
  /** When it was due. */
  readonly due_at: Date
  /** What its event belongs to. */
  readonly trace: TraceContext | null
}

/** What waits to be delivered, over all workers. Tests are not counted. */
export interface QueueState {
  /** Due now, and not under way. Counted up to `QUEUE_COUNT_LIMIT`. */
  readonly due: number
  /** Due later: retries. Counted up to the same limit. */
  readonly scheduled: number
  /** When the oldest of those that are due was due; null when there is none. */
  readonly oldestDueAt: Date | null
}

/** Beyond so many, `QueueState` counts no further: it is read again and again, and a backlog makes it no slower. */
export const QUEUE_COUNT_LIMIT = 10_000

/** What metrics and traces need to know. Workers ask for it only where OpenTelemetry is set up. */
export interface TelemetryStorage {
  readQueueState(now: Date): Promise<QueueState>
  /** The origins of deliveries that a worker holds, by their ids. */
  findDeliveryOrigins(ids: readonly string[]): Promise<ReadonlyMap<string, DeliveryOrigin>>
}
