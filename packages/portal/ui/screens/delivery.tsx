import { useEffect, useState } from 'preact/hooks'
import type { AttemptDetails, Delivery as DeliveryOf, WebhookEndpoint } from '../api/types.ts'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { FormDialog } from '../parts/dialog.tsx'
import { Link } from '../parts/link.tsx'
import { Skeleton } from '../parts/list-state.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Dot, Status, type Tone } from '../parts/status.tsx'
import { Countdown } from '../parts/time.tsx'
import { exactTimes, usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'
import { useLoaded } from '../use-loaded.ts'
import { curlOf } from './curl.ts'

const REFRESH_MS = 5000

const TONES: Record<DeliveryOf['status'], Tone> = {
  pending: 'wait',
  sending: 'wait',
  parked: 'off',
  succeeded: 'good',
  failed: 'bad',
}

/** A delivery: its attempts, requests, responses and next attempt. */
export function Delivery({ id }: { id: string }) {
  const { t, client, answered, endpoints } = usePortal()
  const initial = answered.delivery?.id === id ? answered.delivery : undefined
  const [isOver, setOver] = useState(false)
  const loaded = useLoaded(`delivery ${id}`, (signal) => client.deliveries.get(id, signal), {
    everyMs: isOver ? undefined : REFRESH_MS,
    initial,
  })
  const delivery = loaded.value
  useEffect(
    () => setOver(delivery?.status === 'succeeded' || delivery?.status === 'failed'),
    [delivery?.status],
  )
  if (delivery !== undefined) {
    // A deleted endpoint cannot be found any more, but its deliveries can.
    const endpoint = endpoints.value?.find((each) => each.id === delivery.endpoint_id) ?? null
    return <Found {...{ delivery, endpoint }} error={loaded.error} onReload={loaded.reload} />
  }
  return (
    <>
      <PageHead title={t('delivery.title')} above={{ label: t('deliveries.title'), view: 'deliveries' }} />
      {loaded.error === undefined ? (
        <Skeleton />
      ) : (
        <ErrorNotice error={loaded.error} onRetry={() => void loaded.reload()} />
      )}
    </>
  )
}

function Found({
  delivery,
  endpoint,
  error,
  onReload,
}: {
  delivery: DeliveryOf
  endpoint: WebhookEndpoint | null
  error: unknown
  onReload: () => Promise<void>
}) {
  const { t, format, client, settings, navigation, mayChange, announcement, answered } = usePortal()
  const [chosen, setChosen] = useState<number | null>(null)
  const [isAsking, setAsking] = useState(false)
  const action = useAction()
  const { attempts, next_attempt_at } = delivery
  const attempt = attempts.find((each) => each.attempt === chosen) ?? attempts.at(-1)
  const isLeft = (delivery.status === 'pending' || delivery.status === 'sending') && next_attempt_at !== null
  const endpointName = endpoint?.name ?? delivery.endpoint_name ?? delivery.endpoint_id

  async function resend() {
    const resent = await client.deliveries.resend(delivery.id)
    announcement.value = t('delivery.resent')
    answered.delivery = resent
    setAsking(false)
    navigation.go({ view: 'deliveries', id: resent.id }, { isDone: true })
  }

  return (
    <>
      <PageHead
        title={delivery.event_type}
        isMono
        above={{ label: t('deliveries.title'), view: 'deliveries' }}
        sub={
          <>
            {t('delivery.to')}{' '}
            {endpoint === null ? (
              <strong>{endpointName}</strong>
            ) : (
              <Link to={{ view: 'endpoints', id: endpoint.id }}>
                <strong>{endpointName}</strong>
              </Link>
            )}
            {delivery.quotation_name !== undefined && <> · {delivery.quotation_name}</>}
            {delivery.is_test && <> · {t('deliveries.test')}</>} ·{' '}
            <Status
              tone={TONES[delivery.status]}
              isHollow={TONES[delivery.status] === 'wait' || TONES[delivery.status] === 'off'}
            >
              {isLeft && attempts.length > 0 ? (
                <Countdown to={next_attempt_at}>{(left) => t('attempt.retrying', { in: left })}</Countdown>
              ) : (
                t(`delivery.${delivery.status}`)
              )}
            </Status>
          </>
        }
        actions={
          <>
            {attempt !== undefined && endpoint !== null && (
              <CopyButton
                text={curlOf(endpoint.url, attempt, delivery.request_body)}
                label={t('delivery.curl')}
              />
            )}
            {mayChange && !delivery.is_test && endpoint !== null && (
              <Button
                kind="primary"
                isBusy={action.isRunning}
                onClick={() => (delivery.status === 'succeeded' ? setAsking(true) : void action.run(resend))}
              >
                {t('delivery.resend')}
              </Button>
            )}
          </>
        }
      />
      <ErrorNotice error={error} onRetry={() => void onReload()} />
      {!isAsking && <ErrorNotice error={action.error} />}
      <div class="columns aside-main">
        <section class="card">
          <header>
            <h2>{t('delivery.attempts')}</h2>
            <span class="muted">
              {settings.maxAttempts === undefined || delivery.is_test
                ? format.number(attempts.length)
                : t('deliveries.attempt.of', { number: attempts.length, all: settings.maxAttempts })}
            </span>
          </header>
          <ol class="timeline">
            {attempts.map((each) => (
              <li key={each.id}>
                <button type="button" aria-pressed={each === attempt} onClick={() => setChosen(each.attempt)}>
                  <Dot tone={each.status === 'succeeded' ? 'good' : 'bad'} />
                  <span>
                    {t('delivery.attempt', { number: each.attempt })}
                    <time dateTime={each.created_at} title={format.exact(each.created_at)}>
                      {exactTimes.value ? format.exact(each.created_at) : format.clock(each.created_at)}
                    </time>
                  </span>
                  <small>{outcomeOf(each)}</small>
                </button>
              </li>
            ))}
            {isLeft && (
              <li class="next">
                <Dot tone="off" isHollow />
                <span>
                  {t('delivery.attempt', { number: attempts.length + 1 })}
                  <time dateTime={next_attempt_at} title={format.exact(next_attempt_at)}>
                    {format.clock(next_attempt_at)}
                  </time>
                </span>
                <small>
                  <Countdown to={next_attempt_at}>
                    {(left) => (attempts.length === 0 ? left : t('delivery.next', { in: left }))}
                  </Countdown>
                </small>
              </li>
            )}
            {delivery.status === 'parked' && (
              <li class="next">
                <Dot tone="off" isHollow />
                <span>{t('delivery.parked')}</span>
                <small>{t('delivery.parked.text')}</small>
              </li>
            )}
          </ol>
        </section>
        <div>
          {attempt !== undefined && <Answer attempt={attempt} />}
          <RequestCard attempt={attempt} body={delivery.request_body} endpoint={endpoint} />
        </div>
      </div>
      {isAsking && (
        <FormDialog
          title={t('delivery.resend.title')}
          submit={t('delivery.resend')}
          action={action}
          onSubmit={resend}
          onClose={() => setAsking(false)}
        >
          <p>{t('delivery.resend.text', { name: endpointName })}</p>
        </FormDialog>
      )}
    </>
  )

  function outcomeOf(each: AttemptDetails): string {
    const parts = [
      each.http_status === null ? (each.error ?? t(`attempt.${each.status}`)) : statusLine(each.http_status),
      each.duration_ms === null ? null : format.duration(each.duration_ms),
    ]
    return parts.filter((part) => part !== null).join(' · ')
  }
}

function Answer({ attempt }: { attempt: AttemptDetails }) {
  const { t, format } = usePortal()
  const { http_status, status, response_body, first_byte_ms, error } = attempt
  return (
    <section class="card">
      <header>
        <h2>
          {t('delivery.answer')}
          <span class={`badge ${status === 'succeeded' ? 'good' : 'bad'}`}>
            {http_status === null ? t('deliveries.no-answer') : statusLine(http_status)}
          </span>
        </h2>
        {first_byte_ms !== null && (
          <span class="muted">{t('delivery.first-byte', { time: format.duration(first_byte_ms) })}</span>
        )}
      </header>
      {error !== null && http_status === null && <p class="card-body">{error}</p>}
      {response_body !== null && response_body !== '' ? (
        <Code text={response_body} label={t('delivery.answer')} />
      ) : (
        http_status !== null && <p class="card-body muted">{t('delivery.answer.empty')}</p>
      )}
    </section>
  )
}

function RequestCard({
  attempt,
  body,
  endpoint,
}: {
  attempt: AttemptDetails | undefined
  body: string | null
  endpoint: WebhookEndpoint | null
}) {
  const { t } = usePortal()
  // The endpoint has its URL of today: which one an attempt was sent to is known only if nothing has changed since.
  const isSame = endpoint !== null && (attempt === undefined || endpoint.updated_at <= attempt.created_at)
  const headers = Object.entries(attempt?.request_headers ?? {})
  return (
    <section class="card">
      <header>
        <h2>
          {t('delivery.request')}
          {isSame && (
            <code class="muted one-line" title={endpoint.url}>
              POST {endpoint.url}
            </code>
          )}
        </h2>
      </header>
      {endpoint !== null && !isSame && <p class="card-body muted">{t('delivery.url.changed')}</p>}
      {headers.length > 0 && (
        <dl class="facts mono-values">
          {headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {headers.length > 0 && <p class="card-body muted small">{t('delivery.signature')}</p>}
      {attempt?.request_headers === null && <p class="card-body muted">{t('delivery.unsent')}</p>}
      {body === null ? (
        <p class="card-body muted">{t('delivery.body.gone')}</p>
      ) : (
        <Code text={body} label={t('delivery.body')} />
      )}
    </section>
  )
}

/** The reason phrases of common statuses. */
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

function statusLine(status: number): string {
  const reason = REASONS[status]
  return reason === undefined ? String(status) : `${status} ${reason}`
}
