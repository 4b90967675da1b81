import { useState } from 'preact/hooks'
import type { Attempt } from '../api/types.ts'
import { now } from '../clock.ts'
import { Bars, firstHour } from '../parts/bars.tsx'
import { Breakable } from '../parts/breakable.tsx'
import { Button } from '../parts/button.tsx'
import { Filter } from '../parts/field.tsx'
import { Link } from '../parts/link.tsx'
import { Empty, ListState } from '../parts/list-state.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Dot, Status, type Tone } from '../parts/status.tsx'
import { Countdown, Time, TimeHead } from '../parts/time.tsx'
import { usePortal } from '../portal.ts'
import { useLoaded, usePages } from '../use-loaded.ts'
import { Replay } from './replay.tsx'

const HOUR_MS = 60 * 60 * 1000
const REFRESH_MS = 5000
const REFRESH_BARS_MS = 30_000
const DAY_HOURS = 24

/** Periods in hours; `all`: everything that is kept. */
const SPANS = ['1', '24', '168', 'all'] as const
const SHOWN = ['everything', 'all', 'retrying', 'given_up'] as const

/** All attempts. The list refreshes itself while it shows the newest ones. */
export function Deliveries() {
  const { t, client, settings, navigation, mayChange, shows, endpoints } = usePortal()
  const { query } = navigation.place.value
  const [isReplayOpen, setReplayOpen] = useState(false)
  const filters = {
    show: oneOf(SHOWN, query['show'], 'everything'),
    endpoint: query['endpoint'] ?? '',
    type: query['type'] ?? '',
    span: oneOf(SPANS, query['span'], '24'),
  }
  const choose = (change: Partial<typeof filters>) =>
    navigation.go({ view: 'deliveries', query: queryOf({ ...filters, ...change }) }, { replace: true })

  const catalog = useLoaded('catalog', client.events)
  const attempts = usePages(
    `deliveries ${JSON.stringify(filters)}`,
    (page, signal) =>
      client.deliveries.list(
        {
          endpoint_id: filters.endpoint,
          event_type: filters.type,
          undelivered: filters.show === 'everything' ? undefined : filters.show,
          since:
            filters.span === 'all'
              ? undefined
              : new Date(now.value - Number(filters.span) * HOUR_MS).toISOString(),
          ...page,
        },
        signal,
      ),
    { everyMs: REFRESH_MS },
  )
  const isFiltered = filters.show !== 'everything' || filters.endpoint !== '' || filters.type !== ''

  return (
    <>
      <PageHead
        title={t('deliveries.title')}
        sub={t('deliveries.sub')}
        actions={
          mayChange &&
          shows('replay') && (
            <Button disabled={(endpoints.value?.length ?? 0) === 0} onClick={() => setReplayOpen(true)}>
              {t('replay.do')}
            </Button>
          )
        }
      />
      <Overview endpointId={filters.endpoint} />
      <div class="filters">
        <Filter
          isOpen
          label={t('deliveries.show')}
          options={SHOWN.map((value) => [value, t(`deliveries.show.${value}`)])}
          value={filters.show}
          onChange={(show) => choose({ show })}
        />
        <Filter
          label={t('deliveries.endpoint')}
          value={filters.endpoint}
          options={[
            ['', t('filter.all')],
            ...(endpoints.value ?? []).map(({ id, name }): [string, string] => [id, name]),
          ]}
          onChange={(endpoint) => choose({ endpoint })}
        />
        <Filter
          label={t('deliveries.event')}
          value={filters.type}
          options={[
            ['', t('filter.all')],
            ...(catalog.value ?? []).map(({ type }): [string, string] => [type, type]),
          ]}
          onChange={(type) => choose({ type })}
        />
        <Filter
          label={t('deliveries.time')}
          value={filters.span}
          options={SPANS.map((value) => [value, t(`deliveries.span.${value}`)])}
          onChange={(span) => choose({ span })}
        />
        <span class="live muted">
          <Dot tone={attempts.error === undefined ? 'good' : 'bad'} />
          {attempts.error === undefined ? t('deliveries.live') : t('deliveries.stalled')}
        </span>
      </div>
      <ListState
        loaded={attempts}
        foot={settings.retentionDays !== undefined && t('deliveries.kept', { count: settings.retentionDays })}
        empty={
          isFiltered || filters.span !== '24' ? (
            <Empty title={t('deliveries.none')} text={t('deliveries.none.text')} />
          ) : (
            <Empty title={t('deliveries.empty')} text={t('deliveries.empty.text')} />
          )
        }
      >
        {(items) => (
          <table class="deliveries">
            <caption class="hidden">{t('deliveries.title')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('deliveries.status')}</th>
                <th scope="col">{t('deliveries.event')}</th>
                <th scope="col">{t('deliveries.endpoint')}</th>
                <th scope="col">{t('deliveries.quote')}</th>
                <th scope="col">{t('deliveries.attempt')}</th>
                <th scope="col">{t('deliveries.answer')}</th>
                <th scope="col">{t('deliveries.took')}</th>
                <th scope="col" class="end">
                  <TimeHead label={t('deliveries.when')} />
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((attempt) => (
                <Row key={attempt.id} attempt={attempt} />
              ))}
            </tbody>
          </table>
        )}
      </ListState>
      {isReplayOpen && (
        <Replay
          endpoints={endpoints.value ?? []}
          endpointId={filters.endpoint}
          onClose={() => {
            setReplayOpen(false)
            void attempts.reload()
          }}
        />
      )}
    </>
  )
}

