import { bool, int, millisOf, statement, time } from '../connection/statement.ts'
import { IS_TO_ERASE } from '../organizations/erasure.sql.ts'

const NOW = millisOf("date_trunc('milliseconds', clock_timestamp())")

export const READ_CLOCK = statement({ at: time }, `select ${NOW} as at`)

/** Further ahead than that, the database's clock was put back, and the worker has not sent a heartbeat since. */
const IS_ALIVE = `heartbeat_at > now() - $silent_for_ms::int * interval '1 millisecond'
        and heartbeat_at < now() + $silent_for_ms::int * interval '1 millisecond'`

export const COUNT_WORKERS = statement(
  { alive: int, silent: int },
  `select (count(*) filter (where is_alive))::int as alive,
      (count(*) filter (where not is_alive))::int as silent
    from (
      select ${IS_ALIVE} as is_alive from $schema.workers
    ) worker`,
)

const HAS_NO_ROW = 'not exists (select from $schema.workers worker where worker.id = leased_by)'

/** Its connection may have ended although it lives: then it goes on sending the heartbeats that it has promised. */
const IS_LATE = `lost_after_ms is not null and server_started_at = pg_postmaster_start_time()
        and heartbeat_at < now() - lost_after_ms * interval '1 millisecond'`

/** The lock of a worker's session, as in `listener.ts`. A lock that this takes lasts for the statement. */
const HAS_NO_SESSION = "pg_try_advisory_xact_lock(hashtextextended('$schema worker ' || id, 0))"

/** The statement sees the rows of others as they were before it. */
export const BEAT = statement(
  { at: time, is_new: bool, is_another_busy: bool, is_one_silent: bool },
  `with beat as (
      insert into $schema.workers (id, heartbeat_at, lost_after_ms, server_started_at)
      values ($worker_id, now(), $lost_after_ms, pg_postmaster_start_time())
      on conflict (id) do update set heartbeat_at = excluded.heartbeat_at, lost_after_ms = excluded.lost_after_ms,
        server_started_at = excluded.server_started_at
      returning started_at = heartbeat_at as is_new
    )
    select ${NOW} as at, is_new,
      exists (
        select from $schema.workers other where other.id <> $worker_id and other.lost_after_ms is not null
      ) as is_another_busy,
      exists (
        select from (select * from $schema.workers offset 0) other
        where other.id <> $worker_id and (not (${IS_ALIVE}) or ${IS_LATE})
      ) as is_one_silent
    from beat`,
)

/**
 * A lease is valid while its worker has a row in `workers`; deleting the row declares the worker dead. A heartbeat at
 * the same moment either keeps the row and the leases, or reports to its worker that it is new. Without a row, a lease
 * was taken after the worker was declared dead. Fences decide what it may still report. A delivery keeps its due time,
 * and so its place in the queue.
 */
export const RECOVER_DEAD = statement(
  { deliveries: int, starts: int },
  `with buried as (
      delete from $schema.workers
      where not (${IS_ALIVE}) or case when ${IS_LATE} then ${HAS_NO_SESSION} else false end
      returning id
    ), silent as (
      select id from buried
      union select leased_by from $schema.deliveries where leased_by is not null and ${HAS_NO_ROW}
      union select leased_by from $schema.pipeline_starts where leased_by is not null and ${HAS_NO_ROW}
    ), orphan as (
      select ctid as row_id, *,
        case when attempt < $max_attempts::int and not is_test then $now::timestamptz end as next_attempt_at
      from $schema.deliveries
      where leased_by is not null and leased_by in (select id from silent)
      for update skip locked
    ), ended as (
      delete from $schema.deliveries
      where ctid = any (array(select row_id from orphan where next_attempt_at is null))
    ), freed as (
      update $schema.deliveries set leased_by = null, leased_at = null
      where ctid = any (array(select row_id from orphan where next_attempt_at is not null))
    ), recorded as (
      insert into $schema.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id,
        event_type, event_sequence, quotation_id, attempt, status, is_test, check_kind, created_at, next_attempt_at)
      select gen_random_uuid(), orphan.id, orphan.organization_id, orphan.endpoint_id, orphan.event_id,
        event.type, event.sequence, event.quotation_id, orphan.attempt, 'interrupted', orphan.is_test, orphan.check_kind,
        orphan.leased_at, orphan.next_attempt_at
      from orphan cross join lateral (
        select type, sequence, quotation_id from $schema.events
        where id = orphan.event_id limit 1
      ) event
      returning organization_id, endpoint_id, next_attempt_at, is_test
    ), given_up as (
      insert into $schema.warnings as warning
        (id, organization_id, kind, subject_id, since, until, count, due_at, created_at)
      select gen_random_uuid(), organization_id, 'deliveries_exhausted', endpoint_id, $now::timestamptz, $now::timestamptz,
        count(*), $now::timestamptz + interval '1 hour', $now::timestamptz
      from recorded where next_attempt_at is null and not is_test
      group by organization_id, endpoint_id order by endpoint_id
      on conflict (subject_id) where kind = 'deliveries_exhausted' and attempt = 0
        do update set count = warning.count + excluded.count, until = greatest(warning.until, excluded.until)
    ), start as (
      update $schema.pipeline_starts set leased_by = null, due_at = $now::timestamptz
      where quotation_id in (
        select quotation_id from $schema.pipeline_starts
        where leased_by is not null and leased_by in (select id from silent)
        for update skip locked
      )
      returning 1
    )
    select (select count(*) from orphan)::int as deliveries,
      (select count(*) from start)::int as starts`,
)

/** Some of it may be waiting for something else; its own statement decides. */
export const FIND_WORK = statement(
  { deliveries: bool, starts: bool, replays: bool, changes: bool, erasing: bool },
  `select
      exists (
        select from $schema.deliveries
        where leased_by is null and parked_at is null and attempt >= 0 and due_at <= $now::timestamptz
      ) or exists (select from $schema.deliveries where is_test and leased_by is null) as deliveries,
      exists (
        select from $schema.pipeline_starts where leased_by is null and due_at <= $now::timestamptz
      ) as starts,
      exists (select from $schema.replays where state = 'running') as replays,
      exists (select from $schema.webhook_endpoints where caught_up_to < generation) as changes,
      exists (select from $schema.erased_organizations erased where ${IS_TO_ERASE}) as erasing`,
)

/** Starts that the worker aborted, or stopped waiting for, are returned as if never attempted. */
export const RETIRE = statement(
  {},
  `with start as (
      update $schema.pipeline_starts set leased_by = null, attempt = attempt - 1 where leased_by = $worker_id
    )
    delete from $schema.workers where id = $worker_id`,
)
