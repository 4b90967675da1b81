import type { Logger, Storage } from '@quickquote/core'
import type { Clock } from '@quickquote/core/internal'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'

/** Whether this worker still holds its leases. */
export interface LifeSigns {
  /** Whether the others certainly consider this worker alive. If not, it claims and begins nothing. */
  isFresh(): boolean
  /**
   * Call it before a claim. Returns a check whether its leases are still certainly held, for right before anything begins
   * with them: they are lost once the others have declared this worker dead.
   */
  holding(): () => boolean
}

export interface Heartbeat extends LifeSigns {
  /** Sends the first heartbeat. Rejects if the database cannot be reached. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Milliseconds since the last heartbeat. */
  ageMs(): number
}

export interface HeartbeatOptions {
  readonly storage: Pick<Storage, 'workers'>
  readonly workerId: string
  readonly everyMs: number
  /** Milliseconds without a heartbeat before other workers take over. */
  readonly deadAfterMs: number
  readonly maxAttempts: number
  readonly recoversAtOnce: boolean
  readonly logger: Logger
  readonly clock: Clock
  /** Called when the worker may claim again. */
  readonly onFresh: () => void
}

/**
 * Sends heartbeats, compares this machine's clock with the database's, and takes over from dead workers.
 *
 * A worker declares no other dead until its own heartbeat has been uninterrupted for `deadAfterMs`: after an outage of
 * the database every worker looks dead, although each still has the outcomes of its deliveries. A run of a few seconds
 * cannot wait that long: `recoversAtOnce`, at the risk of repeated deliveries.
 */
export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { storage, workerId, everyMs, deadAfterMs, maxAttempts, logger, clock, onFresh } = options
  /** Halfway between the next heartbeat and the moment when others may take over. */
  const freshForMs = (everyMs + deadAfterMs) / 2
  const backoff = createBackoff(logger, 'the heartbeat of this worker fails')
  const alarm = createAlarm(beatAndRecover)
  let lastBeat = { monotonic: Number.NEGATIVE_INFINITY, machine: Number.NEGATIVE_INFINITY }
  /** undefined: the last heartbeat failed or was late. */
  let steadySince: number | undefined
  /** How often the others did not know this worker: at its start, and after they declared it dead. */
  let lives = 0

  /** By both clocks: the monotonic one stops while a machine is asleep. */
  function ageMs(): number {
    return Math.max(performance.now() - lastBeat.monotonic, Date.now() - lastBeat.machine)
  }

  const isFresh = () => ageMs() < freshForMs

  async function beat(): Promise<void> {
    // Taken before the heartbeat is sent, so that a worker never underestimates its age.
    const begun = { monotonic: performance.now(), machine: Date.now() }
    const { isNew } = await clock.compare(() => storage.workers.heartbeat(workerId))
    const wasFresh = isFresh()
    lastBeat = begun
    if (isNew) lives += 1
    if (!wasFresh) steadySince = undefined
    steadySince ??= performance.now()
    if (!wasFresh && isFresh()) onFresh()
  }

  async function beatAndRecover(): Promise<void> {
    try {
      await beat()
      if (performance.now() - (steadySince ?? Number.POSITIVE_INFINITY) >= deadAfterMs) await recover()
      backoff.succeeded()
      alarm.ringIn(everyMs)
    } catch (error) {
      steadySince = undefined
      alarm.ringIn(Math.min(backoff.failed(error), everyMs))
    }
  }

  async function recover(): Promise<void> {
    const now = clock.now()
    const recovered = await storage.workers.recoverDead({ silentForMs: deadAfterMs, maxAttempts, now })
    if (recovered.deliveries + recovered.starts > 0) {
      logger.warn(recovered, 'took over from a dead worker')
    }
  }

  return {
    isFresh,
    holding() {
      const life = lives
      return () => isFresh() && lives === life
    },
    async start() {
      await beat()
      if (options.recoversAtOnce) await recover()
      alarm.ringIn(everyMs)
    },
    stop: () => alarm.stop(),
    ageMs: () => Math.round(ageMs()),
  }
}
