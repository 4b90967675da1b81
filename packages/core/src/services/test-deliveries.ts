import { newId } from '../lib/new-id.ts'
import { validate } from '../lib/validator.ts'
import type { ReceiverCheck, ReceiverCheckBody } from '../model/receiver-check.ts'
import { type Member, requireManageIntegrations } from '../model/session.ts'
import { type TestDeliveryBody, type TestDeliveryResult, testDeliveryBody } from '../model/test-delivery.ts'
import { audit, auditChanges } from './audit-log.ts'
import { createReceiverCheck } from './receiver-check.ts'
import {
  answerOf,
  BEGIN_MS,
  createTestSending,
  type TestContext,
  type TestOptions,
  unsent,
} from './test-sending.ts'

export interface TestDeliveries {
  /**
   * Sends a sample event to an endpoint, even a disabled one, and waits for the response: at most the timeout of an
   * attempt plus ten seconds. A worker sends it like any delivery, but only once and ahead of the queue.
   * @throws IntegrationError PERMISSION_REQUIRED, VALIDATION_FAILED, WEBHOOK_ENDPOINT_NOT_FOUND, SERVICE_UNAVAILABLE;
   * the reason of the signal
   */
  send(
    member: Member,
    endpointId: string,
    body: TestDeliveryBody,
    options?: TestOptions,
  ): Promise<TestDeliveryResult>
  /**
   * Sends a genuine sample event, a forged one, one with an old timestamp, the genuine one again, and during the overlap
   * of a rotation one signed with the previous secret alone, all as tests, and compares the responses with those of a
   * good receiver. A receiver may act twice on the repeated one. Takes as long as a test, and counts as five.
   * @throws IntegrationError PERMISSION_REQUIRED, VALIDATION_FAILED, WEBHOOK_ENDPOINT_NOT_FOUND; SERVICE_UNAVAILABLE if
   * nothing was sent; the reason of the signal
   */
  check(
    member: Member,
    endpointId: string,
    body?: ReceiverCheckBody,
    options?: TestOptions,
  ): Promise<ReceiverCheck>
}

export function createTestDeliveries(context: TestContext): TestDeliveries {
  const { storage, settings } = context
  const sending = createTestSending(context)
  return {
    async send(member, endpointId, body, { signal, admit } = {}) {
      requireManageIntegrations(member)
      const asked = validate(testDeliveryBody(settings.events), body)
      const { endpoint, event_type } = await sending.prepare(member, endpointId, asked.event_type)
      await admit?.(1)
      await settings.clock.ready()
      const now = settings.now()
      const delivery = { id: newId(now), endpointId: endpoint.id }
      const event = sending.sampleOf(member, event_type, now)
      await storage.transaction(async (transaction) => {
        await transaction.testDeliveries.insert(event, delivery)
        const changes = auditChanges({}, { event_type, delivery_id: delivery.id })
        await audit(transaction, 'webhook_endpoint.tested', endpoint, { by: member, changes, at: now })
      })
      const beginBy = performance.now() + BEGIN_MS
      const outcome = await sending.outcomeOf(member, delivery.id, { beginBy, signal })
      if (outcome.kind !== 'attempted') throw unsent(outcome)
      const { id, status } = outcome.attempt
      return { success: status === 'succeeded', ...answerOf(outcome.attempt), attempt_id: id }
    },

    check: createReceiverCheck(context, sending),
  }
}
