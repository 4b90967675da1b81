import type { AuditChange, AuditEntry } from '../api/types.ts'
import { now } from '../clock.ts'
import { Filter } from '../parts/field.tsx'
import { Empty, ListState } from '../parts/list-state.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Time, TimeHead } from '../parts/time.tsx'
import { usePortal } from '../portal.ts'
import { usePages } from '../use-loaded.ts'

const HOUR_MS = 60 * 60 * 1000
const SPANS = ['24', '168', '720', 'all'] as const

const ACTIONS = [
  'api_key.created',
  'api_key.updated',
  'api_key.activated',
  'api_key.deactivated',
  'api_key.revoked',
  'api_key.transferred',
  'webhook_endpoint.created',
  'webhook_endpoint.updated',
  'webhook_endpoint.disabled',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.deleted',
  'webhook_endpoint.tested',
  'webhook_endpoint.delivery_resent',
  'webhook_endpoint.replay_started',
  'quotation.erased',
  'organization.erased',
] as const

export function AuditLog() {
  const { t, client, navigation } = usePortal()
  const { query } = navigation.place.value
  const action = query['action'] ?? ''
  const span = SPANS.find((each) => each === query['span']) ?? 'all'
  const choose = (change: { action?: string; span?: string }) => {
    const chosen = { action, span, ...change }
    navigation.go(
      {
        view: 'audit-log',
        query: {
          ...(chosen.action === '' ? {} : { action: chosen.action }),
          ...(chosen.span === 'all' ? {} : { span: chosen.span }),
        },
      },
      { replace: true },
    )
  }
  const entries = usePages(`audit ${action} ${span}`, (page, signal) =>
    client.auditLog(
      {
        action,
        since: span === 'all' ? undefined : new Date(now.value - Number(span) * HOUR_MS).toISOString(),
        ...page,
      },
      signal,
    ),
  )
  return (
    <>
      <PageHead title={t('audit.title')} sub={t('audit.sub')} />
      <div class="filters">
        <Filter
          label={t('audit.action')}
          value={action}
          options={[
            ['', t('filter.all')],
            ...ACTIONS.map((each): [string, string] => [each, t(`audit.filter.${each}`)]),
          ]}
          onChange={(value) => choose({ action: value })}
        />
        <Filter
          label={t('deliveries.time')}
          value={span}
          options={SPANS.map((each) => [each, t(`deliveries.span.${each}`)])}
          onChange={(value) => choose({ span: value })}
        />
      </div>
      <ListState loaded={entries} empty={<Empty title={t('audit.empty')} text={t('audit.empty.text')} />}>
        {(items) => (
          <table class="audit">
            <caption class="hidden">{t('audit.title')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('audit.what')}</th>
                <th scope="col">{t('audit.changes')}</th>
                <th scope="col">{t('audit.who')}</th>
                <th scope="col">{t('audit.from')}</th>
                <th scope="col" class="end">
                  <TimeHead label={t('deliveries.when')} />
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((entry) => (
                <Row key={entry.id} entry={entry} />
              ))}
            </tbody>
          </table>
        )}
      </ListState>
    </>
  )
}

function Row({ entry }: { entry: AuditEntry }) {
  const { t, has, rich } = usePortal()
  const key = `audit.${entry.action}`
  return (
    <tr>
      <th scope="row">
        {has(key)
          ? rich(key, { name: <strong>{entry.resource_name}</strong> })
          : `${entry.action} ${entry.resource_name}`}
      </th>
      <td class="changes">
        <Changes entry={entry} />
      </td>
      <td class="muted labelled" data-label={t('audit.who')}>
        {entry.actor_id ?? t('audit.service')}
      </td>
      <td class="muted mono phone-off">{entry.client_address ?? t('none')}</td>
      <td class="muted end phone-end">
        <Time at={entry.created_at} />
      </td>
    </tr>
  )
}

/** The most that are shown of one entry before somebody asks for the others. */
const MOST_SHOWN = 3

function Changes({ entry }: { entry: AuditEntry }) {
  const { t, format } = usePortal()
  const changes = changesOf(entry)
  if (changes.length === 0) return <span class="muted">{t('none')}</span>
  const rest = changes.slice(MOST_SHOWN)
  return (
    <>
      <ul>{changes.slice(0, MOST_SHOWN).map(lineOf)}</ul>
      {rest.length > 0 && (
        <details>
          <summary>{t('audit.more', { count: rest.length })}</summary>
          <ul>{rest.map(lineOf)}</ul>
        </details>
      )}
    </>
  )

  function lineOf({ field, from, to }: AuditChange) {
    return (
      <li key={field}>
        <code>{field}</code>{' '}
        {from !== undefined && from !== null && (
          <>
            <del>{textOf(from)}</del> <span aria-hidden="true">→</span>{' '}
          </>
        )}
        {to !== undefined && to !== null && <ins>{textOf(to)}</ins>}
      </li>
    )
  }

  function textOf(value: NonNullable<AuditChange['to']>): string {
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
    if (typeof value !== 'string') return value.join(', ')
    return TIMESTAMP.test(value) ? format.exact(value) : value
  }
}

/** Of something new: what it was given, but for its name, which the entry begins with. */
function changesOf({ action, changes }: AuditEntry): readonly AuditChange[] {
  if (!action.endsWith('.created')) return changes
  return changes.filter(({ field, to }) => field !== 'name' && to !== undefined && to !== null)
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
