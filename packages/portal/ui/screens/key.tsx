import { useState } from 'preact/hooks'
import type { ApiKeyDay, ApiKeyQuotation, ApiKeyRequest } from '../api/types.ts'
import { DAY } from '../i18n/format.ts'
import { Card, Fact } from '../parts/card.tsx'
import { Chart, type ChartWords } from '../parts/chart.tsx'
import { Link } from '../parts/link.tsx'
import { Table } from '../parts/list.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Status } from '../parts/status.tsx'
import { Time, TimeHead } from '../parts/time.tsx'
import { Unfound } from '../parts/unfound.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'
import { useLoaded } from '../use-loaded.ts'
import { Actions, Expiry, type OpenKey, OpenKeyDialog, TONES } from './keys.tsx'

const REFRESH_MS = 30_000

/** A key: who used it, from where, and for what. */
export function Key({ id }: { id: string }) {
  const { t, client, mayChangeKey, announcer } = usePortal()
  const [open, setOpen] = useState<OpenKey>(null)
  const activation = useAction()
  const loaded = useLoaded(
    `key ${id}`,
    async (signal) => {
      const [key, uses, quotes] = await Promise.all([
        client.apiKeys.get(id, signal),
        client.apiKeys.uses(id, signal),
        client.apiKeys.quotations(id, signal),
      ])
      return { key, uses, quotes }
    },
    { everyMs: REFRESH_MS },
  )
  if (loaded.value === undefined) return <Unfound title={t('keys.one')} view="api-keys" loaded={loaded} />
  const { key, uses, quotes } = loaded.value
  const changed = (text: string) => {
    announcer.say(text)
    setOpen(null)
    void loaded.reload()
  }
  const activate = () =>
    void activation.run(async () => {
      await client.apiKeys.activate(id)
      changed(t('keys.activated', { name: key.name }))
    })
  return (
    <>
      <PageHead
        title={key.name}
        above={{ label: t('keys.title'), view: 'api-keys' }}
        sub={<code>{key.masked_key}</code>}
        actions={mayChangeKey(key) && <Actions apiKey={key} onOpen={setOpen} onActivate={activate} />}
      />
      <ErrorNotice error={loaded.error} onRetry={() => void loaded.reload()} />
      <ErrorNotice error={activation.error} />
      <div class="columns main-aside">
        <div>
          <Uses {...uses} />
        </div>
        <div>
          <Card title={t('keys.settings')}>
            <dl class="facts">
              <Fact name={t('keys.status')}>
                <Status tone={TONES[key.status]}>{t(`keys.status.${key.status}`)}</Status>
              </Fact>
              <Fact name={t('keys.owner')}>{key.owner_name ?? key.owner_id}</Fact>
              <Fact name={t('keys.used')}>
                {key.last_used_at === null ? t('keys.unused') : <Time at={key.last_used_at} />}
              </Fact>
              <Fact name={t('keys.expires')}>
                <Expiry apiKey={key} />
              </Fact>
            </dl>
          </Card>
          <Quotes quotes={quotes} />
        </div>
      </div>
      {open !== null && <OpenKeyDialog open={open} onClose={() => setOpen(null)} onDone={changed} />}
    </>
  )
}

/** The newest quotes of a key, each with a link to its deliveries. */
function Quotes({ quotes }: { quotes: readonly ApiKeyQuotation[] }) {
  const { t, views, shows } = usePortal()
  if (quotes.length === 0) return null
  return (
    <Card title={t('uses.quotes')}>
      <ul class="event-list">
        {quotes.map(({ id, name, created_at }) => (
          <li key={id}>
            <span class="one-line" title={name}>
              {views && shows('deliveries') ? (
                <Link to={{ view: 'deliveries', query: { quote: id, span: 'all' } }}>{name}</Link>
              ) : (
                name
              )}
            </span>
            <span class="muted">
              <Time at={created_at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** A line of days, and the newest requests: of all days, or of the one that is chosen. */
function Uses({ days, requests }: { days: readonly ApiKeyDay[]; requests: readonly ApiKeyRequest[] }) {
  const { t, format } = usePortal()
  const [chosen, setChosen] = useState<number | null>(null)
  const bars = days.map(({ date, answered, refused }) => ({
    start: Date.parse(date),
    delivered: answered,
    retried: 0,
    failed: refused,
  }))
  const sumOf = (kind: 'delivered' | 'failed') => bars.reduce((sum, day) => sum + day[kind], 0)
  const sums = { delivered: sumOf('delivered'), retried: 0, failed: sumOf('failed') }
  // Its noon is the same day for every reader.
  const dayOf = (midnight: string) => format.day(new Date(Date.parse(midnight) + DAY / 2).toISOString())
  const words: ChartWords = {
    kinds: ['failed', 'delivered'],
    legend: (kind, count) => t(kind === 'failed' ? 'uses.refused' : 'uses.answered', { count }),
    bar: ({ start, delivered, failed }) =>
      `${dayOf(new Date(start).toISOString())}: ${t('uses.day', { answered: delivered, refused: failed })}`,
    tick: dayOf,
    end: t('uses.today'),
  }
  const shown = requests.filter(
    ({ at }) => chosen === null || Math.floor(Date.parse(at) / DAY) * DAY === chosen,
  )
  return (
    <>
      <Card
        title={t('uses.title')}
        aside={<span class="muted">{t('uses.span', { count: days.length })}</span>}
      >
        <div class="card-body">
          <Chart
            hours={bars}
            sums={sums}
            chosen={chosen}
            words={words}
            onChoose={({ start }) => setChosen(start === chosen ? null : start)}
          />
        </div>
      </Card>
      <Card title={t('uses.requests')} class="card flush">
        {shown.length === 0 ? (
          <p class="card-body muted">{t('uses.none')}</p>
        ) : (
          <Table<ApiKeyRequest & { id: string }>
            name="uses"
            caption={t('uses.requests')}
            items={shown.map((request) => ({ ...request, id: `${request.at} ${request.request_id}` }))}
            columns={[
              {
                head: t('uses.request'),
                class: 'mono',
                cell: ({ method, route }) => `${method} ${route}`,
              },
              {
                head: t('uses.status'),
                class: 'phone-end',
                cell: ({ status }) => <span class={`badge ${status < 400 ? 'good' : 'bad'}`}>{status}</span>,
              },
              {
                head: t('uses.address'),
                label: t('uses.address'),
                class: 'mono',
                cell: ({ address }) => address ?? t('none'),
              },
              {
                head: t('uses.id'),
                class: 'mono muted phone-off',
                title: ({ request_id }) => request_id,
                cell: ({ request_id }) => <span class="one-line">{request_id}</span>,
              },
              {
                head: <TimeHead label={t('deliveries.when')} />,
                label: t('deliveries.when'),
                class: 'muted end',
                cell: ({ at }) => <Time at={at} />,
              },
            ]}
          />
        )}
      </Card>
    </>
  )
}
