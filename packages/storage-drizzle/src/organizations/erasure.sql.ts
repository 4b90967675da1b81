import { ERASED, ERASURE_PHASES, type ErasurePhase } from '@quickquote/core/internal'
import { millisOf } from '../connection/readable.ts'
import {
  bool,
  int,
  jsonb,
  millis,
  nullable,
  oneOf,
  type Statement,
  statement,
  text,
  uuid,
} from '../connection/statement.ts'

export const ERASE_HISTORY = statement(
  { events: int, deliveries: int, attempts: int },
  (schema) =>
    `select events, deliveries, attempts from ${schema}.erase_history_of_quotation($organization_id, $quotation_id, $since)`,
)

/** All that remains of an erased organization. */
function hashOf(organizationId: string): string {
  return `sha256(convert_to(${organizationId}::uuid::text, 'UTF8'))`
}

/** Reads the audit log. */
export const FIND_ERASED = statement(
  { id: uuid },
  (schema) => `select quotation.id
    from unnest($ids::uuid[], $organization_ids::uuid[], $since::timestamptz[]) as quotation (id, organization_id, since)
    where exists (
      select from ${schema}.audit_log entry
      where entry.resource_id = quotation.id and entry.organization_id = quotation.organization_id
        and entry.action = 'quotation.erased'
    ) or exists (
      select from ${schema}.erasures
      where organization_hash = ${hashOf('quotation.organization_id')} and (erased_at is null or erased_at >= quotation.since)
    )`,
)

/**
 * Whether the organization has data: everything else depends on these tables. In an audit log that is kept, only entries
 * with more than actors and times count.
 */
function isLeft(schema: string, keepsAuditLog: string): string {
  const tables = [
    'api_keys',
    'quotations',
    'uploads',
    'file_chunks',
    'webhook_endpoints',
    'events',
    'replays',
    'warnings',
  ]
  const some = (table: string, condition = 'true') =>
    `exists (select from ${schema}.${table} where organization_id = $organization_id and ${condition})`
  return `(${[
    ...tables.map((table) => some(table)),
    `exists (select from ${schema}.pipeline_starts where (quote ->> 'organization_id')::uuid = $organization_id)`,
    some('audit_log', `(not ${keepsAuditLog} or resource_name <> '${ERASED}')`),
  ].join('\n      or ')})`
}

/** In progress, or ended and nothing has been added since. */
export const IS_BEGUN = statement(
  { begun: bool },
  (schema) => `select exists (
      select from ${schema}.erasures where organization_hash = ${hashOf('$organization_id')}
        and (erased_at is null or left_to_host = '[]' and not ${isLeft(schema, '$keeps_audit_log::boolean')})
    ) as begun`,
)

/** Blocks inserts during the erasing. */
export const BEGIN_ERASURE = statement(
  { began: bool },
  (schema) => `with begun as (
      insert into ${schema}.erasures as erasure (organization_hash, organization_id, keeps_audit_log, phase, started_at, updated_at)
      values (${hashOf('$organization_id')}, $organization_id, $keeps_audit_log, '${ERASURE_PHASES[0]}', $now, $now)
      on conflict (organization_hash) do update set organization_id = excluded.organization_id,
        keeps_audit_log = excluded.keeps_audit_log, phase = excluded.phase, removed = '{}', left_to_host = '[]',
        started_at = excluded.started_at, updated_at = excluded.updated_at, erased_at = null
      where erasure.erased_at is not null
      returning 1
    ), keys as (
      update ${schema}.api_keys set status = 'revoked', updated_at = $now
      where organization_id = $organization_id and status <> 'revoked'
    ), endpoints as (
      update ${schema}.webhook_endpoints set deleted_at = $now, updated_at = $now, version = version + 1,
        secret_ciphertext = null, secret_key_id = null, previous_secret_ciphertext = null, previous_secret_key_id = null,
        previous_secret_expires_at = null, header_names = '{}', headers_ciphertext = null, headers_key_id = null
      where organization_id = $organization_id and deleted_at is null
    ), replays as (
      update ${schema}.replays set state = 'stopped', updated_at = $now
      where organization_id = $organization_id and state = 'running'
    )
    select exists (select from begun) as began`,
)

