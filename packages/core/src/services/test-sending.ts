import { setTimeout as sleep } from 'node:timers/promises'
import { IntegrationError, invalidField } from '../lib/errors.ts'
import { requireFound } from '../lib/tenancy.ts'
import type { Member } from '../model/session.ts'
import { createWebhookEvent, type RecordedEvent } from '../model/webhook-event.ts'
import type { Context } from '../settings.ts'
import type { StoredAttempt } from '../storage/delivery-log.ts'
import type { StoredWebhookEndpoint } from '../storage/webhook-endpoints.ts'

export interface TestOptions {
  /** Aborts the wait. What no worker has begun by then is not sent. */
  readonly signal?: AbortSignal
  /**
   * Called right before anything is stored, once nothing else refuses it, with the number of tests that it counts as. If
   * it rejects, nothing is sent.
   */
  readonly admit?: (tests: number) => Promise<void>
}

/** How a test ended. */
export type TestOutcome =
  | {
      readonly kind: 'attempted'
      readonly attempt: Pick<StoredAttempt, 'id' | 'status' | 'http_status' | 'error'>
    }
  /** No worker began it in time, so it was withdrawn. */
  | { readonly kind: 'not_begun' }
  /** It was removed before a worker began it. */
  | { readonly kind: 'withdrawn' }
  /** It was sent, and its worker has not reported the result. */
  | { readonly kind: 'unreported' }

/** Time for a worker to begin. Without notifications, workers poll every five seconds. */
export const BEGIN_MS = 7_000

/** Time to record the result, beyond the timeout of an attempt. */
const RECORD_MS = 3_000

/** Ignores workers without a heartbeat for this long. */
const SILENCE_MS = 60_000

/** The wait between looks at the outcome, growing: a late response needs less precision. */
const POLL_MS = { first: 10, factor: 2, longest: 1000 }

export type TestContext = Context<'testDeliveries' | 'webhookEndpoints' | 'workers' | 'auditLog'>

/**
 * What tests and receiver checks share. They go through the queue, to meet what a delivery meets: a hung endpoint's tests
 * cannot take every place of a worker.
 */
export function createTestSending({ storage, settings }: TestContext) {
  return {
    /**
     * The endpoint, if something can be sent to it now.
     * @param eventType undefined: the first that it subscribes to
     */
    async prepare(
      { organizationId }: Member,
      endpointId: string,
      eventType: string | undefined,
    ): Promise<{ endpoint: StoredWebhookEndpoint; event_type: string }> {
      const endpoint = requireFound(
        await storage.webhookEndpoints.find(organizationId, endpointId),
        'WEBHOOK_ENDPOINT_NOT_FOUND',
      )
      const event_type = eventType ?? endpoint.events.find((each) => settings.events.types.includes(each))
      if (event_type === undefined || !endpoint.events.includes(event_type)) {
        throw invalidField('/event_type', 'must be one of the event types of the endpoint')
      }
      if (!(await storage.workers.hasLive(SILENCE_MS))) {
        throw unavailable('No delivery worker is running, so nothing was sent.')
      }
      return { endpoint, event_type }
    },

    sampleOf({ organizationId }: Member, type: string, now: Date): RecordedEvent {
      const { example } = settings.events.definitionOf(type)
      const sample = { type, organizationId, generationSource: 'api_key', data: example, now } as const
      return createWebhookEvent(settings.events, sample)
    },

    /**
     * Waits until it ends, at most until `beginBy` (of the monotonic clock) and then for the timeout of an attempt.
     * @throws the reason of the signal
     */
    async outcomeOf(
      { organizationId }: Member,
      deliveryId: string,
      { beginBy, signal }: { readonly beginBy: number; readonly signal: AbortSignal | undefined },
    ): Promise<TestOutcome> {
      let deadline = beginBy
      let isSending = false
      for (let waitMs = POLL_MS.first; ; waitMs = Math.min(waitMs * POLL_MS.factor, POLL_MS.longest)) {
        if (signal?.aborted) {
          await storage.testDeliveries.withdraw(organizationId, deliveryId)
          throw signal.reason
        }
        const { state, attempt } = await storage.testDeliveries.find(organizationId, deliveryId)
        if (attempt !== null) return { kind: 'attempted', attempt }
        if (state === 'over') return { kind: 'withdrawn' }
        if (state === 'sending' && !isSending) {
          isSending = true
          deadline = performance.now() + settings.delivery.timeoutMs + RECORD_MS
        }
        if (performance.now() > deadline) {
          if (await storage.testDeliveries.withdraw(organizationId, deliveryId)) return { kind: 'not_begun' }
          if (isSending) return { kind: 'unreported' }
        }
        await pause(waitMs, signal)
      }
    },
  }
}

/** Ends early if the signal is aborted. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal && { signal }).catch(() => {})
}

/** What the receiver answered, or why nothing is known. */
export function answerOf({
  status,
  http_status,
  error,
}: Pick<StoredAttempt, 'status' | 'http_status' | 'error'>): {
  http_status: number | null
  error: string | null
} {
  const isUnknown = status === 'interrupted'
  return {
    http_status,
    error: isUnknown ? 'The worker stopped while sending: the outcome is unknown.' : error,
  }
}

/** The error of a test without an attempt. */
export function unsent({ kind }: Exclude<TestOutcome, { kind: 'attempted' }>): IntegrationError {
  return unavailable(UNSENT[kind])
}

const UNSENT = {
  not_begun: `The test did not start within ${BEGIN_MS / 1000} s, so nothing was sent. Either no delivery worker was free, or the endpoint has reached its limit of concurrent deliveries.`,
  withdrawn: 'The test was withdrawn: nothing was sent.',
  unreported: 'The worker that sent the test has not reported the result. Check the delivery log.',
} as const

function unavailable(detail: string): IntegrationError {
  return new IntegrationError('SERVICE_UNAVAILABLE', detail)
}
