import { setTimeout as sleep } from 'node:timers/promises'
import { IntegrationError, invalidField } from '../lib/errors.ts'
import { newId } from '../lib/new-id.ts'
import { requireFound } from '../lib/tenancy.ts'
import { validate } from '../lib/validator.ts'
import { type Member, requireManageIntegrations } from '../model/session.ts'
import { type TestDeliveryBody, type TestDeliveryResult, testDeliveryBody } from '../model/test-delivery.ts'
import { createWebhookEvent } from '../model/webhook-event.ts'
import type { Context } from '../settings.ts'
import type { StoredAttempt } from '../storage/delivery-log.ts'
import { audit, auditChanges } from './audit-log.ts'

export interface TestDeliveries {
  /**
   * Sends a sample event to an endpoint, even a disabled one, and waits for the response: at most the timeout of an
   * attempt plus ten seconds. A worker sends it like any delivery, but only once and ahead of the queue.
   * @param options.signal aborts the wait. A test that no worker has begun by then is not sent.
   * @param options.admit called right before the test is stored, once nothing else refuses it. If it rejects, nothing is
   * sent.
   * @throws IntegrationError PERMISSION_REQUIRED, VALIDATION_FAILED, WEBHOOK_ENDPOINT_NOT_FOUND, SERVICE_UNAVAILABLE;
   * the reason of the signal
   */
  send(
    member: Member,
    endpointId: string,
    body: TestDeliveryBody,
    options?: { readonly signal?: AbortSignal; readonly admit?: () => Promise<void> },
  ): Promise<TestDeliveryResult>
}

/** Time for a worker to begin. Without notifications, workers poll every five seconds. */
const BEGIN_MS = 7_000

/** Time to record the result, beyond the timeout of an attempt. */
const RECORD_MS = 3_000

/** Ignores workers without a heartbeat for this long. */
const SILENCE_MS = 60_000

/** The wait between looks at the outcome, growing: a late response needs less precision. */
const POLL_MS = { first: 10, factor: 2, longest: 1000 }

type TestContext = Context<'testDeliveries' | 'webhookEndpoints' | 'workers' | 'auditLog'>

/** Tests go through the queue, to meet what a delivery meets: a hung endpoint's tests cannot take every place of a worker. */
export function createTestDeliveries({ storage, settings }: TestContext): TestDeliveries {
  return {
    async send(member, endpointId, body, { signal, admit } = {}) {
      requireManageIntegrations(member)
      const { organizationId } = member
      const { event_type } = validate(testDeliveryBody(settings.events), body)
      const endpoint = requireFound(
        await storage.webhookEndpoints.find(organizationId, endpointId),
        'WEBHOOK_ENDPOINT_NOT_FOUND',
      )
      if (!endpoint.events.includes(event_type)) {
        throw invalidField('/event_type', 'must be one of the event types of the endpoint')
      }
      if (!(await storage.workers.hasLive(SILENCE_MS))) {
        throw unavailable('No delivery worker is running, so nothing was sent.')
      }
      await admit?.()
      const now = settings.now()
      const { example } = settings.events.definitionOf(event_type)
      const event = createWebhookEvent(settings.events, {
        type: event_type,
        organizationId,
        generationSource: 'api_key',
        data: example,
        now,
      })
      const deliveryId = newId(now)
      await storage.transaction(async (transaction) => {
        await transaction.testDeliveries.insert(event, { id: deliveryId, endpointId: endpoint.id })
        const changes = auditChanges({}, { event_type, delivery_id: deliveryId })
        await audit(transaction, 'webhook_endpoint.tested', endpoint, { by: member, changes, at: now })
      })
      return outcomeOf(organizationId, deliveryId, signal)
    },
  }

  async function outcomeOf(
    organizationId: string,
    deliveryId: string,
    signal: AbortSignal | undefined,
  ): Promise<TestDeliveryResult> {
    let deadline = performance.now() + BEGIN_MS
    let isSending = false
    for (let waitMs = POLL_MS.first; ; waitMs = Math.min(waitMs * POLL_MS.factor, POLL_MS.longest)) {
      if (signal?.aborted) {
        await storage.testDeliveries.withdraw(organizationId, deliveryId)
        throw signal.reason
      }
      const { state, attempt } = await storage.testDeliveries.find(organizationId, deliveryId)
      if (attempt !== null) return resultOf(attempt)
      if (state === 'over') throw unavailable('The test was withdrawn: nothing was sent.')
      if (state === 'sending' && !isSending) {
        isSending = true
        deadline = performance.now() + settings.delivery.timeoutMs + RECORD_MS
      }
      if (performance.now() > deadline) {
        if (await storage.testDeliveries.withdraw(organizationId, deliveryId)) {
          throw unavailable(
            `The test did not start within ${BEGIN_MS / 1000} s, so nothing was sent. Either no delivery worker was free, or the endpoint has reached its limit of concurrent deliveries.`,
          )
        }
        if (isSending) {
          throw unavailable(
            'The worker that sent the test has not reported the result. Check the delivery log.',
          )
        }
      }
      await pause(waitMs, signal)
    }
  }
}

/** Ends early if the signal is aborted. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal && { signal }).catch(() => {})
}

function resultOf(
  attempt: Pick<StoredAttempt, 'id' | 'status' | 'http_status' | 'error'>,
): TestDeliveryResult {
  const { id, status, http_status } = attempt
  const error =
    status === 'interrupted' ? 'The worker stopped while sending: the outcome is unknown.' : attempt.error
  return { success: status === 'succeeded', http_status, error, attempt_id: id }
}

function unavailable(detail: string): IntegrationError {
  return new IntegrationError('SERVICE_UNAVAILABLE', detail)
}
