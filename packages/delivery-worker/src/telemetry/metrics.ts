export interface Metric {
  readonly name: string
  readonly kind: 'counter' | 'histogram' | 'gauge'
  readonly unit: string
  readonly description: string
  /** Attributes and their values. */
  readonly attributes: Readonly<Record<string, string>>
  /** `worker`: each worker reports its own value, and they are added. `all`: every worker reports the same value. */
  readonly scope: 'worker' | 'all'
}

const OUTCOME = '`succeeded`, `failed` (to be retried), `exhausted` (the last attempt failed), or `rejected`'

/** All metrics. Instruments, documents, dashboard and alerts are derived from this table. */
export const METRICS = {
  attempts: {
    name: 'quickquote.delivery.attempts',
    kind: 'counter',
    unit: '{attempt}',
    description: 'Delivery attempts, by outcome.',
    attributes: { 'quickquote.outcome': OUTCOME, 'error.type': 'the `error_code` of the log line' },
    scope: 'worker',
  },
  attemptDuration: {
    name: 'quickquote.delivery.attempt.duration',
    kind: 'histogram',
    unit: 's',
    description: 'Duration of an attempt.',
    attributes: { 'quickquote.outcome': OUTCOME },
    scope: 'worker',
  },
  resends: {
    name: 'quickquote.delivery.resends',
    kind: 'counter',
    unit: '{request}',
    description:
      'Requests sent once more within their attempt, because the receiver closed a connection used before.',
    attributes: {},
    scope: 'worker',
  },
  lag: {
    name: 'quickquote.delivery.lag',
    kind: 'histogram',
    unit: 's',
    description: 'Delay of an attempt after it was due, including pauses that the receiver asked for.',
    attributes: {},
    scope: 'worker',
  },
  inFlight: {
    name: 'quickquote.delivery.in_flight',
    kind: 'gauge',
    unit: '{delivery}',
    description: 'Attempts in flight in this worker.',
    attributes: {},
    scope: 'worker',
  },
  queueDepth: {
    name: 'quickquote.delivery.queue.depth',
    kind: 'gauge',
    unit: '{delivery}',
    description: 'Waiting deliveries, over all workers.',
    attributes: {
      'quickquote.queue.state':
        '`due`, `scheduled` for a retry, or `paused` because the receiver asked for it',
    },
    scope: 'all',
  },
  oldestAge: {
    name: 'quickquote.delivery.queue.oldest_age',
    kind: 'gauge',
    unit: 's',
    description:
      'Age of the oldest due delivery, over all workers; 0 when none is due. Paused ones do not count.',
    attributes: {},
    scope: 'all',
  },
  pipelineStarts: {
    name: 'quickquote.pipeline_starts',
    kind: 'counter',
    unit: '{start}',
    description: 'Calls of the pipeline hook, by outcome.',
    attributes: {
      'quickquote.outcome':
        '`started`, `failed` (to be retried), `exhausted` (the quote failed), `cancelled` (the quote was cancelled meanwhile), or `broken_off` (the worker stopped)',
    },
    scope: 'worker',
  },
} as const satisfies Record<string, Metric>

/** The arguments for the meter: name and description. */
export function instrument({
  name,
  unit,
  description,
}: Metric): [string, { unit: string; description: string }] {
  return [name, { unit, description }]
}
