import { ERASED, type LeftToHost } from '@quickquote/core/internal'
import { getTableName } from 'drizzle-orm'
import {
  bool,
  int,
  json,
  millisOf,
  nullable,
  oneOf,
  type Statement,
  statement,
  text,
  time,
  uuid,
} from '../connection/statement.ts'
import { WITHOUT_SECRETS } from '../endpoints/webhook-endpoints.sql.ts'
import { createTables } from '../schema.ts'
import { type OrganizationRows, SCHEMA_NOTES } from '../schema-notes.ts'

export const ERASE_HISTORY = statement(
  { events: int, deliveries: int, attempts: int },
  `select events, deliveries, attempts from $schema.erase_history_of_quotation($organization_id, $quotation_id, $since)`,
)

/** All that remains of an erased organization. */
function hashOf(organizationId: string): string {
  return `sha256(convert_to(${organizationId}::uuid::text, 'UTF8'))`
}

/** Reads the audit log. */
export const FIND_ERASED = statement(
  { id: uuid },
  `select quotation.id
    from unnest($ids::uuid[], $organization_ids::uuid[], $since::timestamptz[]) as quotation (id, organization_id, since)
    where exists (
      select from $schema.audit_log entry
      where entry.resource_id = quotation.id and entry.organization_id = quotation.organization_id
        and entry.action = 'quotation.erased'
    ) or exists (
      select from $schema.erased_organizations erased
      where organization_hash = ${hashOf('quotation.organization_id')}
        and (erased.organization_id is not null or finished_at >= quotation.since)
    )`,
)

/** The tables with rows of an organization, in the order of erasing. */
const TABLES = Object.entries(createTables()).flatMap(([key, table]) => {
  const { rows } = SCHEMA_NOTES[key as keyof typeof SCHEMA_NOTES]
  return rows === null || rows === 'cascade' ? [] : [{ name: getTableName(table), rows }]
})

const whereOf = ({ where = 'organization_id = $organization_id' }: OrganizationRows) => where

/** Whether the organization has a row anywhere. In a kept audit log, only entries with more than actors and times count. */
function isLeft(keepsAuditLog: string): string {
  const found = TABLES.map(({ name, rows }) => {
    const kept = `not (${keepsAuditLog} and resource_name = '${ERASED}' and changes = '[]' and client_address is null)`
    const condition = whereOf(rows) + (name === 'audit_log' ? ` and ${kept}` : '')
    return `exists (select from $schema.${name} where ${condition})`
  })
  return `(${found.join('\n      or ')})`
}

/** In progress, or ended and nothing has been added since. */
export const IS_BEGUN = statement(
  { begun: bool },
  `select exists (
      select from $schema.erased_organizations erased where organization_hash = ${hashOf('$organization_id')}
        and (erased.organization_id is not null
          or left_to_host = '[]' and not ${isLeft('$keeps_audit_log::boolean')})
    ) as begun`,
)

/** From its commit on, nothing of the organization is accepted. */
export const BEGIN_ERASURE = statement(
  {},
  `insert into $schema.erased_organizations as erased (organization_hash, organization_id, keeps_audit_log,
      requested_at, due_at)
    values (${hashOf('$organization_id')}, $organization_id, $keeps_audit_log, $now, now())
    on conflict (organization_hash) do update set organization_id = excluded.organization_id,
      keeps_audit_log = excluded.keeps_audit_log, removed = '{}', left_to_host = null,
      requested_at = excluded.requested_at, finished_at = null, open_then = null, due_at = excluded.due_at
    where erased.organization_id is null`,
)

/** Locks them in the order of their ids. Only while the organization is being erased. */
export const END_ENDPOINTS = statement(
  {},
  `with endpoint as (
      select id from $schema.webhook_endpoints
      where organization_id = $organization_id and deleted_at is null
        and exists (select from $schema.erased_organizations where organization_id = $organization_id)
      order by id for no key update
    )
    update $schema.webhook_endpoints ended set deleted_at = now(), updated_at = now(), version = version + 1,
      ${WITHOUT_SECRETS}
    from endpoint where ended.id = endpoint.id`,
)

