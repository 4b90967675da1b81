import { useEffect } from 'preact/hooks'
import { COUNTDOWN_MS, now, watchTime } from '../clock.ts'
import { DAY } from '../i18n/format.ts'
import { exactTimes, switchTimes, usePortal } from '../portal.ts'

/** From then on, a date says more than "in 2 months". */
const FAR_MS = 30 * DAY

/** A relative time; exact on hover, or everywhere after switching. What has happened is never in the future. */
export function Time({
  at,
  isFuture = false,
  isClock = false,
}: {
  at: string
  isFuture?: boolean
  /** Shows the time of day. */
  isClock?: boolean
}) {
  const { format } = usePortal()
  const exact = format.exact(at)
  const isFar = isFuture && Date.parse(at) - now.value > FAR_MS
  const relative = isFar ? format.day : isFuture ? format.relative : format.since
  return (
    <time dateTime={at} title={exact}>
      {isClock ? format.clock(at) : exactTimes.value ? exact : relative(at, now.value)}
    </time>
  )
}

/** How long until then, each second: `in 48 sec`. `now` once it is over. */
export function Countdown({ to, children }: { to: string; children: (left: string) => string }) {
  const { format } = usePortal()
  useEffect(() => watchTime(COUNTDOWN_MS), [])
  const left = format.relative(new Date(Math.max(Date.parse(to), now.value)).toISOString(), now.value)
  return <>{children(left)}</>
}

/** The head of a time column. It switches between relative and exact times. */
export function TimeHead({ label }: { label: string }) {
  const { t } = usePortal()
  return (
    <button
      type="button"
      class="head-button"
      aria-pressed={exactTimes.value}
      title={t('time.switch')}
      onClick={() => {
        switchTimes()
      }}
    >
      {label}
    </button>
  )
}
