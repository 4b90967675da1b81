import { type Certificates, ConfigurationError, type Integrations } from '@quickquote/core'
import {
  CERTIFICATES,
  type Completed,
  checkLease,
  completeOptions,
  INTEGRATIONS_OPTION,
  isText,
  type LeasePolicy,
  MOST_AT_ONCE,
  type OptionTable,
  TIMER,
} from '@quickquote/core/internal'

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

/** Where a worker serves `GET /health/live` and `GET /health/ready`. */
export interface HealthAddress {
  /** The port; 0: any free port. */
  readonly port: number
  /** The address to listen on. Default: all addresses. */
  readonly host?: string
  /** Also serves `GET /metrics` for Prometheus. Metrics then no longer go to the OpenTelemetry SDK. Default false. */
  readonly metrics?: boolean
}

export const HEALTH_OPTIONS = {
  port: { isRequired: true, min: 0, max: 65_535 },
  host: { check: isText, rule: 'must be an address, such as 127.0.0.1.' },
  metrics: { default: false },
} as const satisfies Record<keyof HealthAddress, OptionTable[string]>

/** Defaults that are missing here are those of the integrations. */
export const OPTIONS = {
  integrations: INTEGRATIONS_OPTION,
  concurrency: { default: 512, min: 1, max: MOST_AT_ONCE },
  pollIntervalMs: TIMER,
  heartbeatMs: TIMER,
  deadAfterMs: TIMER,
  socketsPerOrigin: { default: 16, min: 1, max: MOST_AT_ONCE },
  ca: CERTIFICATES,
  pipelineStarts: { default: true },
  health: { checkInside: (path, health: object) => void completeOptions(path, HEALTH_OPTIONS, health) },
} as const satisfies Record<keyof DeliveryWorkerOptions, OptionTable[string]>

export type CheckedOptions = Completed<DeliveryWorkerOptions, typeof OPTIONS> &
  LeasePolicy & { readonly pollIntervalMs: number }

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
