import type { Integrations } from '@quickquote/core'
import { checkNumber, MAX_TIMER_MS } from '@quickquote/core/internal'
import { assessHealth, type Vitals, type WorkerHealth } from './health/health.ts'
import { openHealthServer } from './health/health-server.ts'
import { endsWithin } from './lib/ends-within.ts'
import { checkOptions, type DeliveryWorkerOptions } from './options.ts'
import type { Running } from './run.ts'
import { openTelemetry } from './telemetry/telemetry.ts'

/** Nothing waits longer than this after the deadline: the sum of the steps of `run`, and a little. */
const STOPS_WITHIN_MS = 5000
/** After the timeout of an attempt: time to record it. */
const RECORDS_MS = 2000
/** The least time of `runOnce` for looking for work, besides what a stop may take. */
const LOOKS_MS = 1000

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
   * For functions and cron, without a process of its own: does everything that is due, as a started worker does, and stops.
   * Attempts that have begun keep their timeout; pipeline starts still in progress are aborted and return to the queue. It
   * takes over from runs that were killed, at once. Any number of runs may overlap, in any processes.
   * @param options.forMs Returns within this many milliseconds. At least `delivery.timeoutMs` plus 8,000.
   * @returns `done: false` if the time was over before the work: call it again
   * @throws ConfigurationError if `forMs` is too short, Error if the worker is already running, and the storage's error if
   * the database cannot be reached
   */
  runOnce(options: { forMs: number }): Promise<{ readonly done: boolean }>
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

/**
 * @throws ConfigurationError for an option that is missing, unknown or invalid, and on Bun
 */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const checked = checkOptions(options)
  const { logger } = checked.integrations.settings
  let running: Promise<Running> | undefined
  let stopping: Promise<void> | undefined
  let vitals: (() => Vitals) | undefined

  function health(): WorkerHealth {
    const state = stopping ? 'stopping' : vitals ? 'running' : running ? 'starting' : 'stopped'
    return assessHealth(state, vitals?.(), checked.deadAfterMs)
  }

  async function stop({
    deadlineMs = checked.integrations.settings.delivery.timeoutMs + RECORDS_MS,
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

  async function open(isBrief: boolean): Promise<Running> {
    const prometheus = checked.health?.metrics
      ? (await import('./telemetry/prometheus.ts')).createPrometheus()
      : undefined
    const server = checked.health && (await openHealthServer(checked.health, health, prometheus?.read))
    if (server) logger.info({ port: server.port }, 'the health checks are available')
    try {
      // Loads much that a host's import need not wait for.
      const { run } = await import('./run.ts')
      const worker = await run(checked, openTelemetry(prometheus?.meter), { isBrief })
      vitals = worker.vitals
      return {
        ...worker,
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

  async function start({ isBrief }: { isBrief: boolean }): Promise<Running> {
    if (running !== undefined) throw new Error('The worker is already running.')
    running = open(isBrief)
    return running.catch((error: unknown) => {
      running = undefined
      throw error
    })
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
      await start({ isBrief: false })
    },
    async runOnce({ forMs }) {
      const stopMs = checked.integrations.settings.delivery.timeoutMs + RECORDS_MS + STOPS_WITHIN_MS
      checkNumber('runOnce: forMs', forMs, { min: stopMs + LOOKS_MS, max: MAX_TIMER_MS })
      const finished = start({ isBrief: true }).then((worker) => worker.finished())
      const isInTime = await endsWithin(finished, forMs - stopMs)
      await stop()
      return { done: isInTime && (await finished) }
    },
    stop,
  }
}
