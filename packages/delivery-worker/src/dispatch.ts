import { context } from '@opentelemetry/api'
import {
  type ClaimedDelivery,
  eventIdOf,
  type Outcome,
  requestHeaders,
  type Settings,
  type SettledAttempt,
  settle,
  signingTime,
} from '@quickquote/core'
import { headerNames, type Signer, sign } from '@quickquote/webhook-signature'
import { v7 as uuidv7 } from 'uuid'
import type { DeliveryTelemetry, Origins } from './delivery-telemetry.ts'
import type { Http } from './http.ts'
import { createResponseSample, type ResponseListener } from './response-sample.ts'
import type { Targets } from './targets.ts'
import { UNINSTRUMENTED } from './telemetry.ts'

/**
 * Makes one attempt and decides what follows from it. Never rejects. The attempt is told only once `origins` are there: they
 * are read from the delivery, which may be gone when its attempt is recorded.
 */
export type Dispatch = (delivery: ClaimedDelivery, origins?: Origins) => Promise<SettledAttempt>

export function createDispatch({
  settings,
  targets,
  http,
  telemetry,
  userAgent,
}: {
  settings: Settings
  targets: Targets
  http: Pick<Http, 'post'>
  telemetry: Pick<DeliveryTelemetry, 'attempted'>
  userAgent: string
}): Dispatch {
  const { delivery: policy, logger, now } = settings
  const names = headerNames(settings.productName)

  async function send(
    delivery: ClaimedDelivery,
    created_at: Date,
    listener: ResponseListener,
  ): Promise<Outcome> {
    const { origin, path, key, previousKey, blocked } = await targets(delivery.endpoint)
    if (blocked !== null) return { kind: 'blocked', error: blocked }
    const { body } = delivery
    const timestamp = signingTime(created_at)
    const signBy = (secret: Signer) => sign({ secret, timestamp, body })
    const headers = {
      ...requestHeaders(settings.productName, { ...delivery, created_at }),
      // One value alone: the specification's receivers compare all that comes after `v1=`.
      [names.signature]: await signBy(key),
      ...(previousKey && { [names.previousSignature]: await signBy(previousKey) }),
      'User-Agent': userAgent,
    }
    return context.with(UNINSTRUMENTED, () => http.post({ origin, path, headers, body, listener }))
  }

  return async (delivery, origins) => {
    const created_at = now()
    const begin = performance.now()
    const sample = createResponseSample()
    const outcome = await send(delivery, created_at, sample).catch((error: unknown): Outcome => {
      logger.error({ err: error, endpoint_id: delivery.endpoint.id }, 'a webhook could not be signed')
      return { kind: 'error', code: 'signing_failed', error: 'the webhook could not be signed' }
    })
    const { status, httpStatus, error, errorCode, nextAttemptAt } = settle(outcome, {
      attempt: delivery.attempt,
      isTest: delivery.is_test,
      now: now(),
      policy,
      random: Math.random(),
    })
    const attempt: SettledAttempt = {
      id: uuidv7(),
      delivery,
      status,
      http_status: httpStatus,
      error,
      duration_ms: Math.round(performance.now() - begin),
      created_at,
      next_attempt_at: nextAttemptAt,
      ...sample.result(),
    }
    const origin = (await origins)?.get(delivery.id)
    telemetry.attempted({ attempt, errorCode, origin }, () =>
      logger.info(describe(attempt, errorCode), 'delivery.attempted'),
    )
    return attempt
  }
}

/** The one log line of an attempt. No URL: its query string may hold a token. */
function describe({ id, delivery, ...attempt }: SettledAttempt, errorCode: string | null): object {
  return {
    attempt_id: id,
    delivery_id: delivery.id,
    organization_id: delivery.organization_id,
    endpoint_id: delivery.endpoint.id,
    event_id: eventIdOf(delivery.event_id),
    event_type: delivery.event_type,
    quotation_id: delivery.quotation_id,
    is_test: delivery.is_test,
    attempt: delivery.attempt,
    status: attempt.status,
    http_status: attempt.http_status,
    error_code: errorCode,
    error: attempt.error,
    duration_ms: attempt.duration_ms,
    next_attempt_at: attempt.next_attempt_at,
  }
}
