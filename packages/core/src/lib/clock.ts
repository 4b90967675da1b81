import type { Logger } from './logger.ts'

/**
 * The time of this process: the database's, so that all processes agree however wrong the clocks of their machines are.
 * A host that passes `now` has a clock of its own instead, mostly that of its tests: it is obeyed in everything and
 * compared with nothing.
 */
export interface Clock {
  /** The time. Reading it asks nobody: between two comparisons the machine's monotonic clock carries it on. */
  now(): Date
  /** The time, fresh from the database: for whatever removes or fails something. Rejects as the storage does. */
  read(): Promise<Date>
  /** Compares with the time that `ask` brings from the database. Resolves with what `ask` does; rejects as it does. */
  compare<T extends { readonly at: Date }>(ask: () => Promise<T>): Promise<T>
  /**
   * Sees to it that the time is known: compares where that was never done, or is in doubt (the machine was asleep, or its
   * clock was set). undefined when there is nothing to wait for. Never rejects, and waits for a second at most.
   * @param ask brings the time from the database. Default: on a connection of the storage, which is also how the
   * comparison is repeated in the background while the clock is used
   */
  settle(ask?: () => Promise<Date>): Promise<void> | undefined
  /** Milliseconds by which the clock of this machine is ahead of the database's; negative: behind. */
  aheadMs(): number
}

/** From this difference on there is a warning. */
export const CLOCK_WARN_MS = 5000
/** From this difference on a worker is not ready. */
export const CLOCK_WRONG_MS = 30_000

/** A difference that was warned of is over below this. */
const CLOCK_RIGHT_MS = CLOCK_WARN_MS / 2
/** While the clock is used it is compared this often. */
const COMPARE_EVERY_MS = 5000
/** After this time the monotonic clock is trusted no more. */
const TRUSTED_FOR_MS = 10 * 60 * 1000
/** When the clock moved this much otherwise than the monotonic one, it was set, or the machine was asleep. */
const STEP_MS = 1000
/** A call is not held up for longer: without a database it fails by itself. */
const MAX_WAIT_MS = 1000

/** @param given the host's own clock */
export function createClock(options: {
  readonly given: (() => Date) | undefined
  readonly readClock: () => Promise<Date>
  readonly logger: Logger
}): Clock {
  const { given, readClock } = options
  return given === undefined ? databaseClock(readClock, options.logger) : givenClock(given)
}

function givenClock(now: () => Date): Clock {
  return { now, read: async () => now(), compare: (ask) => ask(), settle: () => undefined, aheadMs: () => 0 }
}

/** The time at one moment of the monotonic clock, and what the machine's clock showed then. */
interface Comparison {
  readonly time: number
  readonly monotonic: number
  readonly machine: number
}

function databaseClock(readClock: () => Promise<Date>, logger: Logger): Clock {
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
    settle(ask) {
      if (isInDoubt()) {
        if (ask === undefined) return noLongerThan(MAX_WAIT_MS, refresh())
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
 * The database read its clock at some moment of the `tookMs` that asking it took: the least difference that is possible
 * counts, so that a slow answer is not taken for a wrong clock.
 */
function leastDifference(aheadAtBeginMs: number, tookMs: number): number {
  if (aheadAtBeginMs > 0) return aheadAtBeginMs
  return Math.min(aheadAtBeginMs + tookMs, 0)
}

/** One line when it begins, one when it becomes serious, one when it is over. */
function createWarning(logger: Logger): (aheadMs: number) => void {
  let told: 'right' | 'off' | 'wrong' = 'right'
  return (aheadMs) => {
    const differenceMs = Math.abs(aheadMs)
    const fields = { ahead_ms: Math.round(aheadMs) }
    if (differenceMs >= CLOCK_WRONG_MS && told !== 'wrong') {
      told = 'wrong'
      logger.error(fields, "the clock of this machine is wrong: the database's time is used")
    } else if (differenceMs >= CLOCK_WARN_MS && told === 'right') {
      told = 'off'
      logger.warn(fields, "the clock of this machine differs from the database's, whose time is used")
    } else if (differenceMs < CLOCK_RIGHT_MS && told !== 'right') {
      told = 'right'
      logger.info(fields, "the clock of this machine agrees with the database's again")
    }
  }
}

async function noLongerThan(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
    timer.unref()
  })
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}
