import { daysBetween, twins } from './local-time.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
]

export type Formatter = ReturnType<typeof createFormatter>

/** Formats numbers, times and durations in the reader's language. */
export function createFormatter(locale: string) {
  const number = new Intl.NumberFormat(locale)
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const milliseconds = new Intl.NumberFormat(locale, { style: 'unit', unit: 'millisecond' })
  const seconds = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'short',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  })
  const relative = new Intl.RelativeTimeFormat(locale, { style: 'short', numeric: 'auto' })
  const inWords = new Intl.RelativeTimeFormat(locale, { style: 'long', numeric: 'auto' })
  const short = (moment: string, now: number) =>
    relative.format(...spanOf(moment, now)).replace(ABBREVIATION_DOT, '$1')

  /** Of a moment, in the reader's time zone. */
  function dates(options: Intl.DateTimeFormatOptions): (moment: string) => string {
    const format = new Intl.DateTimeFormat(locale, options)
    return (moment) => format.format(new Date(moment))
  }
  const offsets = new Intl.DateTimeFormat(locale, { timeZoneName: 'shortOffset' })
  const offset = (moment: string) =>
    offsets.formatToParts(new Date(moment)).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  /** With the offset, where clocks show the same time twice. */
  function times(options: Intl.DateTimeFormatOptions): (moment: string) => string {
    const text = dates(options)
    return (moment) =>
      twins(Date.parse(moment)).length > 1 ? `${text(moment)} ${offset(moment)}` : text(moment)
  }
  const minute = { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' } as const

  return {
    number: (value: number) => number.format(value),
    percent: (share: number) => percent.format(share),
    /** `112 ms`, `1.2 s`. */
    duration: (ms: number) =>
      ms < SECOND ? milliseconds.format(ms) : seconds.format(ms / SECOND).replace('sec', 's'),
    /** `2 min ago`, `in 3 min`. */
    relative: short,
    /** `2 min ago`, of a moment in the past: at most `now`. */
    since: (moment: string, now: number) => short(moment, Math.max(now, Date.parse(moment))),
    /** `2 minutes ago`, for sentences, of a moment in the past. */
    sinceInWords: (moment: string, now: number) =>
      inWords.format(...spanOf(moment, Math.max(now, Date.parse(moment)))),
    /** `4 minutes`. */
    length: (ms: number) => {
      const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? (['second', SECOND] as const)
      const text = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
      return text.format(Math.round(ms / size))
    },
    /** `21 Nov 2026, 14:02:11`. */
    exact: times({ dateStyle: 'medium', timeStyle: 'medium' }),
    /** `21 November 2026`. */
    date: dates({ dateStyle: 'long' }),
    /** `12 Nov 2027`. */
    day: dates({ dateStyle: 'medium' }),
    /** `14:02`. */
    time: times({ timeStyle: 'short' }),
    /** `14:02:11`. */
    clock: times({ timeStyle: 'medium' }),
    /** `20 Nov, 14:02:11`: an attempt. */
    attempt: times({ ...minute, second: '2-digit' }),
    /** `20 Nov, 14:00`. */
    hour: times(minute),
    /** `GMT-4`: how far its clock is from UTC. */
    offset,
    /** `Fri 14:00`: a place on the axis of time. */
    tick: times({ weekday: 'short', hour: '2-digit', minute: '2-digit' }),
  }
}

/**
 * How far away a moment is, in the largest unit that it fills. Days are those of the calendar: `yesterday` is the day
 * before.
 */
function spanOf(moment: string, now: number): [number, Intl.RelativeTimeFormatUnit] {
  const time = Date.parse(moment)
  const ms = time - now
  const at = UNITS.findIndex(([, each], index) => {
    // Rounded, it is never as much as the next unit: `1 hr ago`, not `60 min ago`.
    const [, smaller] = UNITS[index + 1] ?? ['', 0]
    return Math.abs(ms) >= each - smaller / 2
  })
  const [unit, length] = UNITS[at] ?? ['second', SECOND]
  const days = unit === 'day' ? daysBetween(now, time) : 0
  if (unit === 'day' && days === 0) return [Math.round(ms / HOUR), 'hour']
  return [unit === 'day' ? days : Math.round(ms / length), unit]
}

/** English writes `2 min. ago`; without the dot, a column is easier to read. */
const ABBREVIATION_DOT = /\b(yr|mo|hr|min|sec)\./
