import type { WorkerStorage } from '@quickquote/core'
import type { Database } from './database.ts'

/** The heartbeats of workers, and what becomes of the leases of a dead one: see WorkerStorage. */
export function workerStorage(database: Database): Omit<WorkerStorage, 'listen'> {
  const { schema } = database

  return {
    async heartbeat(workerId) {
      await database.run(
        `insert into ${schema}.workers (id) values ($1)
         on conflict (id) do update set heartbeat_at = now()`,
        [workerId],
      )
    },

    async hasLiveWorker(silentForMs) {
      const [row] = await database.run<{ found: boolean }>(
        `select exists (
           select from ${schema}.workers where heartbeat_at > now() - $1::int * interval '1 millisecond'
         ) as found`,
        [silentForMs],
      )
      return row?.found === true
    },

    async recoverDeadWorkers({ silentForMs, maxAttempts, now }) {
      // A lease is alive while its worker beats: a row of `workers` that is missing counts as silence, so a worker that
      // leased something after it was given up leaves nothing behind. The fences sort out what it may still report.
      const [freed] = await database.run<{ deliveries: number; starts: number }>(
        `with alive as (
           select id from ${schema}.workers where heartbeat_at > now() - $1::int * interval '1 millisecond'
         ), buried as (
           delete from ${schema}.workers where heartbeat_at <= now() - $1::int * interval '1 millisecond'
         ), orphan as (
           select ctid as place, *,
             case when attempt < $2::int and not is_test then $3::timestamptz end as next_attempt_at
           from ${schema}.deliveries
           where leased_by is not null and not exists (select from alive where alive.id = leased_by)
           for update skip locked
         ), ended as (
           delete from ${schema}.deliveries
           where ctid = any (array(select place from orphan where next_attempt_at is null))
         ), freed as (
           update ${schema}.deliveries set due_at = $3::timestamptz, leased_by = null, leased_at = null
           where ctid = any (array(select place from orphan where next_attempt_at is not null))
         ), recorded as (
           insert into ${schema}.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id,
             event_type, quotation_id, attempt, status, is_test, created_at, next_attempt_at)
           select gen_random_uuid(), orphan.id, orphan.organization_id, orphan.endpoint_id, orphan.event_id,
             event.type, event.quotation_id, orphan.attempt, 'interrupted', orphan.is_test, orphan.leased_at,
             orphan.next_attempt_at
           from orphan cross join lateral (
             select type, quotation_id from ${schema}.events
             where id = orphan.event_id and created_at = orphan.event_created_at limit 1
           ) event
         ), start as (
           update ${schema}.pipeline_starts set leased_by = null, due_at = $3::timestamptz
           where quotation_id in (
             select quotation_id from ${schema}.pipeline_starts
             where leased_by is not null and not exists (select from alive where alive.id = leased_by)
             for update skip locked
           )
           returning 1
         )
         select (select count(*) from orphan)::int as deliveries,
           (select count(*) from start)::int as starts`,
        [silentForMs, maxAttempts, now],
      )
      const { deliveries = 0, starts = 0 } = freed ?? {}
      if (deliveries + starts > 0) await database.wake()
      return { deliveries, starts }
    },

    async retireWorker(workerId) {
      // Starts that the worker broke off, or would not wait for, go back as if they had never been tried.
      await database.run(
        `with start as (
           update ${schema}.pipeline_starts set leased_by = null, attempt = attempt - 1 where leased_by = $1
         )
         delete from ${schema}.workers where id = $1`,
        [workerId],
      )
      // Its last outcomes may have made room at an endpoint whose deliveries wait for that.
      await database.wake()
    },
  }
}
