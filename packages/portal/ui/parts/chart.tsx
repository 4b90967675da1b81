import { useRef, useState } from 'preact/hooks'
import { now } from '../clock.ts'
import { HOUR } from '../i18n/format.ts'
import { usePortal } from '../portal.ts'
import { type Loaded, useLoaded } from '../use-loaded.ts'
import { Dot, type Tone } from './status.tsx'

const REFRESH_MS = 30_000
const HEIGHT = 64
/** One failure among thousands must be visible. */
const LEAST = 3
const TICKS = 4

/** What became of attempts, from the bottom of a bar to its top, and their color. */
const KINDS = [
  ['failed', 'bad'],
  ['retried', 'wait'],
  ['delivered', 'good'],
] as const satisfies readonly (readonly [string, Tone])[]

type Kind = (typeof KINDS)[number][0]
export type Hour = Readonly<Record<Kind | 'start', number>>

/** The last hours of an endpoint, or of all, those without an attempt too. */
export function useHours(
  count: number,
  endpointId: string,
  /** The last hour since 1970; null: the present one, and what comes. */
  last: number | null = null,
): { hours: readonly Hour[]; sums: Record<Kind, number>; loaded: Loaded<unknown> } {
  const { client } = usePortal()
  // On the hour: the API has stored counts of whole hours.
  const first = ((last ?? Math.floor(now.value / HOUR)) - (count - 1)) * HOUR
  const until = last === null ? undefined : new Date((last + 1) * HOUR).toISOString()
  const loaded = useLoaded(
    `hours ${count} ${last} ${endpointId}`,
    (signal) =>
      client.deliveries.hours(
        { endpoint_id: endpointId, since: new Date(first).toISOString(), until },
        signal,
      ),
    { everyMs: REFRESH_MS },
  )
  const known = new Map((loaded.value ?? []).map((each) => [Date.parse(each.hour), each]))
  const hours = Array.from({ length: count }, (_, index) => {
    const start = first + index * HOUR
    const { delivered = 0, failed = 0, given_up = 0 } = known.get(start) ?? {}
    return { start, delivered, retried: failed - given_up, failed: given_up }
  })
  const sumOf = (kind: Kind) => hours.reduce((sum, hour) => sum + hour[kind], 0)
  const sums = { delivered: sumOf('delivered'), retried: sumOf('retried'), failed: sumOf('failed') }
  return { hours, sums, loaded }
}

/** What a chart says. Default: that of attempts by hour. */
export interface ChartWords {
  /** Those that there can be, from the bottom of a bar. */
  readonly kinds: readonly Kind[]
  legend(kind: Kind, count: number): string
  bar(hour: Hour): string
  tick(moment: string): string
  readonly end: string
}

/** The attempts of each hour. A bar is a button that shows the deliveries of its hour; arrows go from one to the next. */
export function Chart({
  hours,
  sums,
  chosen = null,
  words,
  onChoose,
}: {
  hours: readonly Hour[]
  sums: Record<Kind, number>
  /** The start of the hour that is shown below. */
  chosen?: number | null
  words?: Partial<ChartWords>
  onChoose: (hour: Hour) => void
}) {
  const { t, format, direction } = usePortal()
  const [stop, setStop] = useState(hours.length - 1)
  const bars = useRef<HTMLDivElement>(null)
  const most = Math.max(1, ...hours.map(({ delivered, retried, failed }) => delivered + retried + failed))
  const moment = (time: number) => new Date(time).toISOString()
  const said: ChartWords = {
    kinds: KINDS.map(([kind]) => kind),
    legend: (kind, count) => t(`chart.${kind}`, { count }),
    bar: ({ start, ...counts }) => `${format.hour(moment(start))}: ${t('chart.hour', counts)}`,
    tick: format.tick,
    end: t('chart.now'),
    ...words,
  }
  const legend = KINDS.filter(([kind]) => said.kinds.includes(kind))
    .toReversed()
    .map(([kind, tone]) => [kind, tone, said.legend(kind, sums[kind])] as const)

  function move(event: KeyboardEvent) {
    const step = direction === 'rtl' ? -1 : 1
    const next = { ArrowRight: stop + step, ArrowLeft: stop - step, Home: 0, End: hours.length - 1 }[
      event.key
    ]
    if (next === undefined || hours[next] === undefined) return
    event.preventDefault()
    setStop(next)
    bars.current?.querySelectorAll('button')[next]?.focus()
  }

  return (
    <figure class="chart" aria-label={legend.map(([, , text]) => text).join(', ')}>
      <figcaption>
        {legend.map(([kind, tone, text]) => (
          <span key={kind}>
            <Dot tone={tone} />
            {text}
          </span>
        ))}
      </figcaption>
      <div class="chart-most" aria-hidden="true">
        {format.number(most)}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its buttons have the focus */}
      <div ref={bars} class="chart-bars" onKeyDown={move}>
        {hours.map((hour, index) => {
          const { start } = hour
          const text = said.bar(hour)
          return (
            <button
              key={start}
              type="button"
              tabIndex={index === stop ? 0 : -1}
              title={text}
              aria-label={text}
              aria-pressed={start === chosen}
              onFocus={() => setStop(index)}
              onClick={() => onChoose(hour)}
            >
              <Bar hour={hour} most={most} />
            </button>
          )
        })}
      </div>
      <div class="chart-ticks muted" aria-hidden="true">
        {Array.from({ length: TICKS }, (_, index) => {
          const { start } = hours[Math.floor((index * hours.length) / TICKS)] ?? { start: 0 }
          return <span key={start}>{said.tick(moment(start))}</span>
        })}
        <span>{said.end}</span>
      </div>
    </figure>
  )
}

function Bar({ hour, most }: { hour: Hour; most: number }) {
  let top = HEIGHT
  return (
    <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <rect class="none" x="0.5" width="9" y={HEIGHT - 1} height="1" />
      {KINDS.map(([kind]) => {
        const height = hour[kind] === 0 ? 0 : Math.max(LEAST, Math.round((hour[kind] / most) * HEIGHT))
        top = Math.max(0, top - height)
        return <rect key={kind} class={kind} x="0.5" width="9" y={top} height={height} />
      })}
    </svg>
  )
}
