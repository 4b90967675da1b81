import { columnsOf, nullable, selected, statement, text, uuid } from '../connection/statement.ts'
import { FROM_FAILING } from '../endpoints/endpoint-health.sql.ts'
import { warnings } from '../schema.ts'

const WARNING = columnsOf(warnings, [
  'id',
  'kind',
  'organization_id',
  'subject_id',
  'since',
  'until',
  'count',
  'attempt',
])

export const NOTE_FAILING_ENDPOINTS = statement(
  {},
  `insert into $schema.warnings (id, organization_id, kind, subject_id, since, stage, due_at, created_at)
    select gen_random_uuid(), endpoint.organization_id, 'endpoint_failing', endpoint.id, health.failing_since,
      $stage::smallint, $now::timestamptz, $now::timestamptz
    ${FROM_FAILING}
      and not exists (
        select from $schema.warnings noted
        where noted.subject_id = endpoint.id and noted.kind = 'endpoint_failing'
          and noted.since = health.failing_since and noted.stage >= $stage::smallint
      )
    on conflict do nothing`,
)

/** A key created with a shorter lifetime gets a later warning. Days have 24 hours, whatever the time zone. */
export const NOTE_EXPIRING_KEYS = statement(
  {},
  `insert into $schema.warnings (id, organization_id, kind, subject_id, since, count, stage, due_at, created_at)
    select gen_random_uuid(), key.organization_id, 'api_key_expiring', key.id, key.expires_at,
      ceil(extract(epoch from key.expires_at - $now::timestamptz) / 86400)::int, $days::smallint, $now::timestamptz,
      $now::timestamptz
    from $schema.api_keys key
    where key.status = 'active' and key.expires_at > $now::timestamptz
      and key.expires_at <= $now::timestamptz + $days::smallint * interval '24 hours'
      and key.created_at < key.expires_at - $days::smallint * interval '24 hours'
      and not exists (
        select from $schema.warnings noted
        where noted.subject_id = key.id and noted.kind = 'api_key_expiring' and noted.stage <= $days::smallint
      )
    on conflict do nothing`,
)

export const CLAIM_WARNINGS = statement(
  {
    ...WARNING,
    name: nullable(text),
    owner_id: nullable(text),
    masked_key: nullable(text),
    replaced_by: nullable(uuid),
  },
  `with claimed as (
      update $schema.warnings set attempt = attempt + 1, due_at = $lease_until::timestamptz
      where id = any (array(
        select id from $schema.warnings where due_at <= $now order by due_at limit $limit::int for update skip locked
      ))
      returning *
    )
    select ${selected(WARNING, 'claimed')}, coalesce(key.name, endpoint.name) as name, key.owner_id, key.masked_key,
      key.replaced_by
    from claimed
    left join $schema.api_keys key on key.id = subject_id and key.organization_id = claimed.organization_id
      and kind = 'api_key_expiring' and key.status = 'active' and key.expires_at > $now
    left join $schema.endpoint_health health on health.endpoint_id = subject_id
    left join $schema.webhook_endpoints endpoint
      on endpoint.id = subject_id and endpoint.organization_id = claimed.organization_id and (
        kind = 'deliveries_exhausted'
        or kind = 'endpoint_failing' and is_enabled and deleted_at is null and health.failing_since = since
      )`,
)

export const RECORD_WARNING_CALL = statement(
  {},
  `update $schema.warnings set due_at = $retry_at::timestamptz where id = $id and attempt = $attempt`,
)

export const FORGET_WARNINGS = statement(
  {},
  `delete from $schema.warnings warning
    where due_at is null and created_at < $before and not exists (
      select from $schema.endpoint_health health
      where health.endpoint_id = warning.subject_id and health.failing_since = warning.since
    )`,
)
