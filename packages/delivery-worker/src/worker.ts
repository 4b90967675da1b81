import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Certificates, ConfigurationError, type Integrations, type Settings } from '@quickquote/core'
import {
  areCertificates,
  checkLease,
  checkNumber,
  checkOptionNames,
  defaultsOf,
  givenOptions,
  isOutage,
  LEASE_OPTIONS,
  type LeasePolicy,
  MAX_TIMER_MS,
  type NumberOption,
  type OptionTable,
} from '@quickquote/core/internal'
import { createDeliveryLoop } from './deliveries/delivery-loop.ts'
import { createSender } from './deliveries/sender.ts'
import { assessHealth, type Vitals, type WorkerHealth } from './health/health.ts'
import { type HealthAddress, openHealthServer } from './health/health-server.ts'
import { createPipelineStarter } from './starts/pipeline-starter.ts'
import { createPrometheus } from './telemetry/prometheus.ts'
import { observeQueue } from './telemetry/queue-gauges.ts'
import { createStartTelemetry } from './telemetry/start-telemetry.ts'
import { openTelemetry, type Telemetry } from './telemetry/telemetry.ts'
import { type Batches, createBatches } from './upkeep/batches.ts'
import { createEraser } from './upkeep/eraser.ts'
import { createHeartbeat } from './upkeep/heartbeat.ts'
import { createHousekeeping } from './upkeep/housekeeping.ts'
import { createUnusableKeys } from './upkeep/unusable-keys.ts'
import { version } from './version.ts'

export interface DeliveryWorkerOptions {
  /** Your integrations, from `createIntegrations`. */
  readonly integrations: Integrations
  /** Concurrent deliveries. Default 512. */
  readonly concurrency?: number
  /**
   * Milliseconds between polls for work that no notification announced. Behind a pooler without LISTEN this is the
   * latency. Default 5,000.
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

/** Delivers webhooks and starts pipelines. You can run any number of workers, in any number of processes. */
export interface DeliveryWorker {
  /** The integrations it was created with. */
  readonly integrations: Integrations
  /**
   * Resolves once the worker is registered and looks for work. It polls until it receives notifications. A stopped
   * worker can be started again.
   * @throws Error if it is already running or the `health` port is in use, and the storage's error if the database
   * cannot be reached
   */
  start(): Promise<void>
  /**
   * Claims nothing more, finishes and records what it is doing, and deregisters. Does nothing if the worker is not
   * running. Never rejects: other workers find what could not be recorded. Resolves at most five seconds after the
   * deadline; if something still hangs then, the worker can only be started again after it has ended.
   * @param options.deadlineMs Milliseconds after which attempts are aborted. Default: their timeout plus two seconds.
   */
  stop(options?: { deadlineMs?: number }): Promise<void>
  /**
   * For tests: resolves when this worker finds nothing due and has nothing in progress, including the deliveries of the
   * pipelines that it started. It does not wait for retries that are due later, for other workers, or for replays and
   * erasures.
   * @throws Error if the worker is not running, or stops meanwhile
   */
  idle(): Promise<void>
  /** The worker's health, for a route of the host. */
  health(): WorkerHealth
}

type OwnNumbers = Required<Pick<DeliveryWorkerOptions, 'concurrency' | 'pollIntervalMs' | 'socketsPerOrigin'>>

/** Those that are not options of the integrations, too. */
export const WORKER_OPTIONS: OptionTable<OwnNumbers> = {
  concurrency: { default: 512, min: 1 },
  pollIntervalMs: { default: 5000, min: 1, max: MAX_TIMER_MS },
  socketsPerOrigin: { default: 16, min: 1 },
}
const NUMBERS: OptionTable<OwnNumbers & LeasePolicy> = { ...WORKER_OPTIONS, ...LEASE_OPTIONS }
/** Those of the lease are in the settings of the integrations. */
export const DEFAULT_WORKER_OPTIONS = defaultsOf(WORKER_OPTIONS)

/** Events of a replay per transaction. */
const REPLAYED_AT_ONCE = 200

const OPTION_NAMES = [...Object.keys(NUMBERS), 'integrations', 'ca', 'pipelineStarts', 'health']

/** After the deadline: time to record aborted attempts. */
const LAST_RECORDS_MS = 2000
/** After that: time to end everything else, in parallel, and to deregister. */
const LAST_STEPS_MS = 1000
/** Nothing waits longer than this after the deadline: the sum of the others, and a little. */
const STOPS_WITHIN_MS = 5000

/**
 * @throws ConfigurationError for an option that is missing, unknown or invalid
 */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const checked = resolveOptions(options)
  const { logger } = checked.integrations.settings
  let running: Promise<Running> | undefined
  let stopping: Promise<void> | undefined
  let vitals: (() => Vitals) | undefined

