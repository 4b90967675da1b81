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
           select * from ${schema}.deliveries
           where leased_by is not null and not exists (select from alive where alive.id = leased_by)
           for update skip locked
         ), ended as (
           delete from ${schema}.deliveries delivery using orphan
           where delivery.id = orphan.id and (orphan.attempt >= $2::int or orphan.is_test)
           returning orphan.*, null::timestamptz as next_attempt_at
         ), freed as (
           update ${schema}.deliveries delivery set due_at = $3::timestamptz, leased_by = null, leased_at = null
           from orphan
           where delivery.id = orphan.id and orphan.attempt < $2::int and not orphan.is_test
           returning orphan.*, $3::timestamptz as next_attempt_at
         ), recorded as (
           insert into ${schema}.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id,
             event_type, quotation_id, attempt, status, is_test, created_at, next_attempt_at)
           select gen_random_uuid(), lost.id, lost.organization_id, lost.endpoint_id, lost.event_id,
             event.type, event.quotation_id, lost.attempt, 'interrupted', lost.is_test, lost.leased_at,
             lost.next_attempt_at
           from (select * from ended union all select * from freed) lost
           join ${schema}.events event on event.id = lost.event_id and event.created_at = lost.event_created_at
         ), start as (
           update ${schema}.pipeline_starts set leased_by = null, due_at = $3::timestamptz
           where quotation_id in (
             select quotation_id from ${schema}.pipeline_starts
             where leased_by is not null and not exists (select from alive where alive.id = leased_by)
             for update skip locked
           )
           returning 1
         )
         select (select count(*) from ended)::int + (select count(*) from freed)::int as deliveries,
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
