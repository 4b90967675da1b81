import { context } from '@opentelemetry/api'
import type { Settings } from '@quickquote/core'
import {
  type ClaimedDelivery,
  deliveryFailure,
  eventIdOf,
  newId,
  type Outcome,
  type SettledAttempt,
  settle,
} from '@quickquote/core/internal'
import type { Http } from '../http/http.ts'
import type { Turn } from '../http/origin-gate.ts'
import { createResponseSample, type ResponseListener } from '../http/response-sample.ts'
import type { DeliveryTelemetry, Origins } from '../telemetry/delivery-telemetry.ts'
import { UNINSTRUMENTED } from '../telemetry/telemetry.ts'
import type { UnusableKeys } from '../upkeep/unusable-keys.ts'
import { type Unbegun, unbegun } from './held-deliveries.ts'
import { createPauses } from './pauses.ts'
import { signedHeaders } from './signed-headers.ts'
import { createTargets, type Target } from './targets.ts'

/**
 * Makes one attempt and decides its consequence, unless it may not begin, its receiver wants a pause, or its encryption
 * key or the HTTP client is missing. Never rejects.
 */
export type Dispatch = (
  delivery: ClaimedDelivery,
  options?: {
    /**
     * The attempt is reported once they are known: they are read from the delivery, which may be gone after it is
     * recorded.
     */
    readonly origins?: Origins | undefined
    /** Checked right before anything is sent. Default: yes. */
    readonly mayBegin?: () => boolean
  },
) => Promise<SettledAttempt | Unbegun>

const NOTHING_SENT: Pick<Target, 'headers' | 'hidden'> = { headers: {}, hidden: [] }

/** A delivery before its attempt. `decided`: nothing is sent. */
type Prepared =
  | { readonly kind: 'ready'; readonly target: Target; readonly turn: Turn }
  | { readonly kind: 'decided'; readonly outcome: Outcome }
  | { readonly kind: 'waits'; readonly ms: number }

/** Its encryption key is missing here, or another has its id: it waits for the key, or for a worker that has it. */
const KEY_MISSING: Prepared = { kind: 'waits', ms: 60_000 }

/** The HTTP client could not be loaded here, as without free file descriptors. */
const NOT_LOADED: Prepared = { kind: 'waits', ms: 10_000 }

export function createDispatch({
  settings,
  http,
  telemetry,
  unusableKeys,
}: {
  settings: Settings
  http: Pick<Http, 'turn' | 'post'>
  telemetry: Pick<DeliveryTelemetry, 'attempted'>
  unusableKeys: UnusableKeys
}): Dispatch {
  const { delivery: policy, keyring, logger, now } = settings
  const targetOf = createTargets(settings)
  const headersOf = signedHeaders(settings)
  const pauses = createPauses()

  async function prepare(delivery: ClaimedDelivery): Promise<Prepared> {
    if (lacksKey(delivery)) return KEY_MISSING
    const { endpoint, organization_id } = delivery
    let target: Target
    try {
      target = targetOf(endpoint)
    } catch (error) {
      // The key may have been used for the first time since the last check. If that is not known, nothing is lost by waiting.
      const isKnown = await unusableKeys.check().then(
        () => true,
        () => false,
      )
      if (!delivery.is_test && (!isKnown || lacksKey(delivery))) return KEY_MISSING
      return { kind: 'decided', outcome: signingFailed(error, endpoint.id) }
    }
    const { blocked, origin } = target
    if (blocked !== null) return { kind: 'decided', outcome: { kind: 'blocked', error: blocked } }
    try {
      return { kind: 'ready', target, turn: await http.turn(origin, organization_id) }
    } catch (error) {
      logger.error(
        { err: error },
        'the HTTP client could not be loaded; deliveries wait. Restart the worker if this is logged again',
      )
      return NOT_LOADED
    }
  }

  function send(
    delivery: ClaimedDelivery,
    { target, turn }: { target: Target; turn: Turn },
    created_at: Date,
    options: { listener: ResponseListener; mayBegin: () => boolean },
  ): Outcome | Promise<Outcome | null> {
    const { path } = target
    const { body } = delivery
    try {
      const headers = headersOf(delivery, target, created_at)
      return context.with(UNINSTRUMENTED, () => http.post({ turn, path, headers, body, ...options }))
    } catch (error) {
      turn.leave(false)
      return signingFailed(error, delivery.endpoint.id)
    }
  }

  /** A test has one attempt, and someone is waiting for it, so it fails. */
  function lacksKey({ is_test, endpoint: { secret, previousSecrets, headers } }: ClaimedDelivery): boolean {
    const isUnusable = (keyId: string) => !keyring.has(keyId) || unusableKeys.known().has(keyId)
    return (
      !is_test &&
      [secret, ...previousSecrets, headers].some((each) => each !== null && isUnusable(each.keyId))
    )
  }

  function signingFailed(error: unknown, endpointId: string): Outcome {
    logger.error({ err: error, endpoint_id: endpointId }, 'a webhook could not be signed')
    return deliveryFailure('signing_failed')
  }

  return async (delivery, { origins, mayBegin: isAllowed = () => true } = {}) => {
    const mayBegin = () => isAllowed() && pauses.allow(delivery)
    const prepared = await prepare(delivery)
    if (prepared.kind === 'waits') return unbegun(delivery, new Date(now().getTime() + prepared.ms))
    const isReady = prepared.kind === 'ready'
    if (!mayBegin()) {
      if (isReady) prepared.turn.leave(false)
      return unbegun(delivery)
    }
    const created_at = now()
    const begin = performance.now()
    const { hidden, headers } = isReady ? prepared.target : NOTHING_SENT
    const sample = createResponseSample({ hidden })
    const outcome = isReady
      ? await send(delivery, prepared, created_at, { listener: sample, mayBegin })
      : prepared.outcome
    if (outcome === null) return unbegun(delivery)
    const settlement = settle(outcome, {
      attempt: delivery.attempt,
      isTest: delivery.is_test,
      now: now(),
      policy,
      random: Math.random(),
    })
    const attempt: SettledAttempt = {
      id: newId(created_at),
      delivery,
      ...settlement,
      duration_ms: Math.round(performance.now() - begin),
      created_at,
      header_names: Object.keys(headers),
      response_body: sample.body(),
      response_headers: sample.headers(),
      first_byte_ms: sample.firstByteMs(),
    }
    pauses.note(attempt)
    const origin = origins === undefined ? undefined : (await origins).get(delivery.id)
    telemetry.attempted({ attempt, origin }, () =>
      logger[attempt.status === 'succeeded' ? 'info' : 'warn'](describe(attempt), 'delivery.attempted'),
    )
    return attempt
  }
}

/** The log line of an attempt. Without the URL: its query string may contain a token. */
function describe(attempt: SettledAttempt): object {
  const { delivery } = attempt
  return {
    attempt_id: attempt.id,
    delivery_id: delivery.id,
    organization_id: delivery.organization_id,
    endpoint_id: delivery.endpoint.id,
    event_id: eventIdOf(delivery.event_id),
    event_type: delivery.event_type,
    quotation_id: delivery.quotation_id,
    is_test: delivery.is_test,
    ...(delivery.check_kind !== null && { check_kind: delivery.check_kind }),
    attempt: delivery.attempt,
    status: attempt.status,
    http_status: attempt.http_status,
    error_code: attempt.error_code,
    error: attempt.error,
    duration_ms: attempt.duration_ms,
    next_attempt_at: attempt.next_attempt_at,
    paused_until: attempt.paused_until,
  }
}
