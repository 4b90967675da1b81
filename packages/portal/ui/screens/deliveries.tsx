import { useState } from 'preact/hooks'
import type { Attempt } from '../api/types.ts'
import { now } from '../clock.ts'
import { apiText } from '../i18n/api-text.ts'
import { HOUR } from '../i18n/format.ts'
import { Breakable } from '../parts/breakable.tsx'
import { Button } from '../parts/button.tsx'
import { Chart, useHours } from '../parts/chart.tsx'
import { FilterBar, TimeFilter, useFilters } from '../parts/filter.tsx'
import { Link } from '../parts/link.tsx'
import { type Column, Empty, List, useFound } from '../parts/list.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Dot, Status, type Tone } from '../parts/status.tsx'
import { Countdown, Time, TimeHead } from '../parts/time.tsx'
import { usePortal } from '../portal.ts'
import { useLoaded, usePages } from '../use-loaded.ts'
import { testName } from './check-receiver.tsx'
import {
  ANSWERS,
  chartOf,
  DEFAULTS,
  type Filters as FiltersOf,
  hourOf,
  isOneDay,
  isStatus,
  queryOf,
  SHOWN,
  SPANS,
} from './delivery-filters.ts'
import { Search } from './delivery-search.tsx'
import { shortCause } from './failure.ts'
import { Replay } from './replay.tsx'
import { ResendShown } from './resend-shown.tsx'

const REFRESH_MS = 5000

/** All deliveries, each with its newest attempt. The list refreshes itself. */
export function Deliveries() {
  const { t, client, me, mayChange, shows, endpoints, navigation } = usePortal()
  const [isReplayOpen, setReplayOpen] = useState(false)
  const [isPaused, setPaused] = useState(false)
  const [isResendOpen, setResendOpen] = useState(false)
  const asked = navigation.place.value.query['answer'] ?? ''
  const answers = isStatus(asked) ? [...ANSWERS, asked] : ANSWERS
  const [filters, choose] = useFilters(DEFAULTS, { show: SHOWN, span: SPANS, answer: answers })
  const attempts = usePages(
    `deliveries ${JSON.stringify(filters)}`,
    async (page, signal) => {
      const { items, next } = await client.deliveries.list(
        { ...queryOf(filters, now.value), ...page },
        signal,
      )
      return { items: items.map((attempt) => ({ ...attempt, id: attempt.delivery_id })), next }
    },
    {
      everyMs: isPaused ? undefined : REFRESH_MS,
      isFiltered: filters.show !== DEFAULTS.show || filters.answer !== DEFAULTS.answer,
    },
  )
  useFound(filters, attempts)
  const isFiltered = JSON.stringify(filters) !== JSON.stringify(DEFAULTS)
  const text = isFiltered ? 'none' : 'empty'
  return (
    <>
      <PageHead
        title={t('deliveries.title')}
        sub={t('deliveries.sub')}
        actions={
          mayChange && (
            <>
              {(filters.show === 'given_up' || filters.show === 'all') && (
                <Button disabled={attempts.value?.length === 0} onClick={() => setResendOpen(true)}>
                  {t('resend.do')}
                </Button>
              )}
              {shows('replay') && (
                <Button disabled={(endpoints.value?.length ?? 0) === 0} onClick={() => setReplayOpen(true)}>
                  {t('replay.do')}
                </Button>
              )}
            </>
          )
        }
      />
      <Overview filters={filters} onChange={choose} />
      <Search filters={filters} onChange={choose} />
      <Filters
        filters={filters}
        isPaused={isPaused}
        onChange={choose}
        onPause={setPaused}
        error={attempts.error}
      />
      <List
        name="deliveries"
        caption={t('deliveries.title')}
        loaded={attempts}
        foot={t('deliveries.kept', { count: me.limits.event_days })}
        empty={<Empty title={t(`deliveries.${text}`)} text={t(`deliveries.${text}.text`)} />}
        columns={Object.values(useColumns(isOneDay(filters)))}
      />
      {isResendOpen && (
        <ResendShown
          query={queryOf(filters, now.value)}
          onClose={() => {
            setResendOpen(false)
            void attempts.reload()
          }}
        />
      )}
      {isReplayOpen && (
        <Replay
          endpoints={endpoints.value ?? []}
          endpointId={filters.endpoint}
          period={filters}
          onClose={() => {
            setReplayOpen(false)
            void attempts.reload()
          }}
        />
      )}
    </>
  )
}

