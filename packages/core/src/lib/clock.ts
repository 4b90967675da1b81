import { answerInTime } from './answer-in-time.ts'
import type { Logger } from './logger.ts'

/**
 * The time of the database, so that all processes agree even if their machines' clocks are wrong. A host may pass
 * `now`, mostly for tests: then that clock is used for everything and compared with nothing.
 */
export interface Clock {
  /** The time, without I/O: the machine's monotonic clock carries it on between comparisons. */
  now(): Date
  /** The current time of the database. Use it before you remove or fail something. Rejects like the storage. */
  read(): Promise<Date>
  /** Compares with the database's time in the result of `ask`. Settles like `ask`. */
  compare<T extends { readonly at: Date }>(ask: () => Promise<T>): Promise<T>
  /**
   * Makes sure that the time is known. Compares if that never happened, or if the machine was asleep or its clock was
   * set. undefined if there is nothing to wait for. Never rejects, and waits at most a second.
   * @param ask reads the database's time. Default: on a connection of the storage, as for the repeated comparisons in
   * the background
   */
  ready(ask?: () => Promise<Date>): Promise<void> | undefined
  /** Milliseconds that this machine's clock is ahead of the database's; negative if behind. */
  aheadMs(): number
}

/** A larger difference is logged. */
export const CLOCK_WARN_MS = 5000
/** With a larger difference, a worker is not ready. */
export const CLOCK_WRONG_MS = 30_000

/** A smaller difference ends the warning. */
const CLOCK_RIGHT_MS = CLOCK_WARN_MS / 2
/** How often a clock in use is compared. */
const COMPARE_EVERY_MS = 5000
/** How long the monotonic clock is trusted. */
const TRUSTED_FOR_MS = 10 * 60 * 1000
/** If the clock and the monotonic clock differ by this much, the clock was set or the machine was asleep. */
const STEP_MS = 1000
/** Without a database, the call fails by itself after this time. */
const MAX_WAIT_MS = 1000

/** The host's own clock. */
export function givenClock(now: () => Date): Clock {
  return { now, read: async () => now(), compare: (ask) => ask(), ready: () => undefined, aheadMs: () => 0 }
}

/** The database's time and the machine's clock at one moment of the monotonic clock. */
interface Comparison {
  readonly time: number
  readonly monotonic: number
  readonly machine: number
}

export function databaseClock(readClock: () => Promise<Date>, logger: Logger): Clock {
  let known: Comparison | undefined
  let refreshing: Promise<void> | undefined
  const warnOf = createWarning(logger)

  async function compare<T extends { readonly at: Date }>(ask: () => Promise<T>): Promise<T> {
    const machine = Date.now()
    const monotonic = performance.now()
    const answer = await ask()
    const tookMs = performance.now() - monotonic
    const aheadMs = leastDifference(machine - answer.at.getTime(), tookMs)
    known = {
      time: machine + tookMs - aheadMs,
      monotonic: monotonic + tookMs,
      machine: machine + tookMs,
    }
    warnOf(aheadMs)
    return answer
  }

  async function read(): Promise<Date> {
    const { at } = await compare(async () => ({ at: await readClock() }))
    return at
  }

  function isInDoubt(): boolean {
    if (known === undefined) return true
    const sinceMs = performance.now() - known.monotonic
    return sinceMs > TRUSTED_FOR_MS || Math.abs(Date.now() - known.machine - sinceMs) > STEP_MS
  }

  function refresh(): Promise<void> {
    refreshing ??= read()
      .then(() => undefined)
      .catch(() => undefined)
      .finally(() => (refreshing = undefined))
    return refreshing
  }

  return {
    now() {
      if (known === undefined) return new Date()
      return new Date(known.time + performance.now() - known.monotonic)
    },
    read,
    compare,
    ready(ask) {
      if (isInDoubt()) {
        if (ask === undefined) {
          return answerInTime('the clock of the database', MAX_WAIT_MS, refresh).catch(() => undefined)
        }
        return compare(async () => ({ at: await ask() })).then(
          () => undefined,
          () => undefined,
        )
      }
      const isOld = known !== undefined && performance.now() - known.monotonic > COMPARE_EVERY_MS
      if (isOld && ask === undefined) void refresh()
      return undefined
    },
    aheadMs() {
      if (known === undefined) return 0
      return Math.round(Date.now() - known.time - (performance.now() - known.monotonic))
    },
  }
}

/**
 * The database read its clock at some moment during `tookMs`. The smallest possible difference counts, so that a slow
 * response does not look like a wrong clock.
 */
function leastDifference(aheadAtBeginMs: number, tookMs: number): number {
  if (aheadAtBeginMs > 0) return aheadAtBeginMs
  return Math.min(aheadAtBeginMs + tookMs, 0)
}

/** Logs a line when the difference begins, becomes serious, and ends. */
function createWarning(logger: Logger): (aheadMs: number) => void {
  let told: 'right' | 'off' | 'wrong' = 'right'
  return (aheadMs) => {
    const differenceMs = Math.abs(aheadMs)
    const fields = { ahead_ms: Math.round(aheadMs) }
    if (differenceMs >= CLOCK_WRONG_MS && told !== 'wrong') {
      told = 'wrong'
      logger.error(
        fields,
        "the clock of this machine is wrong: correct it (NTP); the database's time is used",
      )
    } else if (differenceMs >= CLOCK_WARN_MS && told === 'right') {
      told = 'off'
      logger.warn(
        fields,
        "the clock of this machine differs from the database's: correct it (NTP); the database's time is used",
      )
    } else if (differenceMs < CLOCK_RIGHT_MS && told !== 'right') {
      told = 'right'
      logger.info(fields, "the clock of this machine agrees with the database's again")
    }
  }
}
