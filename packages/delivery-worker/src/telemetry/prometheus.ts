import type { Attributes, BatchObservableCallback, Observable, ObservableCallback } from '@opentelemetry/api'
// Its index loads much more, and needs other packages.
import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Histogram from 'prom-client/lib/histogram.js'
import Registry from 'prom-client/lib/registry.js'
import { METRICS, type Metric } from './metrics.ts'
import type { Instruments } from './telemetry.ts'

/** Metrics for Prometheus, kept in the process. */
export interface Prometheus {
  readonly meter: Instruments
  /** Collects the metrics, in the text format of Prometheus. */
  read(): Promise<string>
}

const UNITS: Readonly<Record<string, string>> = { s: '_seconds' }

/** The Prometheus name of a metric, translated like OpenTelemetry's own exporters. */
export function prometheusName({ name, kind, unit }: Metric): string {
  return `${prometheusLabel(name)}${UNITS[unit] ?? ''}${kind === 'counter' ? '_total' : ''}`
}

/** The Prometheus name of an attribute. */
export function prometheusLabel(attribute: string): string {
  return attribute.replaceAll('.', '_')
}

/** Collects a worker's metrics instead of an OpenTelemetry SDK. */
export function createPrometheus(): Prometheus {
  const registry = new Registry()
  const callbacks = new Set<() => void | Promise<void>>()
  const gauges = new Map<Observable, Gauge>()
  const removals = new Map<unknown, () => void>()
  let reading: Promise<string> | undefined

  function add(key: unknown, callback: () => void | Promise<void>): void {
    callbacks.add(callback)
    removals.set(key, () => callbacks.delete(callback))
  }

  const meter: Instruments = {
    createCounter(name) {
      const counter = new Counter(configOf(name, registry))
      return { add: (value, attributes) => counter.inc(labelsOf(attributes), value) }
    },
    createHistogram(name, { advice } = {}) {
      const buckets = advice?.explicitBucketBoundaries ?? []
      const histogram = new Histogram({ ...configOf(name, registry), buckets })
      return { record: (value, attributes) => histogram.observe(labelsOf(attributes), value) }
    },
    createObservableGauge(name) {
      const gauge = new Gauge(configOf(name, registry))
      const observable: Observable = {
        addCallback(callback: ObservableCallback) {
          const observe = (value: number, attributes?: Attributes) => gauge.set(labelsOf(attributes), value)
          add(callback, () => callback({ observe }))
        },
        removeCallback: (callback) => removals.get(callback)?.(),
      }
      gauges.set(observable, gauge)
      return observable
    },
    addBatchObservableCallback(callback: BatchObservableCallback) {
      const observe = (observable: Observable, value: number, attributes?: Attributes) =>
        gauges.get(observable)?.set(labelsOf(attributes), value)
      add(callback, () => callback({ observe }))
    },
    removeBatchObservableCallback: (callback) => removals.get(callback)?.(),
  }

  /** Leaves out metrics that cannot be measured now, rather than repeat old values. */
  async function collect(): Promise<string> {
    for (const gauge of gauges.values()) {
      gauge.reset()
      // Without labels, a reset would set it to zero.
      gauge.remove({})
    }
    await Promise.all([...callbacks].map((callback) => callback()))
    return registry.metrics()
  }

  return {
    meter,
    read() {
      reading ??= collect().finally(() => {
        reading = undefined
      })
      return reading
    },
  }
}

function configOf(name: string, registry: Registry) {
  const metric: Metric | undefined = Object.values(METRICS).find((each) => each.name === name)
  if (metric === undefined) throw new Error(`${name} is not in the table of metrics.`)
  return {
    name: prometheusName(metric),
    help: metric.description,
    labelNames: Object.keys(metric.attributes).map(prometheusLabel),
    registers: [registry],
  }
}

function labelsOf(attributes: Attributes = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [prometheusLabel(name), String(value)]),
  )
}
