import type { WorkerStorage } from '@quickquote/core/internal'
import { EPOCH_MS } from '../connection/clock.sql.ts'
import { toTime } from '../connection/clock.ts'
import type { Database } from '../connection/database.ts'
import { releaseNext } from '../deliveries/delivery-statements.ts'

/** The heartbeats of workers, and what becomes of the leases of a dead one: see WorkerStorage. */
export function workerStorage(database: Database): Omit<WorkerStorage, 'listen'> {
  const { schema } = database
  const hasNoRow = `not exists (select from ${schema}.workers worker where worker.id = leased_by)`

  return {
    async heartbeat(workerId) {
      const [beat] = await database.run<{ at: number | string; isnew: boolean }>(
        `insert into ${schema}.workers (id) values ($1)
         on conflict (id) do update set heartbeat_at = now()
         returning ${EPOCH_MS} as at, started_at = heartbeat_at as isnew`,
        [workerId],
      )
      return { at: toTime(beat?.at), isNew: beat?.isnew === true }
    },

    async hasLive(silentForMs) {
      const [row] = await database.run<{ found: boolean }>(
        `select exists (
           select from ${schema}.workers where heartbeat_at > now() - $1::int * interval '1 millisecond'
         ) as found`,
        [silentForMs],
      )
      return row?.found === true
    },

    async recoverDead({ silentForMs, maxAttempts, now }) {
      // A lease is alive while its worker has a row in `workers`. Deleting that row is what gives the worker up: who beats
      // at the same moment either keeps row and leases, or is told by its beat that it is new. A lease without a row was
      // taken by a worker after it was given up. The fences sort out what it may still report. A delivery stays due when it
      // was, so that it keeps its place before what came later.
      const [freed] = await database.run<{ deliveries: number; starts: number }>(
        `with buried as (
           delete from ${schema}.workers where heartbeat_at <= now() - $1::int * interval '1 millisecond'
           returning id
         ), silent as (
           select id from buried
           union select leased_by from ${schema}.deliveries where leased_by is not null and ${hasNoRow}
           union select leased_by from ${schema}.pipeline_starts where leased_by is not null and ${hasNoRow}
         ), orphan as (
           select ctid as place, *,
             case when attempt < $2::int and not is_test then $3::timestamptz end as next_attempt_at
           from ${schema}.deliveries
           where leased_by is not null and leased_by in (select id from silent)
           for update skip locked
         ), ended as (
           delete from ${schema}.deliveries
           where ctid = any (array(select place from orphan where next_attempt_at is null))
         ), freed as (
           update ${schema}.deliveries set leased_by = null, leased_at = null
           where ctid = any (array(select place from orphan where next_attempt_at is not null))
         ), recorded as (
           insert into ${schema}.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id,
             event_type, event_sequence, quotation_id, attempt, status, is_test, created_at, next_attempt_at)
           select gen_random_uuid(), orphan.id, orphan.organization_id, orphan.endpoint_id, orphan.event_id,
             event.type, event.sequence, event.quotation_id, orphan.attempt, 'interrupted', orphan.is_test, orphan.leased_at,
             orphan.next_attempt_at
           from orphan cross join lateral (
             select type, sequence, quotation_id from ${schema}.events
             where id = orphan.event_id and created_at = orphan.event_created_at limit 1
           ) event
         ), start as (
           update ${schema}.pipeline_starts set leased_by = null, due_at = $3::timestamptz
           where quotation_id in (
             select quotation_id from ${schema}.pipeline_starts
             where leased_by is not null and leased_by in (select id from silent)
             for update skip locked
           )
           returning 1
         )
         select (select count(*) from orphan)::int as deliveries,
           (select count(*) from start)::int as starts`,
        [silentForMs, maxAttempts, now],
      )
      const { deliveries = 0, starts = 0 } = freed ?? {}
      if (deliveries > 0) await database.run(releaseNext(schema), [now])
      if (deliveries + starts > 0) await database.wake()
      return { deliveries, starts }
    },

    async retire(workerId) {
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
