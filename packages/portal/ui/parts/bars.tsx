import type { DeliveryHour } from '../api/types.ts'
import { usePortal } from '../portal.ts'

const HOUR_MS = 60 * 60 * 1000
const HEIGHT = 40
/** One failure among thousands must be visible. */
const LEAST = 3

/** The start of the first bar, on the hour: the API has stored counts of whole hours. */
export function firstHour(count: number, until: number): number {
  return (Math.floor(until / HOUR_MS) - (count - 1)) * HOUR_MS
}

/** Deliveries and failures per hour, with a table of the numbers for screen readers. */
export function Bars({
  hours,
  count,
  until,
}: {
  hours: readonly DeliveryHour[]
  count: number
  until: number
}) {
  const { t, format } = usePortal()
  const known = new Map(hours.map((each) => [Date.parse(each.hour), each]))
  const first = firstHour(count, until)
  const slots = Array.from({ length: count }, (_, index) => {
    const start = first + index * HOUR_MS
    return { start, delivered: 0, failed: 0, ...known.get(start) }
  })
  const most = Math.max(1, ...slots.map(({ delivered, failed }) => delivered + failed))
  const height = (value: number) => (value === 0 ? 0 : Math.max(LEAST, Math.round((value / most) * HEIGHT)))
  return (
    <figure class="bars">
      <svg
        viewBox={`0 0 ${count * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        focusable="false"
      >
        {slots.map(({ start, delivered, failed }, index) => {
          const all = height(delivered + failed)
          const bad = Math.min(all, height(failed))
          const x = index * 10 + 0.5
          return (
            <g key={start}>
              <title>{`${format.exact(new Date(start).toISOString())}: ${t('bars.hour', { delivered, failed })}`}</title>
              <rect class="track" x={x} width="9" y="0" height={HEIGHT} />
              <rect class="delivered" x={x} width="9" y={HEIGHT - all} height={all} />
              <rect class="failed" x={x} width="9" y={HEIGHT - bad} height={bad} />
            </g>
          )
        })}
      </svg>
      <figcaption class="hidden">
        {t('bars.summary', {
          delivered: slots.reduce((sum, { delivered }) => sum + delivered, 0),
          failed: slots.reduce((sum, { failed }) => sum + failed, 0),
        })}
      </figcaption>
    </figure>
  )
}