export const FIND_ERASURE = statement(
  {
    status: oneOf<'erasing' | 'sweeping' | 'erased'>(),
    removed: json<Readonly<Record<string, number>>>(),
    left_to_host: json<readonly LeftToHost[]>(),
    started_at: time,
    erased_at: nullable(time),
  },
  `select case when organization_id is null then 'erased' when finished_at is null then 'erasing'
        else 'sweeping' end as status,
      removed::text, coalesce(left_to_host, '[]')::text as left_to_host, ${millisOf('requested_at')} as started_at,
      case when organization_id is null then ${millisOf('finished_at')} end as erased_at
    from $schema.erased_organizations where organization_hash = ${hashOf('$organization_id')}`,
)

export const FIND_ERASING = statement(
  { id: uuid },
  `select organization_id as id from $schema.erased_organizations
    where organization_id = any ($organization_ids::uuid[])`,
)

/**
 * Whether a transaction that may still commit something is open: one of those that were open when nothing was left, or a
 * prepared one, which has lost its name in `pg_locks`.
 */
const OPEN = `(exists (select from pg_locks where virtualtransaction = any (erased.open_then))
      or exists (select from pg_prepared_xacts where database = current_database()))`

/** An organization has a batch to erase. */
export const IS_TO_ERASE = `organization_id is not null
      and (due_at <= now() or finished_at is not null and not ${OPEN})`

/** Passes over those that another process is at. */
export const NEXT_ERASURE = statement(
  { organization_id: uuid, is_host_asked: bool },
  `select organization_id, left_to_host is not null as is_host_asked
    from $schema.erased_organizations erased
    where ${IS_TO_ERASE}
    order by due_at limit 1 for update skip locked`,
)

export const LOCK_ERASURE = statement(
  { finished: bool },
  `select finished_at is not null as finished from $schema.erased_organizations
    where organization_id = $organization_id for update skip locked`,
)

type Removal = Statement<{ removed: typeof int }>

function removalOf(name: string, rows: OrganizationRows): Removal {
  if (rows.by === 'history') {
    return statement(
      { removed: int },
      `select $schema.erase_history_of_organization($organization_id, '${name}', $limit) as removed`,
    )
  }
  const conditions = [whereOf(rows), rows.deletable ?? []].flat()
  const queued = `, files as (
      ${rows.files}
    ), queued as (
      insert into $schema.uploads (id, organization_id, created_at, abandoned_at)
      select id, $organization_id::uuid, 'epoch', now() from files
      on conflict (id) do nothing
    )`
  return statement(
    { removed: int },
    `with chosen as materialized (
      select ctid as place${rows.files === undefined ? '' : ', id'} from $schema.${name} where ${conditions.join('\n        and ')}
      limit $limit for update skip locked
    )${rows.files === undefined ? '' : queued}, removed as (
      delete from $schema.${name} where ctid = any (array(select place from chosen))
      returning 1
    )
    select count(*)::int as removed from removed`,
  )
}

/** Bytes without a record, such as those of files of the host's quotations: they are deleted with the other files. */
const QUEUE_STRAYS = statement(
  { removed: int },
  `with queued as (
      insert into $schema.uploads (id, organization_id, created_at, abandoned_at)
      select file_id, $organization_id, 'epoch', now() from $schema.file_chunks chunk
      where organization_id = $organization_id and position = 0
        and not exists (select from $schema.uploads where id = chunk.file_id)
      limit $limit
      on conflict (id) do nothing
    )
    select 0 as removed`,
)

const REMOVALS = TABLES.flatMap(({ name, rows }) => {
  if (rows.by !== 'with_files') return [{ name, removal: removalOf(name, rows) }]
  return name === 'file_chunks' ? [{ name, removal: QUEUE_STRAYS }] : []
})

/** Removes at most `$limit` rows of a table. The audit log comes last. */
export const REMOVE_ROWS = REMOVALS.filter(({ name }) => name !== 'audit_log')
export const REMOVE_AUDIT_LOG = REMOVALS.filter(({ name }) => name === 'audit_log')

