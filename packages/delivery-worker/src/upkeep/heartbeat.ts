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
  readonly recoversAtOnce: boolean
  readonly logger: Logger
  readonly clock: Clock
  /** Called when the worker may claim again. */
  readonly onFresh: () => void
  /** Whether the worker holds leases. */
  readonly isHolding: () => boolean
}

/**
 * While a worker holds leases, it sends heartbeats this often, and is dead after so long without one if its session lock
 * is gone, too. A process that was killed is noticed by that; one that lost only its connection goes on sending.
 */
const HURRIED = { everyMs: 500, lostAfterMs: 2000 } as const
/** The heartbeats of idle workers while another is busy: each shows whether it still is. */
const WATCHING_MS = 1000
/** A worker that claims after it was declared dead, and dies before it knows, leaves leases without a worker. */
const ORPHANS_EVERY_MS = 60_000
/** Timers may ring this much too early. */
const EARLY_MS = 10

/**
 * Sends heartbeats, compares this machine's clock with the database's, and takes over from dead workers.
 *
 * A worker declares no other dead until its own heartbeat has been uninterrupted for `deadAfterMs`: after an outage of
 * the database every worker looks dead, although each still has the outcomes of its deliveries. One that was never cut
 * off itself takes over after 2 s from a worker whose session lock is gone: most likely it was killed. A run of a few seconds
 * cannot wait that long: `recoversAtOnce`, at the risk of repeated deliveries.
 */
export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { storage, workerId, everyMs, deadAfterMs, maxAttempts, logger, clock, onFresh, isHolding } = options
  /** Halfway between the next heartbeat and the moment when others may take over. */
  const freshForMs = (everyMs + deadAfterMs) / 2
  const hurriedMs = Math.min(HURRIED.everyMs, everyMs)
  const lostAfterMs = Math.min(HURRIED.lostAfterMs, deadAfterMs)
  const backoff = createBackoff(logger, 'the heartbeat of this worker fails')
  const alarm = createAlarm(beatAndRecover)
  let lastBeat = { monotonic: Number.NEGATIVE_INFINITY, machine: Number.NEGATIVE_INFINITY }
  /** undefined: the last heartbeat failed or was late. */
  let steadySince: number | undefined
  /** How often the others did not know this worker: at its start, and after they declared it dead. */
  let lives = 0
  let hasSession = false
  /** Others may have been cut off as well, and need their time to return. */
  let wasCutOff = false
  /** Whether the last heartbeat promised others. */
  let isPromised = false
  let nextBeatMs = everyMs
  let recoveredAt = Number.NEGATIVE_INFINITY

  /** By both clocks: the monotonic one stops while a machine is asleep. */
  function ageMs(): number {
    return Math.max(performance.now() - lastBeat.monotonic, Date.now() - lastBeat.machine)
  }

  const isFresh = () => ageMs() < (isPromised && !hasSession ? (hurriedMs + lostAfterMs) / 2 : freshForMs)

  async function beat() {
    // Taken before the heartbeat is sent, so that a worker never underestimates its age.
    const begun = { monotonic: performance.now(), machine: Date.now() }
    const promises = {
      silentForMs: deadAfterMs,
      lostAfterMs: hasSession && isHolding() ? lostAfterMs : null,
    }
    const answer = await clock.compare(() => storage.workers.heartbeat(workerId, promises))
    const { isNew, isOneSilent, isAnotherBusy } = answer
    nextBeatMs = isOneSilent ? hurriedMs : isAnotherBusy ? Math.min(WATCHING_MS, everyMs) : everyMs
    const wasFresh = isFresh()
    if (!wasFresh && lives > 0) cutOff()
    lastBeat = begun
    isPromised = promises.lostAfterMs !== null
    if (isNew) lives += 1
    steadySince ??= performance.now()
    if (!wasFresh && isFresh()) onFresh()
    return answer
  }

  async function beatAndRecover(): Promise<void> {
    if (isEarly()) return alarm.ringIn(nextBeatMs - ageMs())
    try {
      const { isOneSilent } = await beat()
      const steadyMs = performance.now() - (steadySince ?? Number.POSITIVE_INFINITY)
      if (steadyMs >= deadAfterMs) wasCutOff = false
      const isDue = isOneSilent || performance.now() - recoveredAt > ORPHANS_EVERY_MS
      if (isDue && steadyMs >= (wasCutOff ? deadAfterMs : lostAfterMs)) {
        await recover(steadyMs >= deadAfterMs ? deadAfterMs : null)
      }
      backoff.succeeded()
      alarm.ringIn(isHolding() ? hurriedMs : nextBeatMs)
    } catch (error) {
      cutOff()
      alarm.ringIn(Math.min(backoff.failed(error), hurriedMs))
    }
  }

  function cutOff(): void {
    steadySince = undefined
    wasCutOff = true
  }

  /** The leases for which it hurried are gone, so that one delivery now and then costs no heartbeat. */
  function isEarly(): boolean {
    return steadySince !== undefined && !isHolding() && !isPromised && ageMs() < nextBeatMs - EARLY_MS
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
    isFresh,
    holding() {
      const life = lives
      return () => isFresh() && lives === life
    },
    async start() {
      await beat()
      if (options.recoversAtOnce) await recover(deadAfterMs)
      alarm.ringIn(nextBeatMs)
    },
    stop: () => alarm.stop(),
    ageMs: () => Math.round(ageMs()),
    hurry: () => alarm.ringIn(hurriedMs),
    sessionChanged(isHeld) {
      hasSession = isHeld
      if (!isHeld) cutOff()
      if (isPromised && !isHeld) alarm.ringIn(0)
    },
  }
}