function Row({ attempt }: { attempt: Attempt }) {
  const { t, format } = usePortal()
  return (
    <tr>
      <th scope="row">
        <Link class="row-link" to={{ view: 'deliveries', id: attempt.delivery_id }}>
          <AttemptStatus attempt={attempt} />
        </Link>
      </th>
      <td class="mono">
        <Breakable text={attempt.event_type} />
        {attempt.is_test && <span class="badge plain">{t('deliveries.test')}</span>}
      </td>
      <td>{attempt.endpoint_name ?? attempt.endpoint_id}</td>
      <td class={attempt.quotation_name === undefined ? 'muted' : undefined}>
        {attempt.quotation_name ?? t('none')}
      </td>
      <td class="phone-off">
        <AttemptNumber attempt={attempt} />
      </td>
      <td class="phone-off">
        {attempt.http_status === null && attempt.error === null ? (
          <span class="muted">{t('none')}</span>
        ) : (
          <span class="badge answer" title={attempt.error ?? undefined}>
            {attempt.http_status ?? t('deliveries.no-answer')}
          </span>
        )}
      </td>
      <td class="muted phone-off">
        {attempt.duration_ms === null ? t('none') : format.duration(attempt.duration_ms)}
      </td>
      <td class="muted end phone-end">
        <Time at={attempt.created_at} />
      </td>
    </tr>
  )
}

/** Which attempt it is; of how many, where more may follow or did. */
function AttemptNumber({ attempt }: { attempt: Attempt }) {
  const { t, format, settings } = usePortal()
  const { attempt: number, status, is_test } = attempt
  const isOnly = is_test || status === 'rejected' || (status === 'succeeded' && number === 1)
  if (isOnly || settings.maxAttempts === undefined) return <>{format.number(number)}</>
  return <>{t('deliveries.attempt.of', { number, all: settings.maxAttempts })}</>
}

const TONES: Record<Attempt['status'], Tone> = {
  succeeded: 'good',
  failed: 'wait',
  exhausted: 'bad',
  rejected: 'bad',
  interrupted: 'wait',
}

/** The result of an attempt, and the next one. */
function AttemptStatus({
  attempt,
}: {
  attempt: Pick<Attempt, 'status' | 'http_status' | 'next_attempt_at'>
}) {
  const { t } = usePortal()
  const { status, http_status, next_attempt_at } = attempt
  const isComing = next_attempt_at !== null && Date.parse(next_attempt_at) > now.value
  return (
    <Status tone={TONES[status]} isHollow={TONES[status] === 'wait'}>
      {status === 'failed' && isComing ? (
        <Countdown to={next_attempt_at}>{(left) => t('attempt.retrying', { in: left })}</Countdown>
      ) : status === 'rejected' && http_status !== null ? (
        t('attempt.rejected.status', { status: String(http_status) })
      ) : (
        t(`attempt.${status}`)
      )}
    </Status>
  )
}

/** The last day: two numbers and a bar per hour. */
function Overview({ endpointId }: { endpointId: string }) {
  const { t, format, client } = usePortal()
  const hours = useLoaded(
    `hours of log ${endpointId}`,
    (signal) =>
      client.deliveries.hours(
        { endpoint_id: endpointId, since: new Date(firstHour(DAY_HOURS, now.value)).toISOString() },
        signal,
      ),
    { everyMs: REFRESH_BARS_MS },
  )
  const delivered = (hours.value ?? []).reduce((sum, each) => sum + each.delivered, 0)
  const failed = (hours.value ?? []).reduce((sum, each) => sum + each.failed, 0)
  if (hours.error !== undefined) return null
  return (
    <section class="card overview" aria-label={t('overview.title')}>
      <div>
        <span class="muted">{t('overview.last')}</span>
        <strong>{format.number(delivered + failed)}</strong>
      </div>
      <div>
        <span class="muted">{t('overview.failed')}</span>
        <strong class={failed > 0 ? 'bad' : undefined}>{format.number(failed)}</strong>
      </div>
      <Bars hours={hours.value ?? []} count={DAY_HOURS} until={now.value} />
    </section>
  )
}

function oneOf<Value extends string>(
  allowed: readonly Value[],
  given: string | undefined,
  otherwise: Value,
): Value {
  return allowed.find((value) => value === given) ?? otherwise
}

/** Default filters are not in the address. */
function queryOf({ show, endpoint, type, span }: Record<'show' | 'endpoint' | 'type' | 'span', string>) {
  return {
    ...(show === 'everything' ? {} : { show }),
    ...(endpoint === '' ? {} : { endpoint }),
    ...(type === '' ? {} : { type }),
    ...(span === '24' ? {} : { span }),
  }
}