  function health(): WorkerHealth {
    const state = stopping ? 'stopping' : vitals ? 'running' : running ? 'starting' : 'stopped'
    return assessHealth(state, vitals?.(), checked.deadAfterMs)
  }

  async function stop({
    deadlineMs = checked.integrations.settings.delivery.timeoutMs + 2000,
  } = {}): Promise<void> {
    stopping ??= running
      ?.then(({ stop }) => stop(deadlineMs))
      .catch(() => undefined)
      .finally(() => {
        running = undefined
        stopping = undefined
      })
    // A start that hangs is stopped once it has ended.
    if (stopping !== undefined) await endsWithin(stopping, deadlineMs + STOPS_WITHIN_MS)
  }

  async function open(): Promise<Running> {
    const prometheus = checked.health?.metrics ? createPrometheus() : undefined
    const server = checked.health && (await openHealthServer(checked.health, health, prometheus?.read))
    if (server) logger.info({ port: server.port }, 'the health of the worker is available')
    try {
      const worker = await run(checked, openTelemetry(version, prometheus?.meter))
      vitals = worker.vitals
      return {
        vitals,
        idle: worker.idle,
        async stop(deadlineMs) {
          await worker.stop(deadlineMs)
          vitals = undefined
          await server?.close()
        },
      }
    } catch (error) {
      await server?.close()
      throw error
    }
  }

  checked.integrations.beforeClose(() => stop())
  return {
    integrations: checked.integrations,
    health,
    async idle() {
      const worker = await running
      if (!(await worker?.idle())) throw new Error('The worker is not running.')
    },
    async start() {
      if (running !== undefined) throw new Error('The worker is already running.')
      running = open()
      await running.catch((error: unknown) => {
        running = undefined
        throw error
      })
    },
    stop,
  }
}

interface Running {
  vitals(): Vitals
  /** Resolves with false if the worker stops first. */
  idle(): Promise<boolean>
  stop(deadlineMs: number): Promise<void>
}

type CheckedOptions = OwnNumbers &
  LeasePolicy &
  Pick<DeliveryWorkerOptions, 'integrations' | 'ca' | 'health'> & { readonly pipelineStarts: boolean }

