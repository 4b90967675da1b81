import {
  type Context,
  createContextKey,
  createNoopMeter,
  createTraceState,
  type Histogram,
  type Meter,
  metrics,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type SpanContext,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { TraceContext } from '@quickquote/core'
import { version } from '@quickquote/core/internal'
import { instrument, type Metric } from './metrics.ts'

/** The part of a meter that we use. */
export type Instruments = Pick<
  Meter,
  | 'createCounter'
  | 'createHistogram'
  | 'createObservableGauge'
  | 'addBatchObservableCallback'
  | 'removeBatchObservableCallback'
>

/** The process's OpenTelemetry SDK. Without one, everything is a no-op. */
export interface Telemetry {
  readonly tracer: Tracer
  readonly meter: Instruments
  /** Whether there is an SDK. Check it before anything expensive. */
  readonly isOn: boolean
}

const SCOPE = '@quickquote/delivery-worker'

/**
 * An SDK registered later is not noticed.
 * @param meter collects the metrics instead of the SDK
 */
export function openTelemetry(meter: Instruments = metrics.getMeter(SCOPE, version)): Telemetry {
  const tracer = trace.getTracer(SCOPE, version)
  return { tracer, meter, isOn: meter !== createNoopMeter() || isTracing() }
}

function isTracing(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(SCOPE) !== undefined
}

/** The parent of a span whose trace began in another process. */
export function parentOf(origin: TraceContext | null | undefined): Context {
  return origin ? trace.setSpanContext(ROOT_CONTEXT, spanContextOf(origin)) : ROOT_CONTEXT
}

/** The OpenTelemetry context of a span in another process. */
function spanContextOf({ traceparent, tracestate }: TraceContext): SpanContext {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(tracestate !== null && { traceState: createTraceState(tracestate) }),
  }
}

/**
 * Silences instrumentations of HTTP clients, with the key that OpenTelemetry's own recognize. They would add a second
 * span with the whole URL, and send our trace to the receiver.
 */
export const UNINSTRUMENTED: Context = ROOT_CONTEXT.setValue(
  createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING'),
  true,
)

/** Histogram boundaries, in seconds. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]

/** A histogram of seconds. */
export function createDurations(meter: Instruments, metric: Metric): Histogram {
  const [name, options] = instrument(metric)
  return meter.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: BOUNDARIES } })
}
