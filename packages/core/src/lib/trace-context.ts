import { context, createTraceState, trace } from '@opentelemetry/api'

/** A position in a trace, as the two headers of W3C Trace Context. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate: string | null
}

/** The active span. null if there is none, for example without an OpenTelemetry SDK. */
export function activeTraceContext(): TraceContext | null {
  const active = trace.getSpanContext(context.active())
  if (active === undefined || !isId(active.traceId, 32) || !isId(active.spanId, 16)) return null
  const flags = (active.traceFlags & 0xff).toString(16).padStart(2, '0')
  return {
    traceparent: `00-${active.traceId}-${active.spanId}-${flags}`,
    tracestate: active.traceState?.serialize() || null,
  }
}

/**
 * Reads the two headers of a client. Invalid ones are ignored, never an error; an invalid `tracestate` does not affect
 * `traceparent`.
 */
export function parseTraceContext(headers: Readonly<Record<string, unknown>>): TraceContext | null {
  const { traceparent, tracestate } = headers
  if (typeof traceparent !== 'string') return null
  const [version = '', traceId = '', spanId = '', flags = '', ...more] = traceparent.trim().split('-')
  // A later version may append fields to the first four.
  const isVersion =
    /^[0-9a-f]{2}$/.test(version) && version !== 'ff' && (version !== '00' || more.length === 0)
  if (!isVersion || !isId(traceId, 32) || !isId(spanId, 16) || !/^[0-9a-f]{2}$/.test(flags)) return null
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    tracestate: typeof tracestate === 'string' ? createTraceState(tracestate).serialize() || null : null,
  }
}

/** All zeros is not a valid id. */
function isId(text: string, length: number): boolean {
  return text.length === length && /^[0-9a-f]+$/.test(text) && !/^0+$/.test(text)
}