/** How an erasure goes on. Whatever was removed, it cannot end before it has looked again, twice. */
function counting(removed: string): string {
  return `removed = (
        select coalesce(jsonb_object_agg(name, rows), '{}') from (
          select key as name, sum(value::int)::int as rows from (
            select * from jsonb_each_text(erased.removed) union all select * from jsonb_each_text(${removed})
          ) counted
          group by key
        ) counts
      ),
      finished_at = case when ${removed} = '{}' then finished_at end,
      open_then = case when ${removed} = '{}' then open_then end,
      left_to_host = case when ${removed} - 'audit_log' = '{}' then left_to_host end,
      due_at = clock_timestamp()`
}

export const COUNT_REMOVED = statement(
  {},
  `update $schema.erased_organizations erased set ${counting('$removed::text::jsonb')}
    where organization_id = $organization_id`,
)

export const SET_LEFT_TO_HOST = statement(
  {},
  `update $schema.erased_organizations set left_to_host = $left_to_host::text::jsonb
    where organization_id = $organization_id`,
)

/** An upload that may still be in progress: it is recorded every ten minutes. */
const IS_LIVE = `received_at is null and created_at > now() - interval '1 hour'`

/** Abandons the next files. Those still being uploaded come again after a minute. */
export const FIND_FILES = statement(
  { id: uuid },
  `update $schema.uploads set abandoned_at = now() where id = any (array(
      select id from $schema.uploads
      where organization_id = $organization_id
        and (abandoned_at is null or not (${IS_LIVE}) or abandoned_at < now() - interval '1 minute')
      order by abandoned_at nulls first limit $limit for update skip locked
    ))
    returning id`,
)

/**
 * Removes the records of files whose bytes are deleted. Those of uploads in progress stay: if the process that receives
 * one dies, its bytes are deleted again once the record is an hour old.
 */
export const FORGET_FILES = statement(
  { removed: int },
  `with gone as (
      delete from $schema.uploads
      where id = any ($ids::uuid[]) and organization_id = $organization_id and not (${IS_LIVE})
      returning 1
    ), counted as (
      select count(*)::int as rows,
        case when count(*) = 0 then '{}'::jsonb else jsonb_build_object('uploads', count(*)) end as removed from gone
    )
    update $schema.erased_organizations erased set ${counting('counted.removed')}
    from counted where organization_id = $organization_id
    returning counted.rows as removed`,
)

export const COUNT_OF_ORGANIZATION = statement(
  { name: text, rows: int },
  TABLES.map(
    ({ name, rows }) =>
      `select '${name}' as name, count(*)::int as rows from $schema.${name} where ${whereOf(rows)}`,
  ).join('\n    union all '),
)

/** In `$ms`, unless what it waits for ends earlier. */
export const POSTPONE_ERASURE = statement(
  {},
  `update $schema.erased_organizations
    set due_at = clock_timestamp() + $ms::int * interval '1 millisecond'
    where organization_id = $organization_id`,
)

export const IS_OPEN = statement(
  { open: bool },
  `select ${OPEN} as open from $schema.erased_organizations erased
    where organization_id = $organization_id`,
)

const lookAndSet = (changes: string) =>
  statement(
    { left: bool },
    `with look as (
      select ${isLeft('keeps_audit_log')} as is_left, array(
        select virtualtransaction from pg_locks join pg_stat_activity using (pid)
        where locktype = 'virtualxid' and datname = current_database() and pid <> pg_backend_pid()
      ) as open
      from $schema.erased_organizations where organization_id = $organization_id
    )
    update $schema.erased_organizations set finished_at = case when not is_left then now() end, ${changes}
    from look where organization_id = $organization_id
    returning is_left as left`,
  )

/**
 * The first look. A transaction that can still add something has a snapshot older than this statement's. So it is among
 * the open ones, or it has ended since and the second look sees its rows.
 */
export const LOOK = lookAndSet('open_then = case when not is_left then open end')

/** The second look, after none of those transactions was open any more: a separate statement, which sees their rows. */
export const LOOK_AGAIN =
  lookAndSet(`organization_id = case when is_left then organization_id end, open_then = null,
      left_to_host = case when not is_left then left_to_host end`)
