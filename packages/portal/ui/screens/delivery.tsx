import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { AttemptDetails, Delivery as DeliveryOf, WebhookEndpoint } from '../api/types.ts'
import { apiText } from '../i18n/api-text.ts'
import type { Place } from '../navigation.ts'
import { Button } from '../parts/button.tsx'
import { Card, Fact } from '../parts/card.tsx'
import { Code } from '../parts/code.tsx'
import { Copyable, CopyButton, Example } from '../parts/copy.tsx'
import { FormDialog, InfoDialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Dot, Status, type Tone } from '../parts/status.tsx'
import { statusLine } from '../parts/status-line.ts'
import { Countdown } from '../parts/time.tsx'
import { Unfound } from '../parts/unfound.tsx'
import { exactTimes, usePortal } from '../portal.ts'
import { useAction, useHere } from '../use-action.ts'
import { useLoaded } from '../use-loaded.ts'
import { testName } from './check-receiver.tsx'
import { curlOf } from './curl.ts'
import { adviceFor } from './failure.ts'

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
  const loaded = useLoaded(`delivery ${id}`, (signal) => client.deliveries.get(id, signal), {
    everyMs: REFRESH_MS,
    until: ({ status }) => status === 'succeeded' || status === 'failed',
    initial,
  })
  const delivery = loaded.value
  // Without the endpoints, a button would come later and move the rest.
  if (delivery !== undefined && (endpoints.value !== undefined || endpoints.error !== undefined)) {
    // A deleted endpoint cannot be found any more, but its deliveries can.
    const endpoint = endpoints.value?.find((each) => each.id === delivery.endpoint_id) ?? null
    return <Found delivery={delivery} endpoint={endpoint} error={loaded.error} onReload={loaded.reload} />
  }
  return <Unfound title={t('delivery.title')} view="deliveries" loaded={loaded} />
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
  const { t, mayChange } = usePortal()
  const [chosen, setChosen] = useState<number | null>(null)
  const { attempts, request_body } = delivery
  const attempt = attempts.find((each) => each.attempt === chosen) ?? attempts.at(-1)
  return (
    <>
      <PageHead
        title={delivery.event_type}
        isMono
        above={{ label: t('deliveries.title'), view: 'deliveries' }}
        sub={<Summary delivery={delivery} endpoint={endpoint} />}
        actions={
          <>
            {attempt !== undefined && endpoint !== null && (
              <CopyCurl
                text={curlOf(urlOf(attempt, endpoint), attempt, request_body, t('delivery.curl.unsigned'))}
              />
            )}
            {mayChange && !delivery.is_test && endpoint !== null && (
              <Resend delivery={delivery} endpointName={endpoint.name} />
            )}
          </>
        }
      />
      <ErrorNotice error={error} onRetry={() => void onReload()} />
      <div class="columns aside-main">
        <div>
          <Attempts delivery={delivery} attempt={attempt} onChoose={setChosen} />
          <Ids delivery={delivery} />
        </div>
        <div>
          {attempt !== undefined && <Answer attempt={attempt} />}
          <RequestCard attempt={attempt} body={request_body} endpoint={endpoint} />
        </div>
      </div>
    </>
  )
}

/** Copies a command. If the browser refuses, it is shown. */
function CopyCurl({ text }: { text: string }) {
  const { t } = usePortal()
  const [isShown, setShown] = useState(false)
  const label = t('delivery.curl')
  return (
    <>
      <CopyButton text={text} label={label} onFailed={() => setShown(true)} />
      {isShown && (
        <InfoDialog isWide title={label} onClose={() => setShown(false)}>
          <p class="lead">{t('copy.failed')}</p>
          <Code text={text} label={label} />
        </InfoDialog>
      )}
    </>
  )
}

/** Where the attempt was sent; with the query, which is not recorded, if the endpoint still has that address. */
function urlOf({ url }: AttemptDetails, endpoint: WebhookEndpoint): string {
  return url === null || endpoint.url.startsWith(url) ? endpoint.url : url
}

/** Whose event it is, where it goes, and how it stands. */
function Summary({ delivery, endpoint }: { delivery: DeliveryOf; endpoint: WebhookEndpoint | null }) {
  const { t } = usePortal()
  const { status, next_attempt_at, quotation_name, endpoint_name, endpoint_id } = delivery
  const text = endpoint?.name ?? endpoint_name ?? endpoint_id
  const name = (
    <strong class="one-line" title={text}>
      {text}
    </strong>
  )
  return (
    <>
      {t('delivery.to')}{' '}
      {endpoint === null ? name : <Link to={{ view: 'endpoints', id: endpoint.id }}>{name}</Link>}
      {quotation_name !== undefined && <> · {quotation_name}</>}
      {delivery.is_test && <> · {testName(delivery.attempts[0]?.check_kind ?? null, t)}</>} ·{' '}
      <Status tone={TONES[status]}>
        {isLeft(delivery) && next_attempt_at !== null && delivery.attempts.length > 0 ? (
          <Countdown to={next_attempt_at}>{(left) => t('attempt.retrying', { in: left })}</Countdown>
        ) : (
          t(`delivery.${status}`)
        )}
      </Status>
    </>
  )
}

