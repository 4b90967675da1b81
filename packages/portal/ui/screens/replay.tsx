import { useState } from 'preact/hooks'
import type { ReplayCount, ReplayInput, Replay as ReplayOf, WebhookEndpoint } from '../api/types.ts'
import { now } from '../clock.ts'
import { DAY, HOUR } from '../i18n/format.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { FormDialog, InfoDialog } from '../parts/dialog.tsx'
import { Choice, SelectField } from '../parts/field.tsx'
import { Link } from '../parts/link.tsx'
import { MomentField } from '../parts/moment.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { Time } from '../parts/time.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'
import { useLoaded } from '../use-loaded.ts'

const POLL_MS = 1000
const SPANS = ['1', '24', '168', 'own'] as const

/** Starts a replay: endpoint, period and status, with a count; then shows its progress. */
export function Replay({
  endpoints,
  endpointId,
  period,
  enables = false,
  onClose,
}: {
  endpoints: readonly WebhookEndpoint[]
  endpointId?: string
  /** The period that is offered first. */
  period?: { readonly span: string; readonly since: string; readonly until: string; readonly type?: string }
  /** Enables the endpoint before. */
  enables?: boolean
  onClose: () => void
}) {
  const { t, client, me, endpoints: known } = usePortal()
  const first = endpoints.find(({ is_enabled }) => is_enabled) ?? endpoints[0]
  const [id, setId] = useState(endpoints.find((each) => each.id === endpointId)?.id ?? first?.id ?? '')
  const isDisabled = endpoints.find((each) => each.id === id)?.is_enabled === false && !enables
  const [span, setSpan] = useState<(typeof SPANS)[number]>(
    period === undefined ? '24' : (SPANS.find((each) => each === period.span) ?? 'own'),
  )
  const [from, setFrom] = useState(
    period?.since ||
      new Date(now.value - (period?.span === 'all' ? me.limits.event_days : 1) * DAY).toISOString(),
  )
  const [until, setUntil] = useState(period?.until ?? '')
  const [type, setType] = useState(period?.type ?? '')
  const catalog = useLoaded('catalog', client.events)
  const [status, setStatus] = useState<ReplayInput['status']>('missed')
  const [started, setStarted] = useState<ReplayOf | null>(null)
  const [opened] = useState(() => now.value)
  const action = useAction()

  const since = span === 'own' ? from : String(span)
  const range = {
    since: span === 'own' ? from : new Date(opened - Number(span) * HOUR).toISOString(),
    ...(span === 'own' && until !== '' ? { until } : {}),
    status,
    ...(type !== '' && { event_type: type }),
  }
  const count = useLoaded(`count ${id} ${since} ${until} ${status} ${type}`, (signal) =>
    client.replays.count(id, range, signal),
  )

  const countText = ({ events, is_more }: ReplayCount) =>
    events === 0
      ? t('replay.count.none')
      : t(is_more ? 'replay.count.more' : 'replay.count', { count: events })

  if (started !== null) return <Progress started={started} onClose={onClose} />
  return (
    <FormDialog
      title={t(enables ? 'replay.catch-up' : 'replay.title')}
      submit={t(enables ? 'replay.catch-up.start' : 'replay.start')}
      isDisabled={!isDisabled && !enables && count.value?.events === 0}
      action={action}
      onClose={onClose}
      onSubmit={async () => {
        if (enables) {
          await client.endpoints.update(id, { is_enabled: true })
          void known.reload()
        }
        setStarted(await client.replays.start(id, range))
      }}
    >
      <p class="lead">{t('replay.text')}</p>
      {endpoints.length > 1 && (
        <SelectField
          label={t('deliveries.endpoint')}
          value={id}
          options={endpoints.map((each) => [
            each.id,
            each.is_enabled ? each.name : t('replay.disabled', { name: each.name }),
          ])}
          onInput={setId}
        />
      )}
      <SelectField
        label={t('deliveries.time')}
        value={span}
        options={SPANS.map((value) => [value, t(`deliveries.span.${value}`)])}
        hint={t('replay.kept', { count: me.limits.event_days })}
        error={action.fieldError('since') ?? action.fieldError('until')}
        onInput={setSpan}
      />
      {span === 'own' && (
        <div class="pair">
          <MomentField label={t('replay.since')} value={from} onInput={setFrom} />
          <MomentField
            label={t('replay.until')}
            isOptional={t('replay.until.now')}
            value={until}
            onInput={setUntil}
          />
        </div>
      )}
      <SelectField
        label={t('deliveries.event')}
        value={type}
        options={[
          ['', t('filter.all')],
          ...(catalog.value ?? []).map((each) => [each.type, each.type] as const),
        ]}
        onInput={setType}
      />
      <Choice
        legend={t('replay.which')}
        value={status}
        onChange={setStatus}
        options={(['missed', 'failed', 'all'] as const).map((value) => ({
          value,
          label: t(`replay.which.${value}`),
          hint: t(`replay.which.${value}.hint`),
        }))}
      />
      <p class="count" aria-live="polite">
        {isDisabled
          ? t('conflict.disabled')
          : count.value === undefined
            ? count.error === undefined && t('replay.counting')
            : countText(count.value)}
      </p>
    </FormDialog>
  )
}

