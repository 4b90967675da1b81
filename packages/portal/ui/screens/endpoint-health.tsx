import type { EndpointStatistics } from '../api/types.ts'
import { Card, Fact } from '../parts/card.tsx'
import { Chart, type Hour, useHours } from '../parts/chart.tsx'
import { Link } from '../parts/link.tsx'
import { Skeleton, Table } from '../parts/list.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { usePortal } from '../portal.ts'
import { useLoaded } from '../use-loaded.ts'
import { useColumns } from './deliveries.tsx'
import { hourOf } from './delivery-filters.ts'

const HOURS = 48
const REFRESH_MS = 30_000
const LATEST = 5

/** How an endpoint has answered lately. */
export function Health({ id }: { id: string }) {
  const { t, client, format, navigation, shows } = usePortal()
  const { hours, sums, loaded } = useHours(HOURS, id)
  const statistics = useLoaded(`statistics ${id}`, (signal) => client.endpoints.statistics(id, signal), {
    everyMs: REFRESH_MS,
  })
  const isWaiting = [loaded, statistics].some(
    ({ value, error }) => value === undefined && error === undefined,
  )
  const all = sums.delivered + sums.retried + sums.failed
  const show = (hour: Hour) =>
    shows('deliveries') &&
    navigation.go({ view: 'deliveries', query: { endpoint: id, ...hourOf(hour.start) } })
  return (
    <Card
      isBusy={isWaiting}
      title={t('health.title')}
      aside={
        <span class="muted">
          {t('health.span', { count: HOURS })}
          {all > 0 && <> · {t('health.rate', { rate: format.percent(sums.delivered / all) })}</>}
        </span>
      }
    >
      <div class="card-body">
        <ErrorNotice error={loaded.error} onRetry={() => void loaded.reload()} />
        {loaded.value !== undefined && all === 0 ? (
          <p class="muted">{t('health.none')}</p>
        ) : (
          <Chart hours={hours} sums={sums} onChoose={show} />
        )}
      </div>
      {statistics.value !== undefined && statistics.value.attempts > 0 && (
        <Statistics statistics={statistics.value} />
      )}
    </Card>
  )
}

function Statistics({ statistics }: { statistics: EndpointStatistics }) {
  const { t, format } = usePortal()
  const { attempts, median_ms, p95_ms, failures } = statistics
  const reasons = Object.entries(failures)
    .filter(([, count]) => count > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => t(`health.reason.${reason as keyof typeof failures}`, { count }))
  return (
    <dl class="facts" aria-label={t('health.of', { count: attempts })}>
      {median_ms !== null && p95_ms !== null && (
        <Fact name={t('health.took')}>
          {t('health.median', { median: format.duration(median_ms), most: format.duration(p95_ms) })}
        </Fact>
      )}
      <Fact name={t('health.failures')}>
        {reasons.length === 0 ? t('health.failures.none') : reasons.join(', ')}
      </Fact>
      <Fact name={t('health.newest')}>
        <span class="muted">{t('health.of', { count: attempts })}</span>
      </Fact>
    </dl>
  )
}

export function LatestDeliveries({ id }: { id: string }) {
  const { t, client } = usePortal()
  const latest = useLoaded(
    `latest ${id}`,
    (signal) => client.deliveries.list({ endpoint_id: id, attempts: 'latest', limit: LATEST }, signal),
    { everyMs: REFRESH_MS },
  )
  const columns = useColumns()
  if (latest.value === undefined && latest.error === undefined) return <Skeleton />
  const items = latest.value?.items ?? []
  if (items.length === 0) return null
  return (
    <Card
      class="card latest"
      title={t('health.latest')}
      aside={
        <Link to={{ view: 'deliveries', query: { endpoint: id, span: 'all' } }}>{t('deliveries.back')}</Link>
      }
    >
      <Table
        name="deliveries"
        caption={t('health.latest')}
        items={items}
        columns={[columns.status, columns.event, columns.quote, columns.answer, columns.when]}
      />
    </Card>
  )
}
