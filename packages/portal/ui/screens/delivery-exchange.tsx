import type { AttemptDetails, WebhookEndpoint } from '../api/types.ts'
import { apiText } from '../i18n/api-text.ts'
import { Card, Fact } from '../parts/card.tsx'
import { CopyButton, Example } from '../parts/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { statusLine } from '../parts/status-line.ts'
import { usePortal } from '../portal.ts'
import { adviceFor } from './failure.ts'

/** The response to an attempt. */
export function Answer({ attempt }: { attempt: AttemptDetails }) {
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

/** The request of an attempt. */
export function RequestCard({
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
