/** A clock that stands still until a test moves it. */
export interface Clock {
  /** For `createIntegrations({ now: clock.now })`; it may be handed over without its clock. */
  readonly now: () => Date
  /**
   * Moves it on. What became due is done by the next `kit.deliver()`, not before.
   * @throws RangeError for a time that is not ahead
   */
  advance(by: Duration): void
}

/** A time span: the fields are added up. */
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

/** @param start what it shows at first. Default: now */
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
        throw new RangeError('clock.advance() moves on by { days, hours, minutes, seconds, milliseconds }.')
      }
      time += ms
    },
  }
}