/** The progress of a replay, which continues without this dialog. */
function Progress({ started, onClose }: { started: ReplayOf; onClose: () => void }) {
  const { t, client, mayChange, shows } = usePortal()
  const stopping = useAction()
  const replay = useLoaded(
    `replay ${started.id}`,
    (signal) => client.replays.get(started.endpoint_id, started.id, signal),
    { everyMs: POLL_MS, until: (shown) => shown.state !== 'running' },
  )
  const { state, progress, resent } = replay.value ?? started
  const stop = () =>
    stopping.run(async () => replay.set(await client.replays.stop(started.endpoint_id, started.id)))
  return (
    <InfoDialog
      title={t(`replay.${state}`)}
      onClose={onClose}
      actions={
        state === 'running' &&
        mayChange && (
          <Button isBusy={stopping.isRunning} onClick={() => void stop()}>
            {t('replay.stop')}
          </Button>
        )
      }
    >
      <progress
        value={state === 'completed' ? 1 : progress.examined}
        max={state === 'completed' ? 1 : Math.max(1, progress.total)}
        aria-label={t('replay.progress')}
      />
      <p aria-live="polite">{t('replay.resent', { count: resent })}</p>
      {state !== 'completed' && <p class="muted">{t(`replay.${state}.text`)}</p>}
      {resent > 0 && shows('deliveries') && (
        <p>
          <Link
            to={{
              view: 'deliveries',
              query: { endpoint: started.endpoint_id, span: 'own', since: started.created_at },
            }}
          >
            {t('replay.see')}
          </Link>
        </p>
      )}
      <ErrorNotice error={replay.error ?? stopping.error} onRetry={() => void replay.reload()} />
    </InfoDialog>
  )
}

/** The replays of an endpoint; each shows its progress. Nothing, where there was none. */
export function Replays({ endpointId, version }: { endpointId: string; version: unknown }) {
  const { t, rich, client, format } = usePortal()
  const [open, setOpen] = useState<ReplayOf | null>(null)
  const replays = useLoaded(`replays ${endpointId} ${version} ${open?.id}`, (signal) =>
    client.replays.list(endpointId, signal),
  )
  if (open !== null) return <Progress started={open} onClose={() => setOpen(null)} />
  if ((replays.value?.length ?? 0) === 0) return null
  return (
    <Card title={t('replay.history')}>
      <ul class="event-list">
        {replays.value?.map((each) => (
          <li key={each.id}>
            <span>
              <button type="button" class="link" onClick={() => setOpen(each)}>
                {t(`replay.${each.state}`)}
              </button>
              , <Time at={each.created_at} />
            </span>
            <span class="muted">
              {rich('replay.of', {
                which: t(`replay.which.${each.status}`),
                since: format.hour(each.since),
                until: format.hour(each.until),
              })}{' '}
              · {t('replay.resent', { count: each.resent })}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