function Filters({
  filters,
  isPaused,
  onChange,
  onPause,
  error,
}: {
  filters: FiltersOf
  isPaused: boolean
  onChange: (change: Partial<FiltersOf>) => void
  onPause: (isPaused: boolean) => void
  error: unknown
}) {
  const { t, has, client, endpoints } = usePortal()
  const catalog = useLoaded('catalog', client.events)
  const all = ['', t('filter.all')] as const
  return (
    <FilterBar
      filters={[
        {
          name: 'show',
          label: t('deliveries.show'),
          isOpen: true,
          options: SHOWN.map((value) => [value, t(`deliveries.show.${value}`)]),
        },
        {
          name: 'endpoint',
          label: t('deliveries.endpoint'),
          options: [all, ...(endpoints.value ?? []).map(({ id, name }) => [id, name] as const)],
        },
        {
          name: 'type',
          label: t('deliveries.event'),
          options: [all, ...(catalog.value ?? []).map(({ type }) => [type, type] as const)],
        },
        {
          name: 'answer',
          label: t('deliveries.answer'),
          options: (isStatus(filters.answer) ? [...ANSWERS, filters.answer] : ANSWERS).map((value) => {
            const key = `deliveries.answer.${value || 'all'}`
            return [value, has(key) ? t(key) : value] as const
          }),
        },
        {
          name: 'span',
          label: t('deliveries.time'),
          options: SPANS.map((value) => [value, t(`deliveries.span.${value}`)]),
        },
      ]}
      values={filters}
      onChange={onChange}
    >
      {filters.span === 'own' && (
        <>
          <TimeFilter
            label={t('replay.since')}
            value={filters.since}
            onChange={(since) => onChange({ since })}
          />
          <TimeFilter
            label={t('replay.until')}
            value={filters.until}
            onChange={(until) => onChange({ until })}
          />
        </>
      )}
      <span class="live muted">
        <Dot tone={isPaused ? 'off' : error === undefined ? 'good' : 'bad'} />
        <span>
          {t(isPaused ? 'deliveries.paused' : error === undefined ? 'deliveries.live' : 'deliveries.stalled')}
        </span>
        <button type="button" class="link" onClick={() => onPause(!isPaused)}>
          {t(isPaused ? 'deliveries.resume' : 'deliveries.pause')}
        </button>
      </span>
    </FilterBar>
  )
}

