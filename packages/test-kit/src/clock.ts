/** A clock that only moves when a test advances it. */
export interface Clock {
  /** For `createIntegrations({ now: clock.now })`. It can be passed without its clock. */
  readonly now: () => Date
  /**
   * Advances the clock. Whatever becomes due is done by the next `kit.deliver()`.
   * @throws RangeError unless the time is positive
   */
  advance(by: Duration): void
}

/** A duration: the sum of the fields. */
export interface Duration {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
  readonly milliseconds?: number
}

const MILLISECONDS: Readonly<Record<keyof Duration, number>> = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1000,
  milliseconds: 1,
}

/**
 * @param start the initial time. Default: now
 */
export function createClock(start: Date = new Date()): Clock {
  let time = start.getTime()
  return {
    now: () => new Date(time),
    advance(by) {
      const ms = Object.entries(by).reduce(
        (sum, [unit, count = 0]) => sum + count * (MILLISECONDS[unit as keyof Duration] ?? Number.NaN),
        0,
      )
      if (!(ms > 0)) {
        throw new RangeError('clock.advance() takes { days, hours, minutes, seconds, milliseconds }.')
      }
      time += ms
    },
  }
}
