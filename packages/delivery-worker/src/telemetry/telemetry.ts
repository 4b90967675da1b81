import {
  type Context,
  createContextKey,
  createNoopMeter,
  type Histogram,
  type Meter,
  metrics,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { TraceContext } from '@quickquote/core'
import { spanContextOf } from '@quickquote/core/internal'
import { instrument, type Metric } from './metrics.ts'

/** What we use of a meter. */
export type Instruments = Pick<
  Meter,
  | 'createCounter'
  | 'createHistogram'
  | 'createObservableGauge'
  | 'addBatchObservableCallback'
  | 'removeBatchObservableCallback'
>

/** What the process's OpenTelemetry SDK gives us. Without one, all of it does nothing. */
export interface Telemetry {
  readonly tracer: Tracer
  readonly meter: Instruments
  /** Whether there is an SDK, so that anything that costs something is worth it. */
  readonly isOn: boolean
}

const SCOPE = '@quickquote/delivery-worker'

/**
 * An SDK that is registered later is not noticed.
 * @param meter takes the metrics in the SDK's place
 */
export function openTelemetry(
  version: string,
  meter: Instruments = metrics.getMeter(SCOPE, version),
): Telemetry {
  const tracer = trace.getTracer(SCOPE, version)
  return { tracer, meter, isOn: meter !== createNoopMeter() || isTracing() }
}

function isTracing(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(SCOPE) !== undefined
}

/** Where a span continues a trace that began in another process. */
export function parentOf(origin: TraceContext | null | undefined): Context {
  return origin ? trace.setSpanContext(ROOT_CONTEXT, spanContextOf(origin)) : ROOT_CONTEXT
}

/**
 * Keeps instrumentations of HTTP clients silent, by the key that all of OpenTelemetry's own know: theirs would be a second
 * span of the attempt, with the whole URL in it, and would send our trace to the receiver.
 */
export const UNINSTRUMENTED: Context = ROOT_CONTEXT.setValue(
  createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING'),
  true,
)

/** Bounds of histograms, in seconds. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]

/** A histogram of seconds. */
export function createDurations(meter: Instruments, metric: Metric): Histogram {
  const [name, options] = instrument(metric)
  return meter.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: BOUNDARIES } })
}