async function run({ integrations, ca, ...options }: CheckedOptions, telemetry: Telemetry): Promise<Running> {
  const { storage, settings } = integrations
  const { clock, keyring, logger, now } = settings
  const { concurrency, pollIntervalMs, socketsPerOrigin } = options
  const { maxAttempts, perEndpoint } = settings.delivery
  const workerId = randomUUID()
  const common = { storage, workerId, logger, now }

  const unusableKeys = createUnusableKeys({ storage, keyring, logger })
  const sender = createSender({ integrations, ca, socketsPerOrigin, telemetry, unusableKeys })
  const { http } = sender
  const heartbeat = createHeartbeat({
    ...common,
    clock,
    everyMs: options.heartbeatMs,
    deadAfterMs: options.deadAfterMs,
    maxAttempts,
    onFresh: wake,
  })
  const deliveries = createDeliveryLoop({
    ...common,
    lifeSigns: heartbeat,
    dispatch: sender.dispatch,
    telemetry: sender.telemetry,
    perEndpoint,
    concurrency,
    pollIntervalMs,
    onCatchingUp: () => changes.wake(),
  })
  const starts = options.pipelineStarts
    ? createPipelineStarter({
        integrations,
        workerId,
        lifeSigns: heartbeat,
        pollIntervalMs,
        telemetry: createStartTelemetry(telemetry),
      })
    : undefined
  const { replays, changes } = createWork({ ...common, pollIntervalMs })
  const eraser = createEraser(integrations, pollIntervalMs)
  const housekeeping = createHousekeeping(integrations, unusableKeys)

  let isRunning = false
  function wake(): void {
    if (!isRunning) return
    deliveries.wake()
    starts?.wake()
  }

  try {
    await heartbeat.start()
    await unusableKeys.check()
  } catch (error) {
    await heartbeat.stop()
    await http.close()
    throw error
  }
  const unlisten = await storage.workers.listen(wake, (error) => {
    const level = isOutage(error) ? 'debug' : 'warn'
    logger[level](
      { err: error },
      'the worker receives no notifications of new work; it polls, and keeps trying to listen',
    )
  })
  isRunning = true
  wake()
  replays.wake()
  changes.wake()
  eraser.start()
  housekeeping.start()
  const { inFlight } = deliveries
  const unobserve = observeQueue({ telemetry, storage, inFlight, logger, now })
  logger.info({ worker_id: workerId, concurrency }, 'the delivery worker is running')

  return {
    vitals: () => ({
      inFlight: inFlight(),
      heartbeatAgeMs: heartbeat.ageMs(),
      failingForMs: deliveries.failingForMs(),
      clockAheadMs: clock.aheadMs(),
      unusableKeys: unusableKeys.known(),
      warnings: housekeeping.warnings(),
    }),
    async idle() {
      for (;;) {
        const claims = () => deliveries.claims() + (starts?.claims() ?? 0)
        const before = claims()
        if (!((await (starts?.idle() ?? true)) && (await deliveries.idle()))) return false
        // A start may have caused deliveries, and the time of those may have brought another start.
        if (claims() === before) return true
      }
    },
    async stop(deadlineMs) {
      const others = Promise.all([
        housekeeping.stop(),
        replays.stop(),
        changes.stop(),
        eraser.stop(),
        unlisten().catch(() => undefined),
      ])
      const drained = Promise.all([deliveries.drain(), starts?.drain()])
      if (!(await endsWithin(drained, deadlineMs))) {
        http.abort('the worker was stopped before a response arrived')
        await endsWithin(drained, LAST_RECORDS_MS)
      }
      unobserve()
      const loops = Promise.all([deliveries.stop(), starts?.stop(), heartbeat.stop()])
      const [loopsEnded] = await Promise.all([
        endsWithin(loops, LAST_STEPS_MS),
        endsWithin(others, LAST_STEPS_MS),
        endsWithin(http.close(), LAST_STEPS_MS),
      ])
      const leasesLeft = deliveries.leasesLeft()
      // A worker that deregisters with leases would orphan them. If it stays silent, others take them over.
      if (loopsEnded && leasesLeft === 0) {
        await endsWithin(storage.workers.retire(workerId).catch(logRetirement), LAST_STEPS_MS)
      }
      logger.info({ worker_id: workerId, leases_left: leasesLeft }, 'the delivery worker has stopped')
    },
  }

  function logRetirement(error: unknown): void {
    logger.warn({ err: error }, 'the worker could not deregister; other workers will declare it dead')
  }
}

/** What the database does in batches. */
function createWork({
  storage,
  now,
  ...options
}: Pick<Integrations, 'storage'> &
  Pick<Settings, 'logger' | 'now'> & { readonly pollIntervalMs: number }): Record<
  'replays' | 'changes',
  Batches
> {
  return {
    replays: createBatches({
      ...options,
      advance: () => storage.replays.advance(REPLAYED_AT_ONCE, now()),
      failure: 'replays cannot continue',
    }),
    changes: createBatches({
      ...options,
      advance: () => storage.deliveries.catchUp(now()),
      failure: 'waiting deliveries cannot follow a change of their endpoint',
    }),
  }
}

/** Whether a promise settles in time. Leaves no timer behind. */
async function endsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const ended = new AbortController()
  const timeout = sleep(ms, false, { signal: ended.signal }).catch(() => true)
  try {
    return await Promise.race([promise.then(() => true), timeout])
  } finally {
    ended.abort()
  }
}

function resolveOptions(options: DeliveryWorkerOptions): CheckedOptions {
  checkOptionNames('createDeliveryWorker', options, OPTION_NAMES)
  if (typeof options.integrations?.quotations?.start !== 'function') {
    throw new ConfigurationError(
      'createDeliveryWorker: integrations is missing: pass the result of createIntegrations({ … }).',
    )
  }
  const { lease } = options.integrations.settings
  const checked = { ...DEFAULT_WORKER_OPTIONS, ...lease, pipelineStarts: true, ...givenOptions(options) }
  for (const [name, option] of Object.entries<NumberOption>(NUMBERS)) {
    checkNumber(`createDeliveryWorker: ${name}`, checked[name as keyof typeof NUMBERS], option)
  }
  checkLease('createDeliveryWorker: ', checked)
  if (checked.ca !== undefined && !areCertificates(checked.ca)) {
    throw new ConfigurationError(
      'createDeliveryWorker: ca must be certificates in PEM (-----BEGIN CERTIFICATE-----), not a path: a string, a Buffer, or a list of them.',
    )
  }
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
