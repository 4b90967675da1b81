import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { ClaimedStart } from '@quickquote/core/internal'
import { instrument, METRICS } from './metrics.ts'
import { parentOf, type Telemetry } from './telemetry.ts'

/** The result of one call of the pipeline hook. After `failed` it is called again, after `exhausted` it is not. */
type StartStatus = 'started' | 'failed' | 'exhausted' | 'cancelled' | 'broken_off'

export interface StartTelemetry {
  /** Runs the hook inside a span that continues the quote's trace. Rejects with the hook's error. */
  traced(start: ClaimedStart, callHook: () => Promise<void>): Promise<void>
  ended(status: StartStatus): void
}

export function createStartTelemetry({ tracer, meter }: Telemetry): StartTelemetry {
  const starts = meter.createCounter(...instrument(METRICS.pipelineStarts))

  return {
    async traced({ quote, attempt, trace: origin }, callHook) {
      const parent = parentOf(origin)
      const span = tracer.startSpan(
        'process pipeline_starts',
        {
          kind: SpanKind.CONSUMER,
          attributes: {
            'messaging.system': 'quickquote',
            'messaging.operation.name': 'process',
            'messaging.operation.type': 'process',
            'messaging.destination.name': 'pipeline_starts',
            'messaging.message.id': quote.id,
            'quickquote.quotation.id': quote.id,
            'quickquote.organization.id': quote.organization_id,
            'quickquote.attempt': attempt,
          },
        },
        parent,
      )
      try {
        await context.with(trace.setSpan(parent, span), callHook)
      } catch (error) {
        // The message of a host's error may contain secrets; its name does not.
        span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    },
    ended: (status) => starts.add(1, { 'quickquote.outcome': status }),
  }
}
