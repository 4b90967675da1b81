import { useState } from 'preact/hooks'
import type { Attempt, CatalogEntry, WebhookEndpoint } from '../api/types.ts'
import { now } from '../clock.ts'
import { Breakable } from '../parts/breakable.tsx'
import { Button } from '../parts/button.tsx'
import { Card, Fact } from '../parts/card.tsx'
import { Copyable } from '../parts/copy.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Link } from '../parts/link.tsx'
import { Menu } from '../parts/menu.tsx'
import { Banner, ErrorNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { Unfound } from '../parts/unfound.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'
import { useLoaded } from '../use-loaded.ts'
import { CheckReceiver } from './check-receiver.tsx'
import { Health, LatestDeliveries } from './endpoint-health.tsx'
import { EndpointStatus, isUntried, pauseOf } from './endpoints.tsx'
import { HowToVerify } from './how-to-verify.tsx'
import { Replay, Replays } from './replay.tsx'
import { RotateSecret, signing } from './rotate-secret.tsx'
import { TestEndpoint } from './test-endpoint.tsx'

const REFRESH_MS = 30_000

type Open = 'catch-up' | 'test' | 'check' | 'rotate' | 'verify' | 'disable' | 'delete' | 'replay' | null

/** An endpoint: health, events, secret and settings. */
export function Endpoint({ id }: { id: string }) {
  const { t, client, navigation, mayChange, shows, announcer, endpoints } = usePortal()
  const [open, setOpen] = useState<Open>(null)
  const enabling = useAction()
  // Together, so that nothing moves when a part comes later.
  const loaded = useLoaded(
    `endpoint ${id}`,
    async (signal) => {
      const [endpoint, catalog] = await Promise.all([client.endpoints.get(id, signal), client.events()])
      // All that an untried endpoint has been sent is tests.
      const tests = isUntried(endpoint)
        ? (await client.deliveries.list({ endpoint_id: id, limit: 5 }, signal)).items
        : []
      // Not what a check wants the receiver to refuse.
      const lastTest = tests.find(({ check_kind }) => check_kind !== 'forged' && check_kind !== 'old')
      return { endpoint, catalog, lastTest: lastTest ?? null }
    },
    { everyMs: REFRESH_MS },
  )
  if (loaded.value === undefined) {
    return <Unfound title={t('endpoints.one')} view="endpoints" loaded={loaded} />
  }

  const { endpoint, catalog, lastTest } = loaded.value
  const isNew = isUntried(endpoint) && lastTest === null
  const close = () => setOpen(null)
  function changed(newer: WebhookEndpoint, text: string) {
    loaded.set({ endpoint: newer, catalog, lastTest })
    void endpoints.reload()
    announcer.say(text)
    close()
  }
  const enable = () =>
    void enabling.run(async () =>
      changed(await client.endpoints.update(id, { is_enabled: true }), t('endpoints.enabled')),
    )

  return (
    <>
      <PageHead
        title={endpoint.name}
        above={{ label: t('endpoints.title'), view: 'endpoints' }}
        sub={<Copyable text={endpoint.url} label={t('endpoints.url')} />}
        actions={
          mayChange && (
            <>
              <Button kind={isNew ? 'primary' : undefined} onClick={() => setOpen('test')}>
                {t('test.do')}
              </Button>
              <Button onClick={() => setOpen('check')}>{t('check.do')}</Button>
              <Button onClick={() => navigation.go({ view: 'endpoints', id, query: { edit: 'yes' } })}>
                {t('action.edit')}
              </Button>
              <Menu
                label={t('action.more', { name: endpoint.name })}
                items={[
                  { label: t('rotate.do'), run: () => setOpen('rotate') },
                  shows('replay') &&
                    endpoint.is_enabled && { label: t('replay.do'), run: () => setOpen('replay') },
                  endpoint.is_enabled
                    ? { label: t('endpoints.disable.do'), run: () => setOpen('disable') }
                    : { label: t('endpoints.enable'), run: enable },
                  { label: t('endpoints.delete.do'), isDanger: true, run: () => setOpen('delete') },
                ]}
              />
            </>
          )
        }
      />
      <ErrorNotice error={loaded.error} onRetry={() => void loaded.reload()} />
      <ErrorNotice error={enabling.error} />
      <Trouble
        endpoint={endpoint}
        onEnable={mayChange ? enable : undefined}
        onCatchUp={mayChange && shows('replay') ? () => setOpen('catch-up') : undefined}
        isTested={!isNew || !mayChange}
      />
      <div class="columns main-aside">
        <div>
          <Health id={id} />
          {shows('deliveries') && <LatestDeliveries id={id} />}
          <SubscribedEvents types={endpoint.events} catalog={catalog} />
          {shows('replay') && <Replays endpointId={id} version={open === 'replay'} />}
        </div>
        <div>
          <SecretCard
            endpoint={endpoint}
            onRotate={() => setOpen('rotate')}
            onVerify={() => setOpen('verify')}
          />
          <SettingsCard endpoint={endpoint} catalog={catalog} lastTest={lastTest} />
        </div>
      </div>
      {open !== null && (
        <OpenDialog
          open={open}
          endpoint={endpoint}
          onClose={close}
          onChanged={changed}
          onTested={() => void loaded.reload()}
        />
      )}
    </>
  )
}

function OpenDialog({
  open,
  endpoint,
  onClose,
  onChanged,
  onTested,
}: {
  open: NonNullable<Open>
  endpoint: WebhookEndpoint
  onClose: () => void
  /** @param text says what has changed */
  onChanged: (endpoint: WebhookEndpoint, text: string) => void
  onTested: () => void
}) {
  const { t, client, navigation, announcer, endpoints } = usePortal()
  const { id, name, url } = endpoint
  const props = { endpoint, onClose }
  switch (open) {
    case 'test':
      return <TestEndpoint {...props} onTested={onTested} />
    case 'check':
      return <CheckReceiver {...props} onTested={onTested} />
    case 'verify':
      return <HowToVerify {...props} />
    case 'catch-up':
      return <CatchUp {...props} />
    case 'replay':
      return <Replay endpoints={[endpoint]} onClose={onClose} />
    case 'rotate':
      return <RotateSecret {...props} onDone={(rotated) => onChanged(rotated, t('rotate.done'))} />
    case 'disable':
      return (
        <Confirm
          title={t('endpoints.disable.title', { name })}
          text={t('endpoints.disable.text')}
          submit={t('endpoints.disable')}
          onClose={onClose}
          work={async () =>
            onChanged(await client.endpoints.update(id, { is_enabled: false }), t('endpoints.disabled'))
          }
        />
      )
    case 'delete':
      return (
        <Confirm
          isDanger
          title={t('endpoints.delete.title', { name })}
          text={t('endpoints.delete.text', { url })}
          submit={t('endpoints.delete')}
          onClose={onClose}
          work={async () => {
            await client.endpoints.delete(id)
            void endpoints.reload()
            announcer.say(t('endpoints.deleted', { name }))
            navigation.go({ view: 'endpoints' }, { isDone: true })
          }}
        />
      )
  }
}

/** Enables an endpoint, and replays what it has missed since it was off, or failed. */
function CatchUp({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const { client } = usePortal()
  const { id, health, disabled_reason, updated_at } = endpoint
  const since = useLoaded(`off since ${id}`, async (signal) => {
    if (disabled_reason === 'failing' && health.failing_since !== null) return health.failing_since
    const query = { resource_id: id, action: 'webhook_endpoint.disabled', limit: 1 }
    const { items } = await client.auditLog(query, signal)
    return items[0]?.created_at ?? updated_at
  })
  if (since.value === undefined && since.error === undefined) return null
  const period = { span: 'own', since: since.value ?? updated_at, until: '' }
  return <Replay enables endpoints={[endpoint]} period={period} onClose={onClose} />
}

function SecretCard({
  endpoint,
  onRotate,
  onVerify,
}: {
  endpoint: WebhookEndpoint
  onRotate: () => void
  onVerify: () => void
}) {
  const { t, format, mayChange } = usePortal()
  return (
    <Card title={t('secret.title')}>
      <div class="card-body">
        <p>
          <code>{endpoint.secret_hint}</code>
        </p>
        <p class="muted">{t('secret.text')}</p>
        {signing(endpoint).map(({ secret_hint: hint, expires_at }) => (
          <p key={expires_at + hint} class="muted">
            {t('secret.overlap', { hint, until: format.exact(expires_at) })}
          </p>
        ))}
        <div class="actions start">
          {mayChange && <Button onClick={onRotate}>{t('rotate.do')}</Button>}
          <Button kind="quiet" onClick={onVerify}>
            {t('verify.do')}
          </Button>
        </div>
      </div>
    </Card>
  )
}

function SettingsCard({
  endpoint,
  catalog,
  lastTest,
}: {
  endpoint: WebhookEndpoint
  catalog: readonly CatalogEntry[]
  lastTest: Attempt | null
}) {
  const { t, format } = usePortal()
  const sources = catalog[0]?.source_addresses ?? []
  return (
    <Card title={t('endpoints.settings')}>
      <dl class="facts">
        <Fact name={t('endpoints.status')}>
          <EndpointStatus endpoint={endpoint} />
        </Fact>
        {lastTest && (
          <Fact name={t('test.last')}>
            <LastTest attempt={lastTest} />
          </Fact>
        )}
        <Fact name={t('endpoints.mode')}>{t(`endpoints.mode.${endpoint.trigger_mode}`)}</Fact>
        <Fact name={t('endpoints.ordering')}>{t(`endpoints.ordering.${endpoint.ordering}`)}</Fact>
        {endpoint.header_names.length > 0 && (
          <Fact name={t('endpoints.headers')}>
            <code>{endpoint.header_names.join(', ')}</code>
          </Fact>
        )}
        {endpoint.description !== null && endpoint.description !== '' && (
          <Fact name={t('endpoints.description')}>{endpoint.description}</Fact>
        )}
        {sources.length > 0 && <Fact name={t('endpoints.sources')}>{sources.join(', ')}</Fact>}
        <Fact name={t('endpoints.created')}>{format.date(endpoint.created_at)}</Fact>
      </dl>
    </Card>
  )
}

function LastTest({ attempt }: { attempt: Attempt }) {
  const { t, shows } = usePortal()
  const { status, http_status, created_at, delivery_id } = attempt
  const isGood = status === 'succeeded'
  const text = (
    <Status tone={isGood ? 'good' : 'bad'}>
      {t(isGood ? 'attempt.succeeded' : 'attempt.exhausted')}
      {http_status !== null && ` (${http_status})`}, <Time at={created_at} />
    </Status>
  )
  return shows('deliveries') ? <Link to={{ view: 'deliveries', id: delivery_id }}>{text}</Link> : text
}

/** Why nothing arrives, and how to fix it. */
function Trouble({
  endpoint,
  onEnable,
  onCatchUp,
  isTested,
}: {
  endpoint: WebhookEndpoint
  onEnable: (() => void) | undefined
  onCatchUp: (() => void) | undefined
  /** Whether a test has been sent. */
  isTested: boolean
}) {
  const { t, format, me, shows } = usePortal()
  const { is_enabled, disabled_reason, health, id } = endpoint
  const answers = shows('deliveries') && (
    <Link class="button" to={{ view: 'deliveries', query: { endpoint: id, show: 'all', span: 'all' } }}>
      {t('endpoints.failing.see')}
    </Link>
  )
  if (!is_enabled) {
    return (
      <Banner
        tone={disabled_reason === 'failing' ? 'bad' : 'plain'}
        badge={t('endpoints.status.disabled')}
        action={
          <>
            {disabled_reason === 'failing' && answers}
            {onEnable !== undefined && <Button onClick={onEnable}>{t('endpoints.enable')}</Button>}
            {onCatchUp !== undefined && (
              <Button kind="primary" onClick={onCatchUp}>
                {t('replay.catch-up')}
              </Button>
            )}
          </>
        }
      >
        {t(disabled_reason === 'failing' ? 'endpoints.disabled.failing' : 'endpoints.disabled.requested')}
        <ChangedBefore endpoint={endpoint} />
      </Banner>
    )
  }
  if (isUntried(endpoint) && !isTested) {
    return (
      <Banner tone="plain" badge={t('endpoints.status.untried')}>
        {t('endpoints.untried')}
      </Banner>
    )
  }
  const pause = pauseOf(endpoint)
  const paused = pause === null ? null : t('endpoints.paused', { time: format.time(pause) })
  if (health.failing_since === null) {
    return (
      paused && (
        <Banner tone="plain" badge={t('endpoints.paused.badge')}>
          {paused}
        </Banner>
      )
    )
  }
  const { disable_after_ms: disableAfterMs } = me.limits
  const end = new Date(Date.parse(health.failing_since) + disableAfterMs).toISOString()
  return (
    <Banner tone="warn" badge={t('endpoints.status.failing')} action={answers}>
      <strong>
        {t('endpoints.failing', { since: format.sinceInWords(health.failing_since, now.value) })}
      </strong>{' '}
      {disableAfterMs > 0 && t('endpoints.failing.end', { date: format.date(end) })} {paused}
      <ChangedBefore endpoint={endpoint} />
    </Banner>
  )
}

/** Who changed the endpoint last before it failed: before, which need not be the reason. */
function ChangedBefore({ endpoint: { id, health } }: { endpoint: WebhookEndpoint }) {
  const { t, format, shows } = usePortal()
  const { failing_since, changed_before_failing: change } = health
  if (change === null || failing_since === null) return null
  const text = t('endpoints.changed-before', {
    what: t(`audit.filter.${change.action}`),
    time: format.length(Date.parse(failing_since) - Date.parse(change.at)),
    who: change.actor_name ?? change.actor_id ?? t('audit.service'),
  })
  return (
    <>
      <br />
      {shows('audit-log') ? <Link to={{ view: 'audit-log', query: { about: id } }}>{text}</Link> : text}
    </>
  )
}

function SubscribedEvents({
  types,
  catalog,
}: {
  types: readonly string[]
  catalog: readonly CatalogEntry[]
}) {
  const { t } = usePortal()
  const descriptions = new Map(catalog.map(({ type, description }) => [type, description]))
  const count = t('endpoints.events.of', { chosen: types.length, all: catalog.length })
  return (
    <Card title={t('endpoints.events')} aside={<span class="muted">{count}</span>}>
      <ul class="event-list">
        {types.map((type) => (
          <li key={type}>
            <code>
              <Breakable text={type} />
            </code>
            <span class="muted">{descriptions.get(type)}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