/** Whether another attempt follows. */
function isLeft({ status, next_attempt_at }: DeliveryOf): boolean {
  return (status === 'pending' || status === 'sending') && next_attempt_at !== null
}

function Resend({ delivery, endpointName }: { delivery: DeliveryOf; endpointName: string }) {
  const { t, client, navigation, announcer, answered } = usePortal()
  const [isAsking, setAsking] = useState(false)
  const action = useAction()
  const here = useHere()

  async function resend() {
    const resent = await client.deliveries.resend(delivery.id)
    announcer.say(t('delivery.resent'))
    answered.delivery = resent
    setAsking(false)
    if (here.current) navigation.go({ view: 'deliveries', id: resent.id }, { isDone: true })
  }

  return (
    <>
      <Button
        kind="primary"
        isBusy={action.isRunning}
        onClick={() => (delivery.status === 'succeeded' ? setAsking(true) : void action.run(resend))}
      >
        {t('delivery.resend')}
      </Button>
      {!isAsking && <ErrorNotice error={action.error} />}
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
}

/** The attempts, and what comes next. */
function Attempts({
  delivery,
  attempt,
  onChoose,
}: {
  delivery: DeliveryOf
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

/** What support asks for, and what belongs together. */
function Ids({ delivery }: { delivery: DeliveryOf }) {
  const { t } = usePortal()
  const { id, event_id, quotation_id, resent_from, resent_as } = delivery
  const all = (query: Place['query']) => (
    <Link to={{ view: 'deliveries', query: { ...query, span: 'all' } }}>{t('delivery.all')}</Link>
  )
  const other = (resent: string) => (
    <Link to={{ view: 'deliveries', id: resent }}>
      <code>{resent}</code>
    </Link>
  )
  return (
    <section class="card" aria-label={t('delivery.ids')}>
      <dl class="facts">
        <Id name={t('delivery.id')} id={id} />
        <Id name={t('delivery.event-id')} id={event_id}>
          {all({ event: event_id })}
        </Id>
        {quotation_id !== null && (
          <Id name={t('delivery.quote-id')} id={quotation_id}>
            {all({ quote: quotation_id })}
          </Id>
        )}
        {resent_from !== null && <Fact name={t('delivery.resent-from')}>{other(resent_from)}</Fact>}
        {resent_as !== null && <Fact name={t('delivery.resent-as')}>{other(resent_as)}</Fact>}
      </dl>
    </section>
  )
}

function Id({ name, id, children }: { name: string; id: string; children?: ComponentChildren }) {
  return (
    <Fact name={name}>
      <Copyable text={id} label={name} />
      {children}
    </Fact>
  )
}

function Answer({ attempt }: { attempt: AttemptDetails }) {
  const portal = usePortal()
  const { t, format, mayChange } = portal
  const isHidden = !mayChange && attempt.response_body === null
  const { http_status, status, response_body, response_headers, first_byte_ms, error } = attempt
  return (
    <Card
      title={
        <>
          {t('delivery.answer')}
          <span class={`badge ${status === 'succeeded' ? 'good' : 'bad'}`}>
            {http_status === null ? t('deliveries.no-answer') : statusLine(http_status)}
          </span>
        </>
      }
      aside={
        first_byte_ms !== null && (
          <span class="muted">{t('delivery.first-byte', { time: format.duration(first_byte_ms) })}</span>
        )
      }
    >
      {error !== null && http_status === null && (
        <div class="card-body">
          <p>{apiText(portal, 'cause', error)}</p>
          <p class="muted">{adviceFor(portal, attempt)}</p>
        </div>
      )}
      {response_headers !== null && (
        <dl class="facts mono-values">
          {Object.entries(response_headers).map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </dl>
      )}
      {response_body !== null && response_body !== '' ? (
        <Example text={response_body} label={t('delivery.answer')} />
      ) : (
        http_status !== null && (
          <p class="card-body muted">{t(isHidden ? 'delivery.body.hidden' : 'delivery.answer.empty')}</p>
        )
      )}
    </Card>
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
  const { t, mayChange } = usePortal()
  const url = attempt === undefined ? endpoint?.url : attempt.url
  const headers = Object.entries(attempt?.request_headers ?? {})
  return (
    <Card
      title={
        <>
          {t('delivery.request')}
          {url && (
            <code class="muted one-line" title={url}>
              POST {url}
            </code>
          )}
        </>
      }
      aside={
        url && (
          <CopyButton
            text={url}
            label={t('copy.of', { name: t('endpoints.url') })}
            icon={<Icon name="copy" />}
          />
        )
      }
    >
      {headers.length > 0 && (
        <dl class="facts mono-values">
          {headers.map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </dl>
      )}
      {headers.length > 0 && <p class="card-body muted small">{t('delivery.signature')}</p>}
      {attempt?.request_headers === null && <p class="card-body muted">{t('delivery.unsent')}</p>}
      {body === null ? (
        <p class="card-body muted">{t(mayChange ? 'delivery.body.gone' : 'delivery.body.hidden')}</p>
      ) : (
        <Example text={body} label={t('delivery.body')} />
      )}
    </Card>
  )
}
