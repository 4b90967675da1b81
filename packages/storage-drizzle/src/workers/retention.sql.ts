import { ERASED } from '@quickquote/core/internal'
import { bool, int, nullable, statement } from '../connection/statement.ts'

export const REMOVE_EXPIRED_ROWS = statement(
  { removed: nullable(int), is_kept: nullable(bool) },
  `select removed, is_kept from $schema.remove_expired_rows($of_table, $before, $at_most)`,
)

export const FORGET_KEYS = statement({}, `delete from $schema.idempotency_keys where created_at < $before`)

/** Deliveries from before `$before` have ids lower than `$kept`. */
export const EXPIRE_DELIVERIES = statement(
  { parked: bool },
  `delete from $schema.deliveries where ctid = any (array(
      select ctid from $schema.deliveries
      where id < $kept and event_created_at < $before and leased_by is null
      order by id limit $limit for update skip locked
    ))
    returning parked_at is not null as parked`,
)

export const REMOVE_STRAY_LEASES = statement(
  { removed: int },
  `delete from $schema.deliveries delivery
    where leased_by is not null and leased_at < $leased_before and (
      select id from $schema.events
      where id = delivery.event_id and body <> '${ERASED}' limit 1
    ) is null
    returning 1 as removed`,
)

export const FORGET_KEY_DAYS = statement(
  {},
  `delete from $schema.api_key_days where day < ($before::timestamptz at time zone 'UTC')::date`,
)
export const FORGET_KEY_REQUESTS = statement(
  {},
  `delete from $schema.api_key_requests where id < $kept and at < $before`,
)

export const FORGET_REPLAYS = statement(
  {},
  `delete from $schema.replays where state <> 'running' and updated_at < $before`,
)

export const REMOVE_AUDIT_ENTRIES = statement(
  { removed: int },
  `select $schema.remove_audit_entries($before, $kept, $at_most) as removed`,
)

/** A file is older than its quote, and a quote is older than its end. */
export const ABANDON_FILES = statement(
  { abandoned: int },
  `with ended as (
      select file.id, quotation.organization_id, quotation.created_at
      from $schema.quotation_files file
      join $schema.quotations quotation on quotation.id = file.quotation_id
      where file.id < $kept and quotation.status in ('completed', 'failed') and quotation.updated_at < $before
      order by file.id limit $limit for update of file skip locked
    ), taken as (
      delete from $schema.quotation_files where id = any (array(select id from ended))
    )
    insert into $schema.uploads (id, organization_id, created_at, abandoned_at)
    select id, organization_id, created_at, $now::timestamptz from ended
    returning 1 as abandoned`,
)
