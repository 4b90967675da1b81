import { DAY, HOUR } from '../i18n/format.ts'

/** Periods in hours; `all`: everything that is kept, `own`: from `since` until `until`. */
export const SPANS = ['1', '24', '168', 'all', 'own'] as const
export const SHOWN = ['everything', 'all', 'retrying', 'given_up'] as const
export const ANSWERS: readonly string[] = ['', '2xx', '3xx', '4xx', '5xx', 'none']
export const DEFAULTS = {
  show: 'everything',
  endpoint: '',
  type: '',
  answer: '',
  span: '24',
  since: '',
  until: '',
  event: '',
  quote: '',
  external: '',
}
export type Filters = typeof DEFAULTS

/** Whether it is one status, and no class of them. */
export const isStatus = (text: string) => /^[1-5]\d\d$/.test(text)

/** @param now the service's time */
function rangeOf({ span, since, until }: Filters, now: number): { since?: string; until?: string } {
  if (span === 'own') return { since, until }
  return span === 'all' ? {} : { since: new Date(now - Number(span) * HOUR).toISOString() }
}

/** What the API is asked for. */
export function queryOf(filters: Filters, now: number): Record<string, string | undefined> {
  const { show, endpoint, type, answer, event, quote, external } = filters
  return {
    endpoint_id: endpoint,
    event_type: type,
    http_status: answer,
    attempts: 'latest',
    event_id: event,
    quotation_id: quote,
    external_id: external,
    undelivered: show === 'everything' ? undefined : show,
    ...rangeOf(filters, now),
  }
}

/** The filters of the deliveries of an hour. */
export function hourOf(start: number): Record<'span' | 'since' | 'until', string> {
  return {
    span: 'own',
    since: new Date(start).toISOString(),
    until: new Date(start + HOUR).toISOString(),
  }
}

/** Whether all that is shown is of one day or less, so that times of day tell more than how long ago it was. */
export function isOneDay({ span, since, until }: Filters): boolean {
  return span === 'own' && Date.parse(until) - Date.parse(since) <= DAY
}

const DAY_HOURS = 24
/** What the API counts at once. */
const WEEK_HOURS = 7 * DAY_HOURS

/** The hours of the chart above the list: how many, and the last one since 1970; null: the present one. */
export function chartOf(
  { span, since, until }: Filters,
  now: number,
): { count: number; last: number | null } {
  if (span !== 'own') return { count: span === '1' || span === '24' ? DAY_HOURS : WEEK_HOURS, last: null }
  const present = Math.floor(now / HOUR)
  const end = Math.ceil(Date.parse(until) / HOUR) - 1
  const last = Number.isNaN(end) ? present : Math.min(end, present)
  const begin = Math.floor(Date.parse(since) / HOUR)
  const first = Number.isNaN(begin) ? last - DAY_HOURS + 1 : begin
  if (last > first)
    return { count: Math.min(last - first + 1, WEEK_HOURS), last: last === present ? null : last }
  // An hour is shown in its day or week, where it was chosen.
  if (present - first < DAY_HOURS) return { count: DAY_HOURS, last: null }
  if (present - first < WEEK_HOURS) return { count: WEEK_HOURS, last: null }
  return { count: DAY_HOURS, last: first + DAY_HOURS / 2 }
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
const AROUND = new Set('"\'“”„‚‘’«»`<>()[]{},;. \t')

export type Search =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'event' | 'id' | 'status' | 'text'; readonly value: string }

/** What somebody has pasted: an ID, in quotes, in a URL or alone; a status; or another text. */
export function readSearch(text: string): Search {
  let [start, end] = [0, text.length]
  while (start < end && AROUND.has(text[start] ?? '')) start += 1
  while (end > start && AROUND.has(text[end - 1] ?? '')) end -= 1
  const value = text.slice(start, end)
  if (value === '') return { kind: 'nothing' }
  if (isStatus(value)) return { kind: 'status', value }
  // The last one: before it there may be that of the organization.
  const id = [...value.matchAll(UUID)].at(-1)
  if (id === undefined) return { kind: 'text', value }
  const [found] = id
  return value.slice(0, id.index).endsWith('evt_')
    ? { kind: 'event', value: `evt_${found}` }
    : { kind: 'id', value: found }
}
