import type { MaintenanceStorage } from '@quickquote/core'
import type { Database } from './database.ts'
import { deliveryIds, firstIdOf } from './delivery-id.ts'

type RetentionStorage = Omit<MaintenanceStorage, 'ensurePartitions' | 'forgetIdempotencyKeys'>

/** Rows that are removed from a default partition by one statement. */
const BATCH = 1000

/** The process that makes an id may do so a little later than it reads the clock. */
const ID_DELAY_MS = 60_000

/**
 * Removes what is no longer kept: see MaintenanceStorage. Ids begin with the time at which they were made, so what is old
 * is the beginning of a primary key: no index is there for retention alone.
 */
export function retentionStorage({ run, schema }: Database): RetentionStorage {
  /** No row of before `moment` has this id or a later one. */
  const idAfter = (moment: Date) => firstIdOf(new Date(moment.getTime() + ID_DELAY_MS))

  async function dropDays(table: string, before: Date): Promise<{ days: number; isBlocked: boolean }> {
    for (let days = 0; ; days += 1) {
      const [day] = await run<{ outcome: string }>(
        `select ${schema}.drop_expired_day($1, $2, $3) as outcome`,
        [table, before, idAfter(before)],
      )
      if (day?.outcome !== 'dropped') {
        return { days, isBlocked: day?.outcome === 'blocked' || day?.outcome === 'in_use' }
      }
    }
  }

  /** A default partition cannot be dropped. There is something in it only where no day was made in time. */
  async function emptyDefault(table: string, before: Date, isUnused: string): Promise<number> {
    for (let total = 0; ; ) {
      const removed = await run(
        `delete from ${schema}.${table}_default where ctid = any (array(
           select ctid from ${schema}.${table}_default old where created_at < $1 and ${isUnused}
           limit ${BATCH} for update skip locked
         ))
         returning 1 as removed`,
        [before],
      )
      total += removed.length
      if (removed.length < BATCH) return total
    }
  }

  return {
    async expireDeliveries(before, limit) {
      const rows = await run<{ parked: boolean }>(
        `delete from ${schema}.deliveries where ctid = any (array(
           select ctid from ${schema}.deliveries
           where id < $1 and event_created_at < $2 and leased_by is null
           order by id limit $3 for update skip locked
         ))
         returning parked_at is not null as parked`,
        [idAfter(before), before, limit],
      )
      const parked = rows.filter((row) => row.parked).length
      return { parked, pending: rows.length - parked }
    },

    async removeStrayLeases(leasedBefore) {
      const removed = await run(
        `delete from ${schema}.deliveries delivery
         where leased_by is not null and leased_at < $1 and (
           select id from ${schema}.events
           where id = delivery.event_id and created_at = delivery.event_created_at limit 1
         ) is null
         returning 1 as removed`,
        [leasedBefore],
      )
      return removed.length
    },

    async dropHistory(before) {
      const attempts = await dropDays('delivery_attempts', before)
      const events = await dropDays('events', before)
      const rows =
        (await emptyDefault('delivery_attempts', before, 'true')) +
        (await emptyDefault(
          'events',
          before,
          `not exists (
             select from ${schema}.deliveries where ${deliveryIds('old.id', 'id')} and event_id = old.id
           )`,
        ))
      return {
        days: attempts.days + events.days,
        rows,
        isBlocked: attempts.isBlocked || events.isBlocked,
      }
    },

    async forgetReplays(before) {
      await run(`delete from ${schema}.replays where state <> 'running' and updated_at < $1`, [before])
    },

    async removeAuditEntries(before, limit) {
      const removed = await run(
        `delete from ${schema}.audit_log where id = any (array(
           select id from ${schema}.audit_log where id < $1 and created_at < $2
           order by id limit $3 for update skip locked
         ))
         returning 1 as removed`,
        [idAfter(before), before, limit],
      )
      return removed.length
    },

    async abandonFilesOfEndedQuotations(endedBefore, limit, now) {
      // A file is older than its quote, and a quote is older than its end.
      const abandoned = await run(
        `with ended as (
           select file.id, quotation.organization_id, quotation.created_at
           from ${schema}.quotation_files file
           join ${schema}.quotations quotation on quotation.id = file.quotation_id
           where file.id < $1 and quotation.status in ('completed', 'failed') and quotation.updated_at < $2
           order by file.id limit $3 for update of file skip locked
         ), taken as (
           delete from ${schema}.quotation_files where id = any (array(select id from ended))
         )
         insert into ${schema}.uploads (id, organization_id, created_at, abandoned_at)
         select id, organization_id, created_at, $4::timestamptz from ended
         returning 1 as abandoned`,
        [idAfter(endedBefore), endedBefore, limit, now],
      )
      return abandoned.length
    },
  }
}
