import type { RecordedEvent } from '../model/webhook-event.ts'
import type { StoredAttempt } from './delivery-log.ts'

/** Sample deliveries: `settleAndClaim` hands them out ahead of all others, whether or not the endpoint is enabled. */
export interface TestDeliveryStorage {
  /** Writes a sample event and its one delivery, and wakes the workers. */
  insert(event: RecordedEvent, delivery: { id: string; endpointId: string }): Promise<void>
  /** `waiting` for a worker, `sending`, or over; `attempt` is there once it is recorded. */
  find(
    organizationId: string,
    deliveryId: string,
  ): Promise<{
    state: 'waiting' | 'sending' | 'over'
    attempt: Pick<StoredAttempt, 'id' | 'status' | 'http_status' | 'error'> | null
  }>
  /** @returns false when a worker has taken it meanwhile */
  withdraw(organizationId: string, deliveryId: string): Promise<boolean>
}
