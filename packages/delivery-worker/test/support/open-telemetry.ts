import * as ownApi from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'

/** A point of a metric: a number, or a histogram's values. */
export interface Point {
  readonly attributes: Record<string, unknown>
  readonly value: unknown
}

/** The real SDK, in memory, for the whole process. */
export interface OpenTelemetrySdk {
  spans(name: RegExp): ReadableSpan[]
  /** Collects now. */
  collect(): Promise<ReadonlyMap<string, Point[]>>
  forget(): void
  shutdown(): Promise<void>
}

/** @param api the copy that the host has. Default: ours */
export function registerSdk(api: typeof ownApi = ownApi): OpenTelemetrySdk {
  const { context, metrics, propagation, trace } = api
  const exporter = new InMemorySpanExporter()
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 24 * 60 * 60 * 1000,
  })
  const meters = new MeterProvider({ readers: [reader] })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(tracers)
  metrics.setGlobalMeterProvider(meters)
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())

  return {
    spans: (name) => exporter.getFinishedSpans().filter((span) => name.test(span.name)),
    async collect() {
      const { resourceMetrics, errors } = await reader.collect()
      if (errors.length > 0) throw errors[0]
      const all = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)
      return new Map(
        all.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          dataPoints.map(({ attributes, value }) => ({ attributes, value })),
        ]),
      )
    },
    forget: () => exporter.reset(),
    async shutdown() {
      await Promise.all([tracers.shutdown(), meters.shutdown()])
      trace.disable()
      metrics.disable()
      context.disable()
      propagation.disable()
    },
  }
}
