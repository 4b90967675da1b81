import type { CheckKind } from '../model/receiver-check.ts'
import type { RecordedEvent } from '../model/webhook-event.ts'
import type { StoredAttempt } from './delivery-log.ts'

interface TestDelivery {
  readonly id: string
  readonly endpointId: string
  /** Default: a plain test. */
  readonly check_kind?: CheckKind
}

/** Sample deliveries. A round returns them first, even for a disabled endpoint. */
export interface TestDeliveryStorage {
  /** Writes a sample event with its delivery, and wakes the workers. */
  insert(event: RecordedEvent, delivery: TestDelivery): Promise<void>
  /**
   * Writes another delivery of such an event, and wakes the workers.
   * @returns its id, or null if the event has been erased
   */
  repeat(event: RecordedEvent, delivery: Omit<TestDelivery, 'id'>): Promise<string | null>
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
