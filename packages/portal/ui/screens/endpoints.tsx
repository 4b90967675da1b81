import { useEffect, useState } from 'preact/hooks'
import type { WebhookEndpoint } from '../api/types.ts'
import { now } from '../clock.ts'
import { Button } from '../parts/button.tsx'
import { FilterBar, SearchFilter, useFilters } from '../parts/filter.tsx'
import { Link } from '../parts/link.tsx'
import { type Column, Empty, isFirst, Pending, Table } from '../parts/list.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { Time, TimeHead } from '../parts/time.tsx'
import { usePortal } from '../portal.ts'
import { useLoaded } from '../use-loaded.ts'
import { Listen } from './listen.tsx'

/** From so many on, there is a search and an order. */
const MANY = 10
const SORTS = ['created', 'name', 'trouble', 'last'] as const

/** Those whose name or URL contains the text, in the order that is asked for. */
function sorted(
  endpoints: readonly WebhookEndpoint[],
  { search, sort }: { search: string; sort: string },
): readonly WebhookEndpoint[] {
  const text = search.toLowerCase()
  const found = endpoints.filter(({ name, url }) => `${name} ${url}`.toLowerCase().includes(text))
  const trouble = ({ health, is_enabled }: WebhookEndpoint) =>
    is_enabled ? (health.failing_since === null ? (health.recent_success_rate ?? 1) : -1) : 2
  const last = ({ health }: WebhookEndpoint) => Date.parse(health.last_success_at ?? '') || 0
  if (sort === 'name') return found.toSorted((a, b) => a.name.localeCompare(b.name))
  if (sort === 'trouble') return found.toSorted((a, b) => trouble(a) - trouble(b))
  return sort === 'last' ? found.toSorted((a, b) => last(b) - last(a)) : found
}

export function Endpoints() {
  const { t, mayChange, navigation, endpoints } = usePortal()
  const { value, error, isLoading, reload } = endpoints
  const columns = useColumns()
  useEffect(() => {
    // Loaded for another screen, before what changed there.
    if (!isLoading) void reload()
  }, [])
  const [isListening, setListening] = useState(false)
  const isEmpty = value?.length === 0
  const [filters, choose] = useFilters({ search: '', sort: SORTS[0] as string }, { sort: SORTS })
  const shown = sorted(value ?? [], filters)
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
      <Pending loaded={endpoints} />
      {isEmpty && (
        <Empty
          title={t('endpoints.empty')}
          text={t('endpoints.empty.text')}
          steps={[t('endpoints.empty.1'), t('endpoints.empty.2'), t('endpoints.empty.3')]}
        >
          <div class="actions">
            {mayChange && add}
            {listen}
          </div>
        </Empty>
      )}
      {value !== undefined && value.length >= MANY && (
        <FilterBar
          filters={[
            {
              name: 'sort',
              label: t('endpoints.sort'),
              options: SORTS.map((each) => [each, t(`endpoints.sort.${each}`)]),
            },
          ]}
          values={filters}
          onChange={choose}
        >
          <SearchFilter
            label={t('endpoints.search')}
            value={filters.search}
            onSearch={(search) => choose({ search })}
          />
        </FilterBar>
      )}
      {value !== undefined && !isEmpty && shown.length === 0 && (
        <Empty title={t('deliveries.none')} text={t('endpoints.search.none')} />
      )}
      {shown.length > 0 && (
        <Table<WebhookEndpoint>
          name="endpoints"
          caption={t('endpoints.title')}
          items={shown}
          columns={columns}
        />
      )}
      {isListening && <Listen onClose={() => setListening(false)} />}
    </>
  )
}

function useColumns(): Column<WebhookEndpoint>[] {
  const { t, client, format } = usePortal()
  const catalog = useLoaded('catalog', client.events)
  return [
    {
      head: t('endpoints.name'),
      cell: ({ id, name }) => (
        <Link class="row-link one-line" title={name} to={{ view: 'endpoints', id }}>
          {name}
        </Link>
      ),
    },
    {
      head: t('endpoints.url'),
      class: 'mono muted url',
      title: ({ url }) => url,
      cell: ({ url }) => (
        <span class="one-line" dir="ltr">
          {url}
        </span>
      ),
    },
    {
      head: t('endpoints.status'),
      class: 'phone-end',
      cell: (endpoint) => <EndpointStatus endpoint={endpoint} />,
    },
    {
      head: t('endpoints.events'),
      label: t('endpoints.events'),
      class: 'muted',
      cell: ({ events }) =>
        catalog.value !== undefined &&
        t('endpoints.events.of', { chosen: events.length, all: catalog.value.length }),
    },
    {
      head: t('endpoints.rate'),
      label: t('endpoints.rate'),
      class: 'muted',
      cell: ({ health: { recent_success_rate: rate } }) => (rate === null ? t('none') : format.percent(rate)),
    },
    {
      head: <TimeHead label={t('endpoints.last')} />,
      label: t('endpoints.last'),
      class: 'muted end',
      cell: ({ health: { last_success_at: at } }) => (at === null ? t('endpoints.never') : <Time at={at} />),
    },
  ]
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

/** How it is doing: the first that holds. */
function statusOf(endpoint: WebhookEndpoint): {
  status: 'disabled' | 'paused' | 'failing' | 'partly' | 'untried' | 'delivering'
  tone: Tone
  isHollow?: boolean
} {
  const { is_enabled, disabled_reason, health } = endpoint
  if (!is_enabled) {
    return { status: 'disabled', tone: disabled_reason === 'failing' ? 'bad' : 'off', isHollow: true }
  }
  if (pauseOf(endpoint) !== null) return { status: 'paused', tone: 'wait', isHollow: false }
  if (health.failing_since !== null) return { status: 'failing', tone: 'bad' }
  if (isPartlyFailing(endpoint)) return { status: 'partly', tone: 'wait' }
  if (isUntried(endpoint)) return { status: 'untried', tone: 'off' }
  return { status: 'delivering', tone: 'good' }
}

export function EndpointStatus({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { t, format } = usePortal()
  const { status, ...look } = statusOf(endpoint)
  const { paused_until } = endpoint
  return (
    <Status {...look}>
      {t(`endpoints.status.${status}`, { time: paused_until === null ? '' : format.time(paused_until) })}
    </Status>
  )
}