/** The columns of a list of deliveries, by name. */
export function useColumns(isOneDay = false) {
  const portal = usePortal()
  const { t, format } = portal
  const none = <span class="muted">{t('none')}</span>
  return {
    status: {
      head: t('deliveries.status'),
      cell: (attempt) => (
        <Link class="row-link" to={{ view: 'deliveries', id: attempt.delivery_id }}>
          <AttemptStatus attempt={attempt} />
        </Link>
      ),
    },
    event: {
      head: t('deliveries.event'),
      class: 'mono wide',
      title: ({ event_type }) => event_type,
      cell: ({ event_type, is_test, check_kind }) => (
        <span class="event">
          <Breakable text={event_type} />
          {is_test && <span class="badge">{testName(check_kind, t)}</span>}
        </span>
      ),
    },
    endpoint: {
      head: t('deliveries.endpoint'),
      class: 'inline',
      title: ({ endpoint_name }) => endpoint_name ?? '',
      cell: ({ endpoint_name, endpoint_id }) => endpoint_name ?? endpoint_id,
    },
    quote: {
      head: t('deliveries.quote'),
      class: 'inline',
      title: ({ quotation_name }) => quotation_name ?? '',
      cell: ({ quotation_name }) => quotation_name ?? none,
    },
    attempt: {
      head: t('deliveries.attempt'),
      class: 'phone-off',
      cell: (attempt) => <AttemptNumber attempt={attempt} />,
    },
    answer: {
      head: t('deliveries.answer'),
      class: 'phone-off',
      cell: ({ http_status, error }) =>
        http_status === null && error === null ? (
          none
        ) : (
          <span class="badge answer" title={error === null ? undefined : apiText(portal, 'cause', error)}>
            {http_status ?? shortCause(portal, error)}
          </span>
        ),
    },
    took: {
      head: t('deliveries.took'),
      class: 'muted phone-off',
      cell: ({ duration_ms }) => (duration_ms === null ? t('none') : format.duration(duration_ms)),
    },
    when: {
      head: isOneDay ? (
        `${t('deliveries.when')} (${format.offset(new Date(now.value).toISOString())})`
      ) : (
        <TimeHead label={t('deliveries.when')} />
      ),
      class: 'muted end phone-end',
      cell: ({ created_at }) => <Time at={created_at} isClock={isOneDay} />,
    },
  } satisfies Record<string, Column<Attempt>>
}

/** Which attempt it is; of how many, while more may follow. */
function AttemptNumber({ attempt }: { attempt: Attempt }) {
  const { t, format, settings } = usePortal()
  const { attempt: number, status, next_attempt_at, is_test } = attempt
  const isLast = is_test || (status === 'interrupted' ? false : next_attempt_at === null)
  if (isLast || settings.maxAttempts === undefined) return <>{format.number(number)}</>
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
    <Status tone={status === 'failed' && next_attempt_at === null ? 'off' : TONES[status]}>
      {status === 'failed' && isComing ? (
        <Countdown to={next_attempt_at}>{(left) => t('attempt.retrying', { in: left })}</Countdown>
      ) : status === 'failed' && next_attempt_at === null ? (
        t('delivery.parked')
      ) : status === 'rejected' && http_status !== null ? (
        t('attempt.rejected.status', { status: String(http_status) })
      ) : (
        t(`attempt.${status}`)
      )}
    </Status>
  )
}

/** The period of the list, by the hour. An hour that is chosen is what the list shows. */
function Overview({
  filters,
  onChange,
}: {
  filters: FiltersOf
  onChange: (change: Partial<FiltersOf>) => void
}) {
  const { t, format } = usePortal()
  const { count, last } = chartOf(filters, now.value)
  const { hours, sums, loaded } = useHours(count, filters.endpoint, last)
  if (loaded.error !== undefined) return null
  const isKnown = loaded.value !== undefined
  const chosen = filters.span === 'own' ? Date.parse(filters.since) : null
  const title = t(
    last !== null || ![24, 168].includes(count)
      ? 'overview.own'
      : `deliveries.span.${count === 24 ? 24 : 168}`,
  )
  return (
    <section class="card overview" aria-label={title}>
      <div>
        <span class="muted">{title}</span>
        <strong>{isKnown ? format.number(sums.delivered + sums.retried + sums.failed) : t('none')}</strong>
      </div>
      <div>
        <span class="muted">{t('overview.failed')}</span>
        <strong class={sums.failed > 0 ? 'bad' : undefined}>
          {isKnown ? format.number(sums.failed) : t('none')}
        </strong>
      </div>
      <Chart
        hours={hours}
        sums={sums}
        chosen={chosen}
        {...(last !== null && { words: { end: format.tick(new Date((last + 1) * HOUR).toISOString()) } })}
        onChoose={({ start }) =>
          onChange(start === chosen ? { ...DEFAULTS, show: filters.show } : { ...filters, ...hourOf(start) })
        }
      />
    </section>
  )
}
