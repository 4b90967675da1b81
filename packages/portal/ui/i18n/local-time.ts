const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** No change of a clock is longer. */
const LONGEST_CHANGE = 3 * HOUR

/** A time for `datetime-local`, in the reader's time zone. */
export function localTime(time: number): string {
  return new Date(time - behindUtc(time)).toISOString().slice(0, 16)
}

/** A day for `date`, in the reader's time zone. */
export function localDay(time: number, daysLater = 0): string {
  const date = new Date(time)
  return localTime(
    new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater, 12).getTime(),
  ).slice(0, 10)
}

/** How many calendar days of the reader are between two moments. */
export function daysBetween(from: number, to: number): number {
  const days = [from, to].map((time) => Date.parse(localDay(time)) / (24 * HOUR))
  return (days[1] ?? 0) - (days[0] ?? 0)
}

/**
 * The moments that a clock shows as this time. When it is set back in autumn, there are two of a time in the hour before;
 * in spring, a time that it leaves out is the moment an hour later. None: it is not a time.
 */
export function momentsOf(local: string): number[] {
  const time = new Date(local).getTime()
  return Number.isNaN(time) ? [] : twins(time)
}

/** The moments that a clock shows as the same time as this one, itself among them, the earliest first. */
export function twins(time: number): number[] {
  const setBack = behindUtc(time + LONGEST_CHANGE) - behindUtc(time - LONGEST_CHANGE)
  if (setBack <= 0) return [time]
  const isSame = (other: number) => other - behindUtc(other) === time - behindUtc(time)
  return [time - setBack, time, time + setBack].filter(isSame)
}

const behindUtc = (time: number) => new Date(time).getTimezoneOffset() * MINUTE