export const FIND_ERASURE = statement(
  {
    phase: oneOf<ErasurePhase>(),
    removed: jsonb<Readonly<Record<string, number>>>(),
    left: jsonb<readonly ('quotations' | 'files')[]>(),
    started: millis,
    erased: nullable(millis),
  },
  (schema) => `select phase, removed, left_to_host as left, ${millisOf('started_at')} as started,
      ${millisOf('erased_at')} as erased
    from ${schema}.erasures where organization_hash = ${hashOf('$organization_id')}`,
)

export const FIND_ERASING = statement(
  { id: uuid },
  (schema) =>
    `select organization_id as id from ${schema}.erasures where organization_id = any ($organization_ids::uuid[])`,
)

export const NEXT_ERASURE = statement(
  { organization: uuid, phase: oneOf<ErasurePhase>(), keeps: bool },
  (schema) => `select organization_id as organization, phase, keeps_audit_log as keeps from ${schema}.erasures
    where organization_id is not null order by updated_at limit 1`,
)

export function phaseAfter(phase: ErasurePhase): ErasurePhase {
  return ERASURE_PHASES[ERASURE_PHASES.indexOf(phase) + 1] ?? 'end'
}

export const LOCK_ERASURE = statement(
  { phase: text },
  (schema) =>
    `select phase from ${schema}.erasures where organization_id = $organization_id and phase = $phase for update`,
)

/** Adds the removed rows to the erasure's count; a phase that is over is followed by the next. */
function counting(schema: string, phase: ErasurePhase, isOver: string): string {
  return `update ${schema}.erasures erasure set
      removed = case when counted.removed = 0 then erasure.removed else erasure.removed || jsonb_build_object(
        '${phase}', coalesce((erasure.removed ->> '${phase}')::int, 0) + counted.removed) end,
      phase = case when ${isOver} then '${phaseAfter(phase)}' else phase end,
      updated_at = clock_timestamp()
    from counted where organization_id = $organization_id and phase = '${phase}'
    returning ${isOver} as over`
}

type Batch = Statement<{ over: typeof bool }>

/**
 * Removes rows of a table. `condition` finds those of the organization; `key` identifies rows, so that a row that is
 * being changed is waited for and removed.
 */
function removing(table: ErasurePhase, key: string, condition: (schema: string) => string): Batch {
  return statement(
    { over: bool },
    (schema) => `with removed as (
        delete from ${schema}.${table} where ${condition(schema)} and ${key} = any (array(
          select ${key} from ${schema}.${table} where ${condition(schema)} limit $limit
        ))
        returning 1
      ), counted as (select count(*)::int as removed from removed)
      ${counting(schema, table, 'counted.removed < $limit')}`,
  )
}

/** Rows of history: see the function. */
function removingHistory(table: ErasurePhase): Batch {
  return statement(
    { over: bool },
    (schema) => `with counted as (
        select ${schema}.erase_history_of_organization($organization_id, '${table}', $limit) as removed
      )
      ${counting(schema, table, 'counted.removed < $limit')}`,
  )
}

const ofOrganization = () => 'organization_id = $organization_id'
const ofItsEndpoints = (schema: string) =>
  `endpoint_id in (select id from ${schema}.webhook_endpoints where organization_id = $organization_id)`

