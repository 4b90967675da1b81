import type { Logger, Storage } from '@quickquote/core'
import type { Clock } from '@quickquote/core/internal'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'
import {
  ageMs,
  declaresDead,
  FIRST_LIVENESS,
  isAlone,
  isEarly,
  isFresh,
  type LivenessEvent,
  livenessTimes,
  type Moment,
  next,
} from './liveness.ts'

/** Whether this worker still holds its leases. */
export interface LifeSigns {
  /** Whether the others certainly consider this worker alive. If not, it claims and begins nothing. */
  isFresh(): boolean
  /** Whether no other worker held leases, or may be dead, at the last heartbeat. */
  isAlone(): boolean
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
  /** Call it whenever the worker may have begun to hold leases. */
  hurry(): void
  /** Call it when the session lock of this worker is taken or lost. */
  sessionChanged(isHeld: boolean): void
}

export interface HeartbeatOptions {
  readonly storage: Pick<Storage, 'workers'>
  readonly workerId: string
  readonly everyMs: number
  /** Milliseconds without a heartbeat before other workers take over. */
  readonly deadAfterMs: number
  readonly maxAttempts: number
  /** Takes over from dead workers at once. */
  readonly isBrief: boolean
  readonly logger: Logger
  readonly clock: Clock
  /** Called when the worker may claim again. */
  readonly onFresh: () => void
  /** Whether the worker holds leases. */
  readonly isHolding: () => boolean
}

/** A worker that claims after it was declared dead, and dies before it knows, leaves leases without a worker. */
const ORPHANS_EVERY_MS = 60_000

/**
 * Sends heartbeats, compares this machine's clock with the database's, and takes over from dead workers.
 *
 * A worker declares no other dead until its own heartbeat has been uninterrupted for `deadAfterMs`: after an outage of
 * the database every worker looks dead, although each still has the outcomes of its deliveries. One that was never cut
 * off itself takes over after 2 s from a worker whose session lock is gone: most likely it was killed. A run of a few seconds
 * (`isBrief`) cannot wait that long: it takes over at once, at the risk of repeated deliveries.
 */
export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { storage, workerId, deadAfterMs, maxAttempts, logger, clock, onFresh, isHolding } = options
  const times = livenessTimes(options.everyMs, deadAfterMs)
  const backoff = createBackoff(logger, 'the heartbeat of this worker fails')
  const alarm = createAlarm(beatAndRecover)
  let liveness = FIRST_LIVENESS
  let recoveredAt = Number.NEGATIVE_INFINITY

  const isFreshNow = () => isFresh(liveness, moment(), times)
  const note = (event: LivenessEvent) => (liveness = next(liveness, event, times))

  async function beat() {
    // Taken before the heartbeat is sent, so that a worker never underestimates its age.
    const sent = moment()
    const isPromised = liveness.hasSession && isHolding()
    const promises = { silentForMs: deadAfterMs, lostAfterMs: isPromised ? times.lostAfterMs : null }
    const answer = await clock.compare(() => storage.workers.heartbeat(workerId, promises))
    const answered = moment()
    const wasFresh = isFresh(liveness, answered, times)
    note({ kind: 'heartbeat', sent, answered, isPromised, ...answer })
    if (!wasFresh && isFreshNow()) onFresh()
    return answer
  }

  async function beatAndRecover(): Promise<void> {
    if (!isHolding() && isEarly(liveness, moment(), times)) {
      return alarm.ringIn(times[liveness.pace] - ageMs(liveness, moment()))
    }
    try {
      const { isOneSilent } = await beat()
      const dead = declaresDead(liveness, moment(), times)
      const isDue = isOneSilent || performance.now() - recoveredAt > ORPHANS_EVERY_MS
      if (isDue && dead !== 'none') await recover(dead === 'silent' ? deadAfterMs : null)
      backoff.succeeded()
      alarm.ringIn(isHolding() ? times.hurried : times[liveness.pace])
    } catch (error) {
      note({ kind: 'heartbeat_failed' })
      alarm.ringIn(Math.min(backoff.failed(error), times.hurried))
    }
  }

  async function recover(silentForMs: number | null): Promise<void> {
    const now = clock.now()
    recoveredAt = performance.now()
    const recovered = await storage.workers.recoverDead({ silentForMs, maxAttempts, now })
    if (recovered.deliveries + recovered.starts > 0) {
      logger.warn(recovered, 'took over from a dead worker')
    }
  }

  return {
    isFresh: isFreshNow,
    isAlone: () => isAlone(liveness),
    holding() {
      const { lives } = liveness
      return () => isFreshNow() && liveness.lives === lives
    },
    async start() {
      await beat()
      if (options.isBrief) await recover(deadAfterMs)
      alarm.ringIn(times[liveness.pace])
    },
    stop: () => alarm.stop(),
    ageMs: () => Math.round(ageMs(liveness, moment())),
    hurry: () => alarm.ringIn(times.hurried),
    sessionChanged(isHeld) {
      note({ kind: 'session_changed', isHeld })
      if (liveness.isPromised && !isHeld) alarm.ringIn(0)
    },
  }
}

function moment(): Moment {
  return { monotonic: performance.now(), machine: Date.now() }
}
