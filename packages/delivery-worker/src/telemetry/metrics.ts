/** A metric of the worker. */
export interface Metric {
  readonly name: string
  readonly kind: 'counter' | 'histogram' | 'gauge'
  readonly unit: string
  readonly description: string
  /** Names of attributes, with what they hold. */
  readonly attributes: Readonly<Record<string, string>>
  /** `worker`: each worker has its own value, and they are added. `all`: every worker reports the same one. */
  readonly scope: 'worker' | 'all'
}

const OUTCOME = '`succeeded`, `failed` (tried again), `exhausted` (the last attempt), or `rejected`'

/** Every metric that there is: instruments, documents, dashboard and alerts are made of this table. */
export const METRICS = {
  attempts: {
    name: 'quickquote.delivery.attempts',
    kind: 'counter',
    unit: '{attempt}',
    description: 'Attempts to deliver an event, by how they ended.',
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
  lag: {
    name: 'quickquote.delivery.lag',
    kind: 'histogram',
    unit: 's',
    description: 'Time from when an attempt was due until it began.',
    attributes: {},
    scope: 'worker',
  },
  inFlight: {
    name: 'quickquote.delivery.in_flight',
    kind: 'gauge',
    unit: '{delivery}',
    description: 'Attempts that this worker has under way.',
    attributes: {},
    scope: 'worker',
  },
  queueDepth: {
    name: 'quickquote.delivery.queue.depth',
    kind: 'gauge',
    unit: '{delivery}',
    description: 'Deliveries that wait, over all workers.',
    attributes: { 'quickquote.queue.state': '`due`, or `scheduled` for a retry' },
    scope: 'all',
  },
  oldestAge: {
    name: 'quickquote.delivery.queue.oldest_age',
    kind: 'gauge',
    unit: 's',
    description: 'Time that the oldest due delivery has waited, over all workers; 0 when none is due.',
    attributes: {},
    scope: 'all',
  },
  pipelineStarts: {
    name: 'quickquote.pipeline_starts',
    kind: 'counter',
    unit: '{start}',
    description: 'Calls of the pipeline hook, by how they ended.',
    attributes: {
      'quickquote.outcome':
        '`started`, `failed` (called again), `exhausted` (the quote failed), or `broken_off` (the worker stopped)',
    },
    scope: 'worker',
  },
} as const satisfies Record<string, Metric>

/** The arguments of the meter's functions: name and description. */
export function instrument({
  name,
  unit,
  description,
}: Metric): [string, { unit: string; description: string }] {
  return [name, { unit, description }]
}
