import { type Certificates, ConfigurationError, type Integrations } from '@quickquote/core'
import {
  checkCertificates,
  checkIntegrations,
  checkLease,
  checkNumber,
  checkOptionNames,
  defaultsOf,
  givenOptions,
  LEASE_OPTIONS,
  type LeasePolicy,
  MAX_TIMER_MS,
  type NumberRange,
  type OptionTable,
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

type OwnNumbers = Required<Pick<DeliveryWorkerOptions, 'concurrency' | 'socketsPerOrigin'>>

/** Those that are not options of the integrations, too. */
export const WORKER_OPTIONS = {
  concurrency: { default: 512, min: 1 },
  socketsPerOrigin: { default: 16, min: 1 },
} as const satisfies OptionTable
const NUMBERS = { ...WORKER_OPTIONS, ...LEASE_OPTIONS, pollIntervalMs: { min: 1, max: MAX_TIMER_MS } }
/** Those of the lease and the polls are in the settings of the integrations. */
export const DEFAULT_WORKER_OPTIONS: OwnNumbers = defaultsOf(WORKER_OPTIONS)

const OPTION_NAMES = [...Object.keys(NUMBERS), 'integrations', 'ca', 'pipelineStarts', 'health']

export type CheckedOptions = OwnNumbers &
  LeasePolicy &
  Required<Pick<DeliveryWorkerOptions, 'pollIntervalMs'>> &
  Pick<DeliveryWorkerOptions, 'integrations' | 'ca' | 'health'> & { readonly pipelineStarts: boolean }

/** @throws ConfigurationError for an option that is missing, unknown or invalid */
export function checkOptions(options: DeliveryWorkerOptions): CheckedOptions {
  // Bun replaces undici with a part of it: every webhook would fail.
  if (process.versions['bun'] !== undefined) {
    throw new ConfigurationError(
      'createDeliveryWorker: the worker does not run on Bun. Run it on Node, or on Deno.',
    )
  }
  checkOptionNames('createDeliveryWorker', options, OPTION_NAMES)
  checkIntegrations('createDeliveryWorker', options.integrations)
  const { lease, delivery } = options.integrations.settings
  const defaults = { ...DEFAULT_WORKER_OPTIONS, pollIntervalMs: delivery.pollMs }
  const checked = { ...defaults, ...lease, pipelineStarts: true, ...givenOptions(options) }
  for (const [name, option] of Object.entries<NumberRange>(NUMBERS)) {
    checkNumber(`createDeliveryWorker: ${name}`, checked[name as keyof typeof NUMBERS], option)
  }
  checkLease('createDeliveryWorker: ', checked)
  checkCertificates('createDeliveryWorker: ca', checked.ca)
  if (typeof checked.pipelineStarts !== 'boolean') {
    throw new ConfigurationError('createDeliveryWorker: pipelineStarts must be true or false.')
  }
  if (checked.health !== undefined) {
    checkOptionNames('createDeliveryWorker: health', checked.health, ['port', 'host', 'metrics'])
    checkNumber('createDeliveryWorker: health.port', checked.health.port, { min: 0, max: 65_535 })
    if (!['string', 'undefined'].includes(typeof checked.health.host)) {
      throw new ConfigurationError('createDeliveryWorker: health.host must be an address, such as 127.0.0.1.')
    }
    if (!['boolean', 'undefined'].includes(typeof checked.health.metrics)) {
      throw new ConfigurationError('createDeliveryWorker: health.metrics must be true or false.')
    }
  }
  return checked
}
