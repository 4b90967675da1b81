import type { AttemptDetails, Delivery } from '../api/types.ts'
import { apiText } from '../i18n/api-text.ts'
import { Card } from '../parts/card.tsx'
import { Dot } from '../parts/status.tsx'
import { statusLine } from '../parts/status-line.ts'
import { Countdown } from '../parts/time.tsx'
import { exactTimes, usePortal } from '../portal.ts'

/** Whether another attempt follows. */
export function isLeft({ status, next_attempt_at }: Delivery): boolean {
  return (status === 'pending' || status === 'sending') && next_attempt_at !== null
}

/** The attempts, and what comes next. */
export function Attempts({
  delivery,
  attempt,
  onChoose,
}: {
  delivery: Delivery
  attempt: AttemptDetails | undefined
  onChoose: (attempt: number) => void
}) {
  const { t, settings } = usePortal()
  const { attempts, next_attempt_at, status } = delivery
  const { maxAttempts } = settings
  const count = attempts.length
  return (
    <Card
      title={t('delivery.attempts')}
      aside={
        <span class="muted">
          {isLeft(delivery) && maxAttempts !== undefined && !delivery.is_test
            ? t('deliveries.attempt.of', { number: count, all: maxAttempts })
            : t('delivery.attempts.count', { count })}
        </span>
      }
    >
      <ol class="timeline">
        {attempts.map((each) => (
          <li key={each.id}>
            <button type="button" aria-pressed={each === attempt} onClick={() => onChoose(each.attempt)}>
              <Dot tone={each.status === 'succeeded' ? 'good' : 'bad'} />
              <AttemptAt number={each.attempt} at={each.created_at} />
              <small>
                <Outcome attempt={each} />
              </small>
            </button>
          </li>
        ))}
        {isLeft(delivery) && next_attempt_at !== null && (
          <li class="next">
            <Dot tone="off" isHollow />
            <AttemptAt number={count + 1} at={next_attempt_at} />
            <small>
              <Countdown to={next_attempt_at}>
                {(left) => (count === 0 ? left : t('delivery.next', { in: left }))}
              </Countdown>
            </small>
          </li>
        )}
        {status === 'parked' && (
          <li class="next">
            <Dot tone="off" isHollow />
            <span>{t('delivery.parked')}</span>
            <small>{t('delivery.parked.text')}</small>
          </li>
        )}
      </ol>
    </Card>
  )
}

function AttemptAt({ number, at }: { number: number; at: string }) {
  const { t, format } = usePortal()
  return (
    <span>
      {t('delivery.attempt', { number })}
      <time dateTime={at} title={format.exact(at)}>
        {exactTimes.value ? format.exact(at) : format.attempt(at)}
      </time>
    </span>
  )
}

function Outcome({ attempt }: { attempt: AttemptDetails }) {
  const portal = usePortal()
  const { t, format } = portal
  const { http_status, error, status, duration_ms } = attempt
  const cause = error === null ? t(`attempt.${status}`) : apiText(portal, 'cause', error)
  const answer = http_status === null ? cause : statusLine(http_status)
  return (
    <>
      {answer}
      {duration_ms !== null && ` · ${format.duration(duration_ms)}`}
    </>
  )
}
