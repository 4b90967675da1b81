import type { TraceContext } from '../lib/trace-context.ts'

/** The origin of an attempt. */
export interface DeliveryOrigin {
  readonly due_at: Date
  /** The trace of its event. */
  readonly trace: TraceContext | null
}

/** The queue over all workers, without tests. */
interface QueueState {
  /** Due and not in flight. Counted up to `QUEUE_COUNT_LIMIT`. */
  readonly due: number
  /** Due, but their receiver asked for a pause. Counted up to the same limit. */
  readonly paused: number
  /** Due later: retries. Counted up to the same limit. */
  readonly scheduled: number
  /** When the oldest delivery of `due` was due; null if there is none. */
  readonly oldestDueAt: Date | null
}

/** `QueueState` counts no further: it is read often, and a backlog must not slow it down. */
export const QUEUE_COUNT_LIMIT = 10_000

/** Data for metrics and traces. Workers use it only with OpenTelemetry. */
export interface TelemetryStorage {
  readQueueState(now: Date): Promise<QueueState>
  /** The origins of the given deliveries, by id. */
  findDeliveryOrigins(ids: readonly string[]): Promise<ReadonlyMap<string, DeliveryOrigin>>
}
