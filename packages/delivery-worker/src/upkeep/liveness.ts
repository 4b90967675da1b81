/**
 * How certain a worker is that it and the others know of each other:
 *
 * - `new`: it has sent no heartbeat.
 * - `steady`: its heartbeats have been uninterrupted since the first one, or for `deadAfterMs`.
 * - `cut_off`: its last heartbeat failed, or it has lost its session lock.
 * - `returning`: its heartbeats have been uninterrupted for less than `deadAfterMs` since it was cut off. Others may have
 *   been cut off as well, and need their time to return.
 */
type Mode =
  | { readonly kind: 'new' | 'cut_off' }
  | { readonly kind: 'steady' | 'returning'; readonly since: number }

export interface Liveness {
  readonly mode: Mode
  /**
   * How often it sends heartbeats without leases: `idle`; `watching`, while another worker is busy, to notice whether it
   * still is; or `hurried`, while one may be dead. With leases it is always hurried.
   */
  readonly pace: 'idle' | 'watching' | 'hurried'
  /** When the last heartbeat that arrived was sent. */
  readonly lastBeat: Moment
  /** Whether that one promised that others will follow soon, because the worker held leases. */
  readonly isPromised: boolean
  readonly hasSession: boolean
  /** How often the others did not know this worker: at its start, and after they declared it dead. */
  readonly lives: number
}

/** By both clocks of the machine: the monotonic one stops while it is asleep. */
export interface Moment {
  readonly monotonic: number
  readonly machine: number
}

export type LivenessEvent =
  | {
      readonly kind: 'heartbeat'
      readonly sent: Moment
      readonly answered: Moment
      readonly isPromised: boolean
      readonly isNew: boolean
      readonly isOneSilent: boolean
      readonly isAnotherBusy: boolean
    }
  | { readonly kind: 'heartbeat_failed' }
  | { readonly kind: 'session_changed'; readonly isHeld: boolean }

/** All in milliseconds. */
export interface LivenessTimes extends Readonly<Record<Liveness['pace'], number>> {
  /** Without a heartbeat, before others take over. */
  readonly deadAfterMs: number
  /** The same for a worker that holds leases and whose session lock is gone. */
  readonly lostAfterMs: number
}

/**
 * While a worker holds leases, it sends heartbeats this often, and is dead after so long without one if its session lock
 * is gone, too. A process that was killed is noticed by that; one that lost only its connection goes on sending.
 */
const HURRIED = { everyMs: 500, lostAfterMs: 2000 } as const
const WATCHING_MS = 1000
/** Timers may ring this much too early. */
const EARLY_MS = 10

const NEVER: Moment = { monotonic: Number.NEGATIVE_INFINITY, machine: Number.NEGATIVE_INFINITY }

export const FIRST_LIVENESS: Liveness = {
  mode: { kind: 'new' },
  pace: 'idle',
  lastBeat: NEVER,
  isPromised: false,
  hasSession: false,
  lives: 0,
}

export function livenessTimes(everyMs: number, deadAfterMs: number): LivenessTimes {
  return {
    idle: everyMs,
    watching: Math.min(WATCHING_MS, everyMs),
    hurried: Math.min(HURRIED.everyMs, everyMs),
    deadAfterMs,
    lostAfterMs: Math.min(HURRIED.lostAfterMs, deadAfterMs),
  }
}

/** A heartbeat that arrives after the worker was no longer fresh counts as one after it was cut off. */
export function next(liveness: Liveness, event: LivenessEvent, times: LivenessTimes): Liveness {
  switch (event.kind) {
    case 'heartbeat': {
      const { sent, answered, isPromised, isNew, isOneSilent, isAnotherBusy } = event
      const isLate = liveness.lives > 0 && !isFresh(liveness, answered, times)
      return {
        ...liveness,
        mode: afterHeartbeat(isLate ? { kind: 'cut_off' } : liveness.mode, answered.monotonic, times),
        pace: isOneSilent ? 'hurried' : isAnotherBusy ? 'watching' : 'idle',
        lastBeat: sent,
        isPromised,
        lives: liveness.lives + (isNew ? 1 : 0),
      }
    }
    case 'heartbeat_failed':
      return { ...liveness, mode: { kind: 'cut_off' } }
    case 'session_changed':
      return {
        ...liveness,
        hasSession: event.isHeld,
        mode: event.isHeld ? liveness.mode : { kind: 'cut_off' },
      }
  }
}

function afterHeartbeat(mode: Mode, now: number, { deadAfterMs }: LivenessTimes): Mode {
  switch (mode.kind) {
    case 'new':
      return { kind: 'steady', since: now }
    case 'cut_off':
      return { kind: 'returning', since: now }
    case 'returning':
      return now - mode.since >= deadAfterMs ? { ...mode, kind: 'steady' } : mode
    case 'steady':
      return mode
  }
}

/** Whether the others certainly consider this worker alive: until halfway between its next heartbeat and its death. */
export function isFresh(liveness: Liveness, now: Moment, times: LivenessTimes): boolean {
  const { hurried, idle, lostAfterMs, deadAfterMs } = times
  const isHurried = liveness.isPromised && !liveness.hasSession
  return ageMs(liveness, now) < (isHurried ? hurried + lostAfterMs : idle + deadAfterMs) / 2
}

/** Whether no other worker held leases, or may be dead, at the last heartbeat. */
export function isAlone({ pace }: Liveness): boolean {
  return pace === 'idle'
}

/** Whether a heartbeat is not due: the leases for which one was requested may be gone. So short deliveries cost none. */
export function isEarly(liveness: Liveness, now: Moment, times: LivenessTimes): boolean {
  const { mode, pace, isPromised } = liveness
  const isUninterrupted = mode.kind === 'steady' || mode.kind === 'returning'
  return isUninterrupted && !isPromised && ageMs(liveness, now) < times[pace] - EARLY_MS
}

/** Which workers this one may declare dead: all `silent` ones, or only those whose session lock is `lost`, too. */
export function declaresDead(
  { mode }: Liveness,
  now: Moment,
  { deadAfterMs, lostAfterMs }: LivenessTimes,
): 'silent' | 'lost' | 'none' {
  if (mode.kind !== 'steady') return 'none'
  const steadyMs = now.monotonic - mode.since
  return steadyMs >= deadAfterMs ? 'silent' : steadyMs >= lostAfterMs ? 'lost' : 'none'
}

/** Milliseconds since the last heartbeat. */
export function ageMs({ lastBeat }: Liveness, now: Moment): number {
  return Math.max(now.monotonic - lastBeat.monotonic, now.machine - lastBeat.machine)
}
