import type { RecordedEvent } from '../model/webhook-event.ts'
import type { StoredAttempt } from './delivery-log.ts'

/** Sample deliveries. A round returns them first, even for a disabled endpoint. */
export interface TestDeliveryStorage {
  /** Writes a sample event with its delivery, and wakes the workers. */
  insert(event: RecordedEvent, delivery: { id: string; endpointId: string }): Promise<void>
  /** `waiting` for a worker, `sending`, or ended; `attempt` is set once recorded. */
  find(
    organizationId: string,
    deliveryId: string,
  ): Promise<{
    state: 'waiting' | 'sending' | 'over'
    attempt: Pick<StoredAttempt, 'id' | 'status' | 'http_status' | 'error'> | null
  }>
  /** @returns false if a worker has already taken it */
  withdraw(organizationId: string, deliveryId: string): Promise<boolean>
}
