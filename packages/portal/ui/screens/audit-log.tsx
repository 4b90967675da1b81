import type { AuditEntry } from '../api/types.ts'
import { now } from '../clock.ts'
import { en } from '../i18n/en.ts'
import { HOUR } from '../i18n/format.ts'
import { FilterBar, useFilters } from '../parts/filter.tsx'
import { Link } from '../parts/link.tsx'
import { Empty, List, useFound } from '../parts/list.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Time, TimeHead } from '../parts/time.tsx'
import { usePortal } from '../portal.ts'
import { useLoaded, usePages } from '../use-loaded.ts'
import { actionOf, Changes } from './audit-changes.tsx'
import { ExportAuditLog } from './audit-export.tsx'

const SPANS = ['24', '168', '720', 'all'] as const

/** Each has a text for the filter, which a test compares with the API's. */
const ACTIONS = Object.keys(en)
  .filter((key) => key.startsWith('audit.filter.'))
  .map((key) => key.slice('audit.filter.'.length) as AuditEntry['action'])

/** The most keys that the filter offers. */
const KEYS = 100

export function AuditLog() {
  const { t, client, me, endpoints } = usePortal()
  const [filters, choose] = useFilters(
    { action: '', about: '', person: '', span: 'all' },
    { span: SPANS, action: ACTIONS },
  )
  const { action, about, person, span } = filters
  const query = {
    action,
    resource_id: about,
    actor_id: person,
    since: span === 'all' ? undefined : new Date(now.value - Number(span) * HOUR).toISOString(),
  }
  const entries = usePages(`audit ${JSON.stringify(filters)}`, (page, signal) =>
    client.auditLog({ ...query, ...page }, signal),
  )
  useFound(filters, entries)
  const keys = useLoaded('keys of all', (signal) =>
    client.apiKeys.list({ owner: 'all', limit: KEYS }, signal),
  )
  const named = [...(endpoints.value ?? []), ...(keys.value?.items ?? [])]
  // Those with a name come last, and so replace the others.
  const people = new Map([
    [person, person] as const,
    [me.member_id, me.member_name ?? me.member_id] as const,
    ...(keys.value?.items ?? []).map(
      ({ owner_id, owner_name }) => [owner_id, owner_name ?? owner_id] as const,
    ),
    ...(entries.value ?? []).map(
      ({ actor_id, actor_name }) => [actor_id ?? '', actor_name ?? actor_id ?? ''] as const,
    ),
  ])
  people.delete('')
  const all = ['', t('filter.all')] as const
  return (
    <>
      <PageHead title={t('audit.title')} sub={t('audit.sub')} actions={<ExportAuditLog query={query} />} />
      <FilterBar
        filters={[
          {
            name: 'action',
            label: t('audit.action'),
            options: [all, ...ACTIONS.map((each) => [each, t(`audit.filter.${each}`)] as const)],
          },
          {
            name: 'about',
            label: t('audit.about'),
            options: [all, ...named.map(({ id, name }) => [id, name] as const)],
          },
          {
            name: 'person',
            label: t('audit.who'),
            options: [all, ...people],
          },
          {
            name: 'span',
            label: t('deliveries.time'),
            options: SPANS.map((each) => [each, t(`deliveries.span.${each}`)]),
          },
        ]}
        values={filters}
        onChange={choose}
      />
      <List
        name="audit"
        caption={t('audit.title')}
        loaded={entries}
        empty={<Empty title={t('audit.empty')} text={t('audit.empty.text')} />}
        columns={[
          { head: t('audit.what'), cell: (entry) => <What entry={entry} /> },
          { head: t('audit.changes'), class: 'changes', cell: (entry) => <Changes entry={entry} /> },
          {
            head: t('audit.who'),
            label: t('audit.who'),
            class: 'muted',
            // A member, by name if the host knows it; null: the service.
            cell: ({ actor_id: id, actor_name: name }) => (
              <span title={id ?? undefined}>{name ?? id ?? t('audit.service')}</span>
            ),
          },
          {
            head: t('audit.from'),
            class: 'muted mono phone-off',
            cell: ({ client_address }) => client_address ?? t('none'),
          },
          {
            head: <TimeHead label={t('deliveries.when')} />,
            class: 'muted end phone-end',
            cell: ({ created_at }) => <Time at={created_at} />,
          },
        ]}
      />
    </>
  )
}

/** What was done, with a link to what it was done to. */
function What({ entry }: { entry: AuditEntry }) {
  const { rich, endpoints } = usePortal()
  const { resource_type, resource_id, resource_name } = entry
  const isThere = endpoints.value?.some(({ id }) => id === resource_id)
  const to = isThere
    ? { view: 'endpoints', id: resource_id }
    : resource_type === 'api_key'
      ? { view: 'api-keys', query: { owner: 'all' } }
      : null
  const name = (
    <strong class="one-line" title={resource_name}>
      {resource_name}
    </strong>
  )
  return <>{rich(actionOf(entry), { name: to === null ? name : <Link to={to}>{name}</Link> })}</>
}
