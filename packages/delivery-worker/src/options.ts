import { type Certificates, ConfigurationError, type Integrations } from '@quickquote/core'
import {
  CERTIFICATES,
  checkLease,
  completeOptions,
  INTEGRATIONS_OPTION,
  isText,
  type LeasePolicy,
  type OptionTable,
  TIMER,
} from '@quickquote/core/internal'
import type { HealthAddress } from './health/health-server.ts'

export interface DeliveryWorkerOptions {
  /** Your integrations, from `createIntegrations`. */
  readonly integrations: Integrations
  /** Concurrent deliveries. Default 512. */
  readonly concurrency?: number
  /**
   * Milliseconds between polls for work that no notification announced. Behind a pooler without LISTEN this is the
   * latency. Default: `delivery.pollMs` of the integrations.
   */
  readonly pollIntervalMs?: number
  /** Milliseconds between heartbeats. Default: `lease.heartbeatMs` of the integrations. */
  readonly heartbeatMs?: number
  /**
   * Milliseconds without a heartbeat before other workers take over. At least twice `heartbeatMs`. Default:
   * `lease.deadAfterMs` of the integrations.
   */
  readonly deadAfterMs?: number
  /** Sockets per origin while it responds quickly; slow origins get more. Default 16. */
  readonly socketsPerOrigin?: number
  /** Certificates (PEM) to trust in addition to the public ones. Default: `egress.ca` of the integrations. */
  readonly ca?: Certificates
  /** Also starts pipelines. With false this worker only delivers, and another one must start them. Default true. */
  readonly pipelineStarts?: boolean
  /** Serves `GET /health/live` and `GET /health/ready` on a separate port while the worker runs. Default off. */
  readonly health?: HealthAddress
}

/** Those that are not options of the integrations, too. */
export const WORKER_OPTIONS = {
  concurrency: { default: 512, min: 1 },
  socketsPerOrigin: { default: 16, min: 1 },
  pipelineStarts: { default: true },
} as const satisfies OptionTable

/** The defaults of the others are in the settings of the integrations. */
const OPTIONS = {
  integrations: INTEGRATIONS_OPTION,
  ...WORKER_OPTIONS,
  pollIntervalMs: TIMER,
  heartbeatMs: TIMER,
  deadAfterMs: TIMER,
  ca: CERTIFICATES,
  health: { checkInside: (path, health: object) => void completeOptions(path, HEALTH_OPTIONS, health) },
} satisfies Record<keyof DeliveryWorkerOptions, OptionTable[string]>

const HEALTH_OPTIONS = {
  port: { isRequired: true, min: 0, max: 65_535 },
  host: { check: isText, rule: 'must be an address, such as 127.0.0.1.' },
  metrics: { default: false },
} satisfies Record<keyof HealthAddress, OptionTable[string]>

export type CheckedOptions = LeasePolicy &
  Required<Pick<DeliveryWorkerOptions, 'pollIntervalMs' | keyof typeof WORKER_OPTIONS>> &
  Pick<DeliveryWorkerOptions, 'integrations' | 'ca' | 'health'>

/** @throws ConfigurationError for an option that is missing, unknown or invalid */
export function checkOptions(options: DeliveryWorkerOptions): CheckedOptions {
  // Bun replaces undici with a part of it: every webhook would fail.
  if (process.versions['bun'] !== undefined) {
    throw new ConfigurationError(
      'createDeliveryWorker: the worker does not run on Bun. Run it on Node, or on Deno.',
    )
  }
  const given = completeOptions('createDeliveryWorker', OPTIONS, options)
  const { lease, delivery } = given.integrations.settings
  const checked = { pollIntervalMs: delivery.pollMs, ...lease, ...given }
  checkLease('createDeliveryWorker: ', checked)
  return checked
}
