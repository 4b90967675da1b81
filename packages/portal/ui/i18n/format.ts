/** Formats numbers, times and durations in the reader's language. */
export interface Formatter {
  number(value: number): string
  percent(share: number): string
  /** `112 ms`, `1.2 s`. */
  duration(ms: number): string
  /** `2 min ago`, `in 3 min`. */
  relative(moment: string, now: number): string
  /** `2 min ago`, of a moment in the past: at most `now`. */
  since(moment: string, now: number): string
  /** `2 minutes ago`, for sentences, of a moment in the past. */
  sinceInWords(moment: string, now: number): string
  /** `21 Nov 2026, 14:02:11`, in the reader's time zone. */
  exact(moment: string): string
  date(moment: string): string
  /** `14:02`. */
  time(moment: string): string
  /** `20 Nov, 14:02:11`: an attempt. */
  attempt(moment: string): string
  /** `12 Nov 2027`. */
  day(moment: string): string
  /** `Fri 14:00`: a place on the axis of time. */
  tick(moment: string): string
  /** `20 Nov, 14:00`. */
  hour(moment: string): string
  list(items: readonly string[]): string
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
]

export function createFormatter(locale: string): Formatter {
  const number = new Intl.NumberFormat(locale)
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const relative = new Intl.RelativeTimeFormat(locale, { style: 'short', numeric: 'auto' })
  const inWords = new Intl.RelativeTimeFormat(locale, { style: 'long', numeric: 'auto' })
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const tick = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: '2-digit', minute: '2-digit' })
  const hour = new Intl.DateTimeFormat(locale, {
    ...{ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
  })
  const attempt = new Intl.DateTimeFormat(locale, {
    ...{ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit', second: '2-digit' },
  })
  const list = new Intl.ListFormat(locale, { style: 'long', type: 'conjunction' })
  const milliseconds = new Intl.NumberFormat(locale, { style: 'unit', unit: 'millisecond' })
  const seconds = new Intl.NumberFormat(locale, {
    ...{ style: 'unit', unit: 'second', unitDisplay: 'short' },
    ...{ minimumFractionDigits: 1, maximumFractionDigits: 1 },
  })

  const short = (moment: string, now: number) =>
    relative.format(...spanOf(moment, now)).replace(ABBREVIATION_DOT, '$1')

  return {
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    duration: (ms) =>
      ms < SECOND ? milliseconds.format(ms) : seconds.format(ms / SECOND).replace('sec', 's'),
    relative: (moment, now) => short(moment, now),
    since: (moment, now) => short(moment, Math.max(now, Date.parse(moment))),
    sinceInWords: (moment, now) => inWords.format(...spanOf(moment, Math.max(now, Date.parse(moment)))),
    exact: (moment) => exact.format(new Date(moment)),
    date: (moment) => date.format(new Date(moment)),
    time: (moment) => time.format(new Date(moment)),
    attempt: (moment) => attempt.format(new Date(moment)),
    day: (moment) => day.format(new Date(moment)),
    tick: (moment) => tick.format(new Date(moment)),
    hour: (moment) => hour.format(new Date(moment)),
    list: (items) => list.format(items),
  }
}

/** How far away a moment is, in the largest unit that it fills. */
function spanOf(moment: string, now: number): [number, Intl.RelativeTimeFormatUnit] {
  const ms = Date.parse(moment) - now
  const [unit, length] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? ['second', SECOND]
  return [Math.round(ms / length), unit]
}

/** English writes `2 min. ago`; without the dot, a column is easier to read. */
const ABBREVIATION_DOT = /\b(yr|mo|hr|min|sec)\./
