import { useEffect, useState } from 'preact/hooks'
import type { WebhookEndpoint } from '../api/types.ts'
import { now } from '../clock.ts'
import { Button } from '../parts/button.tsx'
import { Link } from '../parts/link.tsx'
import { Empty, EmptySteps, isFirst, Skeleton } from '../parts/list-state.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Status } from '../parts/status.tsx'
import { Time, TimeHead } from '../parts/time.tsx'
import { usePortal } from '../portal.ts'
import { useLoaded } from '../use-loaded.ts'
import { Listen } from './listen.tsx'

export function Endpoints() {
  const { t, client, format, mayChange, navigation, endpoints } = usePortal()
  const { value, error, isLoading, reload } = endpoints
  const catalog = useLoaded('catalog', client.events)
  useEffect(() => {
    // Loaded for another screen, before what changed there.
    if (!isLoading) void reload()
  }, [])
  const [isListening, setListening] = useState(false)
  const isEmpty = value?.length === 0
  const listen = (
    <Button kind={isEmpty ? 'quiet' : undefined} onClick={() => setListening(true)}>
      {t('listen.do')}
    </Button>
  )
  const add = (
    <Button kind="primary" onClick={() => navigation.go({ view: 'endpoints', id: 'new' })}>
      {t('endpoints.add')}
    </Button>
  )
  return (
    <>
      <PageHead
        title={t('endpoints.title')}
        sub={t('endpoints.sub')}
        actions={
          !isFirst({ value, error }) && (
            <>
              {listen}
              {mayChange && add}
            </>
          )
        }
      />
      <ErrorNotice error={error} onRetry={() => void reload()} />
      {value === undefined && error === undefined && <Skeleton />}
      {isEmpty && (
        <Empty title={t('endpoints.empty')} text={t('endpoints.empty.text')}>
          <EmptySteps steps={[t('endpoints.empty.1'), t('endpoints.empty.2'), t('endpoints.empty.3')]} />
          <div class="actions">
            {mayChange && add}
            {listen}
          </div>
        </Empty>
      )}
      {value !== undefined && value.length > 0 && (
        <table class="endpoints">
          <caption class="hidden">{t('endpoints.title')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('endpoints.name')}</th>
              <th scope="col">{t('endpoints.url')}</th>
              <th scope="col">{t('endpoints.status')}</th>
              <th scope="col">{t('endpoints.events')}</th>
              <th scope="col">{t('endpoints.rate')}</th>
              <th scope="col" class="end">
                <TimeHead label={t('endpoints.last')} />
              </th>
            </tr>
          </thead>
          <tbody>
            {value.map((endpoint) => (
              <tr key={endpoint.id}>
                <th scope="row">
                  <Link class="row-link" to={{ view: 'endpoints', id: endpoint.id }}>
                    {endpoint.name}
                  </Link>
                </th>
                <td class="mono muted url" title={endpoint.url}>
                  <span class="one-line">{endpoint.url}</span>
                </td>
                <td class="phone-end">
                  <EndpointStatus endpoint={endpoint} />
                </td>
                <td class="muted labelled" data-label={t('endpoints.events')}>
                  {catalog.value !== undefined &&
                    t('endpoints.events.of', { chosen: endpoint.events.length, all: catalog.value.length })}
                </td>
                <td class="muted labelled" data-label={t('endpoints.rate')}>
                  {endpoint.health.recent_success_rate === null
                    ? t('none')
                    : format.percent(endpoint.health.recent_success_rate)}
                </td>
                <td class="muted end labelled" data-label={t('endpoints.last')}>
                  {endpoint.health.last_success_at === null ? (
                    t('endpoints.never')
                  ) : (
                    <Time at={endpoint.health.last_success_at} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isListening && <Listen onClose={() => setListening(false)} />}
    </>
  )
}

/** Whether somebody has to look at it, as the tab counts it. */
export function isFailing(endpoint: WebhookEndpoint): boolean {
  const { is_enabled, health, disabled_reason } = endpoint
  if (!is_enabled) return disabled_reason === 'failing'
  return health.failing_since !== null || isPartlyFailing(endpoint)
}

/** Below this share of successes, an endpoint is not simply delivering. */
const ENOUGH = 0.9

function isPartlyFailing({ health }: WebhookEndpoint): boolean {
  return health.recent_success_rate !== null && health.recent_success_rate < ENOUGH
}

/** Whether only tests were ever sent to it. */
export function isUntried({ health }: WebhookEndpoint): boolean {
  return health.recent_attempts === 0 && health.last_success_at === null
}

/** Until when it is paused; null if it is not. */
export function pauseOf({ is_enabled, paused_until }: WebhookEndpoint): string | null {
  return is_enabled && paused_until !== null && Date.parse(paused_until) > now.value ? paused_until : null
}

export function EndpointStatus({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { t, format } = usePortal()
  const pause = pauseOf(endpoint)
  if (!endpoint.is_enabled) {
    return (
      <Status tone={endpoint.disabled_reason === 'failing' ? 'bad' : 'off'} isHollow>
        {t('endpoints.status.disabled')}
      </Status>
    )
  }
  if (pause !== null) {
    return <Status tone="wait">{t('endpoints.status.paused', { time: format.time(pause) })}</Status>
  }
  if (endpoint.health.failing_since !== null) {
    return <Status tone="bad">{t('endpoints.status.failing')}</Status>
  }
  if (isPartlyFailing(endpoint)) {
    return (
      <Status tone="wait" isHollow>
        {t('endpoints.status.partly')}
      </Status>
    )
  }
  if (isUntried(endpoint)) {
    return (
      <Status tone="off" isHollow>
        {t('endpoints.status.untried')}
      </Status>
    )
  }
  return <Status tone="good">{t('endpoints.status.delivering')}</Status>
}
