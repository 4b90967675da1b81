import { useEffect } from 'preact/hooks'
import { exactTimes, now, usePortal, watchTime } from '../portal.ts'

/** A relative time; exact on hover, or everywhere after switching. */
export function Time({ at }: { at: string }) {
  const { format } = usePortal()
  useEffect(watchTime, [])
  const exact = format.exact(at)
  return (
    <time dateTime={at} title={exact}>
      {exactTimes.value ? exact : format.relative(at, now.value)}
    </time>
  )
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
        exactTimes.value = !exactTimes.value
      }}
    >
      {label}
    </button>
  )
}
