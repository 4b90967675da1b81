import type { Integrations } from '@quickquote/core'
import { checkNumber, TIMER } from '@quickquote/core/internal'
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

/** `worker` rejects if the start fails. */
type State =
  | { readonly kind: 'stopped'; readonly worker?: never; readonly vitals?: never }
  | { readonly kind: 'starting'; readonly worker: Promise<Running>; readonly vitals?: never }
  | { readonly kind: 'running'; readonly worker: Promise<Running>; readonly vitals: () => Vitals }
  | {
      readonly kind: 'stopping'
      readonly worker: Promise<Running>
      /** Undefined while a start goes on. */
      readonly vitals: (() => Vitals) | undefined
      readonly stopped: Promise<void>
    }

const STOPPED: State = { kind: 'stopped' }

/**
 * @throws ConfigurationError for an option that is missing, unknown or invalid, and on Bun
 */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const checked = checkOptions(options)
  const { logger } = checked.integrations.settings
  let state: State = STOPPED

  function health(): WorkerHealth {
    return assessHealth(state.kind, state.vitals?.(), checked.deadAfterMs)
  }

  async function stop({
    deadlineMs = checked.integrations.settings.delivery.timeoutMs + RECORDS_MS,
  } = {}): Promise<void> {
    if (state.kind === 'stopped') return
    if (state.kind !== 'stopping') {
      const { worker, vitals } = state
      const stopped = worker
        .then((running) => running.stop(deadlineMs))
        .catch(() => undefined)
        .finally(() => (state = STOPPED))
      state = { kind: 'stopping', worker, vitals, stopped }
    }
    // A start that hangs is stopped once it has ended.
    await endsWithin(state.stopped, deadlineMs + STOPS_WITHIN_MS)
  }

  async function open({ isBrief }: { isBrief: boolean }): Promise<Running> {
    const prometheus = checked.health?.metrics
      ? (await import('./telemetry/prometheus.ts')).createPrometheus()
      : undefined
    const server = checked.health && (await openHealthServer(checked.health, health, prometheus?.read))
    if (server) logger.info({ port: server.port }, 'the health checks are available')
    try {
      // Loads much that a host's import need not wait for.
      const { run } = await import('./run.ts')
      const worker = await run(checked, openTelemetry(prometheus?.meter), { isBrief })
      return {
        ...worker,
        async stop(deadlineMs) {
          await worker.stop(deadlineMs)
          await server?.close()
        },
      }
    } catch (error) {
      await server?.close()
      throw error
    }
  }

  async function start({ isBrief }: { isBrief: boolean }): Promise<Running> {
    if (state.kind !== 'stopped') throw new Error('The worker is already running.')
    const worker = open({ isBrief })
    state = { kind: 'starting', worker }
    worker.then(
      ({ vitals }) =>
        (state = state.kind === 'stopping' ? { ...state, vitals } : { kind: 'running', worker, vitals }),
      () => {
        if (state.kind === 'starting') state = STOPPED
      },
    )
    return worker
  }

  checked.integrations.beforeClose(() => stop())
  return {
    integrations: checked.integrations,
    health,
    async idle() {
      const worker = await state.worker
      if (!(await worker?.idle())) throw new Error('The worker is not running.')
    },
    async start() {
      await start({ isBrief: false })
    },
    async runOnce({ forMs }) {
      const stopMs = checked.integrations.settings.delivery.timeoutMs + RECORDS_MS + STOPS_WITHIN_MS
      checkNumber('runOnce: forMs', forMs, { ...TIMER, min: stopMs + LOOKS_MS })
      const finished = start({ isBrief: true }).then((worker) => worker.finished())
      const isInTime = await endsWithin(finished, forMs - stopMs)
      await stop()
      return { done: isInTime && (await finished) }
    },
    stop,
  }
}