/** The phases that only need statements. */
export const ERASE_BATCH: Readonly<Partial<Record<ErasurePhase, Batch>>> = {
  waiting: statement(
    { over: bool },
    (schema) => `with counted as (select 0 as removed, ${schema}.nobody_adds_to($organization_id) as alone)
      ${counting(schema, 'waiting', 'counted.alone')}`,
  ),
  idempotency_keys: removing('idempotency_keys', 'key', ofOrganization),
  quotations: statement(
    { over: bool },
    (schema) => `with chosen as (
        select id from ${schema}.quotations where organization_id = $organization_id limit $limit
      ), files as (
        insert into ${schema}.uploads (id, organization_id, created_at, abandoned_at)
        select file.id, $organization_id, 'epoch', now()
        from chosen join ${schema}.quotation_files file on file.quotation_id = chosen.id
        on conflict (id) do nothing
      ), removed as (
        delete from ${schema}.quotations where id = any (array(select id from chosen)) returning 1
      ), counted as (select count(*)::int as removed from removed)
      ${counting(schema, 'quotations', 'counted.removed < $limit')}`,
  ),
  pipeline_starts: removing(
    'pipeline_starts',
    'quotation_id',
    () => `(quote ->> 'organization_id')::uuid = $organization_id`,
  ),
  events: removingHistory('events'),
  deliveries: removing('deliveries', 'id', ofOrganization),
  delivery_attempts: removingHistory('delivery_attempts'),
  event_sequences: removing('event_sequences', 'quotation_id', ofOrganization),
  replays: removing('replays', 'id', ofOrganization),
  warnings: removing('warnings', 'id', ofOrganization),
  endpoint_health: removing('endpoint_health', 'endpoint_id', ofItsEndpoints),
  // An endpoint has several rows.
  delivery_hours: removing('delivery_hours', 'endpoint_id', ofItsEndpoints),
  webhook_endpoints: removing('webhook_endpoints', 'id', ofOrganization),
  api_keys: removing('api_keys', 'id', ofOrganization),
  feed_floors: removingHistory('feed_floors'),
  // Files that belong to no upload and none of our quotations, such as files of the host's quotations.
  file_chunks: statement(
    { over: bool },
    (schema) => `with strays as (
        insert into ${schema}.uploads (id, organization_id, created_at, abandoned_at)
        select file_id, organization_id, 'epoch', now() from ${schema}.file_chunks
        where organization_id = $organization_id and position = 0
        on conflict (id) do nothing
      ), counted as (select 0 as removed)
      ${counting(schema, 'file_chunks', 'true')}`,
  ),
  audit_log: removingHistory('audit_log'),
}

const COUNTED = [
  'quotations',
  'events',
  'deliveries',
  'delivery_attempts',
  'replays',
  'warnings',
  'webhook_endpoints',
  'api_keys',
  'uploads',
  'audit_log',
] as const

export const COUNT_OF_ORGANIZATION = statement({ name: text, rows: int }, (schema) =>
  COUNTED.map(
    (table) =>
      `select '${table}' as name, count(*)::int as rows from ${schema}.${table} where organization_id = $organization_id`,
  ).join('\n    union all '),
)

export const END_PHASE = statement(
  {},
  (schema) => `update ${schema}.erasures set
      removed = case when $removed::int = 0 then removed else removed || jsonb_build_object(
        $phase::text, coalesce((removed ->> $phase::text)::int, 0) + $removed::int) end,
      phase = coalesce($next, phase), updated_at = clock_timestamp(),
      left_to_host = coalesce($left_to_host::text::jsonb, left_to_host)
    where organization_id = $organization_id and phase = $phase::text`,
)

export const FIND_FILES = statement(
  { id: uuid },
  (schema) => `select id from ${schema}.uploads where organization_id = $organization_id limit $limit`,
)

export const NOBODY_ADDS = statement(
  { alone: bool },
  (schema) => `select ${schema}.nobody_adds_to($organization_id) as alone`,
)

/** A separate statement after the one that found no open transaction: it sees their rows. */
export const END_ERASURE = statement(
  {},
  (schema) => `with ended as (
      select not $is_alone::boolean or ${isLeft(schema, 'keeps_audit_log')} as again
      from ${schema}.erasures where organization_id = $organization_id
    )
    update ${schema}.erasures set phase = case when again then '${ERASURE_PHASES[0]}' else phase end,
      organization_id = case when again then organization_id end, erased_at = case when not again then now() end,
      updated_at = clock_timestamp()
    from ended where organization_id = $organization_id`,
)
