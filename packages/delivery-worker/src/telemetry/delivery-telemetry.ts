import { type Attributes, context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Logger, Storage } from '@quickquote/core'
import {
  type ClaimedDelivery,
  type DeliveryOrigin,
  eventIdOf,
  parseUrl,
  type SettledAttempt,
} from '@quickquote/core/internal'
import { instrument, METRICS } from './metrics.ts'
import { createDurations, parentOf, type Telemetry } from './telemetry.ts'

/** The origins of claimed deliveries, by id. */
export type Origins = Promise<ReadonlyMap<string, DeliveryOrigin>>

/** An attempt, with details only for telemetry. */
interface ObservedAttempt {
  readonly attempt: SettledAttempt
  readonly origin: DeliveryOrigin | undefined
}

export interface DeliveryTelemetry {
  /**
   * Looks up the origins of a claim while it is sent. Never rejects: unknown ones are left out. undefined: telemetry is
   * off.
   */
  originsOf(claimed: readonly ClaimedDelivery[]): Origins | undefined
  /**
   * @param tell runs inside the span of the attempt, so that its log line can be correlated
   */
  attempted(observed: ObservedAttempt, tell: () => void): void
  /** A request was sent once more, as part of its attempt. */
  resent(): void
}

/** Metrics of attempts exclude tests; spans include them. See docs/monitoring for the names. */
export function createDeliveryTelemetry({
  telemetry,
  storage,
  logger,
}: {
  telemetry: Telemetry
  storage: Pick<Storage, 'telemetry'>
  logger: Logger
}): DeliveryTelemetry {
  const { tracer, meter, isOn } = telemetry
  const attempts = meter.createCounter(...instrument(METRICS.attempts))
  const duration = createDurations(meter, METRICS.attemptDuration)
  const resends = meter.createCounter(...instrument(METRICS.resends))
  const lag = createDurations(meter, METRICS.lag)

  function measure({ attempt, origin }: ObservedAttempt): void {
    const status = { 'quickquote.outcome': attempt.status }
    attempts.add(1, { ...status, ...errorTypeOf(attempt) })
    duration.record(attempt.duration_ms / 1000, status)
    if (origin !== undefined) {
      lag.record(Math.max(0, attempt.created_at.getTime() - origin.due_at.getTime()) / 1000)
    }
  }

  return {
    originsOf(claimed) {
      if (!isOn || claimed.length === 0) return undefined
      return storage.telemetry.findDeliveryOrigins(claimed.map(({ id }) => id)).catch((error: unknown) => {
        logger.debug({ err: error }, 'the origins of deliveries could not be read')
        return new Map()
      })
    },

    attempted(observed, tell) {
      if (!isOn) return tell()
      const { attempt, origin } = observed
      if (!attempt.delivery.is_test) measure(observed)
      const parent = parentOf(origin?.trace)
      const span = tracer.startSpan(
        `send ${attempt.delivery.event_type}`,
        {
          kind: SpanKind.CLIENT,
          startTime: attempt.created_at,
          attributes: attributesOf(attempt),
        },
        parent,
      )
      if (attempt.error_code !== null) {
        span.setStatus({
          code: SpanStatusCode.ERROR,
          ...(attempt.error !== null && { message: attempt.error }),
        })
      }
      context.with(trace.setSpan(parent, span), tell)
      span.end(attempt.created_at.getTime() + attempt.duration_ms)
    },

    resent: () => resends.add(1),
  }
}

/** No `url.full`: receivers put secrets into paths and query strings. */
function attributesOf(attempt: SettledAttempt): Attributes {
  const { delivery, status, http_status } = attempt
  const { endpoint, quotation_id } = delivery
  return {
    'messaging.system': 'quickquote',
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
    'messaging.destination.name': delivery.event_type,
    'messaging.message.id': eventIdOf(delivery.event_id),
    'http.request.method': 'POST',
    ...serverOf(endpoint.url),
    ...(http_status !== null && { 'http.response.status_code': http_status }),
    ...(delivery.attempt > 1 && { 'http.request.resend_count': delivery.attempt - 1 }),
    ...errorTypeOf(attempt),
    'quickquote.outcome': status,
    'quickquote.delivery.id': delivery.id,
    'quickquote.endpoint.id': endpoint.id,
    'quickquote.organization.id': delivery.organization_id,
    ...(quotation_id !== null && { 'quickquote.quotation.id': quotation_id }),
    ...(delivery.is_test && { 'quickquote.is_test': true }),
  }
}

function errorTypeOf({ error_code }: SettledAttempt): Attributes {
  return error_code === null ? {} : { 'error.type': error_code }
}

function serverOf(url: string): Attributes {
  const parsed = parseUrl(url)
  if (parsed === null) return {}
  const { hostname, port } = parsed
  return { 'server.address': hostname, 'server.port': port === '' ? 443 : Number(port) }
}
