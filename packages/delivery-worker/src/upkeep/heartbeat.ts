import type { Logger, Storage } from '@quickquote/core'
import type { Clock } from '@quickquote/core/internal'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'

/** What a worker knows of its leases. */
export interface LifeSigns {
  /** Whether the others are sure to take this worker for alive. When not, it claims nothing and begins nothing. */
  isFresh(): boolean
  /** Another number when the others gave this worker up meanwhile: what it claimed before is no longer its own. */
  life(): number
}

/** Whether what was claimed in a life is still held for sure. Asked right before anything is begun with it. */
export function holds(lifeSigns: LifeSigns, life: number): boolean {
  return lifeSigns.isFresh() && lifeSigns.life() === life
}

export interface Heartbeat extends LifeSigns {
  /** The first beat: rejects when the database cannot be reached. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Milliseconds since the last beat. */
  ageMs(): number
}

export interface HeartbeatOptions {
  readonly storage: Pick<Storage, 'workers'>
  readonly workerId: string
  readonly everyMs: number
  /** How long a worker may be silent before the others take over what it held. */
  readonly deadAfterMs: number
  readonly maxAttempts: number
  readonly logger: Logger
  readonly clock: Clock
  /** Called when the worker may claim again. */
  readonly onFresh: () => void
}

/**
 * Tells that this worker lives, compares its clock with the database's, and takes over what dead workers held.
 *
 * It declares no other worker dead before its own heartbeat has been uninterrupted for `deadAfterMs`: after an outage of the
 * database every worker looks dead, and each still has the outcomes of what it was sending.
 */
export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { storage, workerId, everyMs, deadAfterMs, maxAttempts, logger, clock, onFresh } = options
  /** Halfway between the next beat and the moment when others may take over. */
  const freshForMs = (everyMs + deadAfterMs) / 2
  const backoff = createBackoff(logger, 'the heartbeat of this worker fails')
  const alarm = createAlarm(beatAndRecover)
  let lastBeat = { monotonic: Number.NEGATIVE_INFINITY, machine: Number.NEGATIVE_INFINITY }
  /** undefined: the last beat failed, or came too late. */
  let steadySince: number | undefined
  let life = 0

  /** By both clocks: the monotonic one stands still while a machine is asleep. */
  function ageMs(): number {
    return Math.max(performance.now() - lastBeat.monotonic, Date.now() - lastBeat.machine)
  }

  const isFresh = () => ageMs() < freshForMs

  async function beat(): Promise<void> {
    // The database takes the time of a beat after it was sent: counted from here a worker never thinks itself too young.
    const begun = { monotonic: performance.now(), machine: Date.now() }
    const { isNew } = await clock.compare(() => storage.workers.heartbeat(workerId))
    const wasFresh = isFresh()
    lastBeat = begun
    if (isNew) life += 1
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
      logger.warn(recovered, 'took over from a worker that is no longer there')
    }
  }

  return {
    isFresh,
    life: () => life,
    async start() {
      await beat()
      alarm.ringIn(everyMs)
    },
    stop: () => alarm.stop(),
    ageMs: () => Math.round(ageMs()),
  }
}
