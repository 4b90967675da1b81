import type { RetentionStorage } from '@quickquote/core/internal'
import { type Connection, unhurried } from '../connection/database.ts'
import { firstIdOf } from '../deliveries/delivery-id.ts'
import { releaseNext } from '../deliveries/delivery-statements.ts'
import { ensurePartitions } from '../migrations/partitions.ts'

interface Dropped {
  readonly days: number
  readonly isBlocked: boolean
  readonly isKept: boolean
}

/** Rows that are removed from a default partition by one statement. */
const BATCH = 1000

/** The process that makes an id may do so a little later than it reads the clock. */
const ID_DELAY_MS = 60_000

/**
 * Removes what is no longer kept: see RetentionStorage. Ids begin with the time at which they were made, so what is old
 * is the beginning of a primary key: no index is there for retention alone. History (events, attempts, the audit log) is
 * removed by functions of the schema's owner, which hold it to the floor of the table `retention_floor`.
 */
export function retentionStorage(connection: Connection): RetentionStorage {
  const { run, schema } = unhurried(connection)

  /** No row of before `moment` has this id or a later one. */
  const idAfter = (moment: Date) => firstIdOf(new Date(moment.getTime() + ID_DELAY_MS))

  async function dropDays(table: string, before: Date): Promise<Dropped> {
    for (let days = 0; ; days += 1) {
      const [day] = await run<{ outcome: string }>(
        `select ${schema}.drop_expired_day($1, $2, $3) as outcome`,
        [table, before, idAfter(before)],
      )
      if (day?.outcome !== 'dropped') {
        return {
          days,
          isBlocked: day?.outcome === 'blocked' || day?.outcome === 'in_use',
          isKept: day?.outcome === 'kept',
        }
      }
    }
  }

  /** A default partition cannot be dropped. There is something in it only where no day was made in time. */
  async function emptyDefault(table: string, before: Date): Promise<number> {
    for (let total = 0; ; ) {
      const [rows] = await run<{ removed: number }>(
        `select ${schema}.remove_expired_rows($1, $2, ${BATCH}) as removed`,
        [table, before],
      )
      const removed = rows?.removed ?? 0
      total += removed
      if (removed < BATCH) return total
    }
  }

  return {
    ensurePartitions: () => ensurePartitions(connection.driver, connection.schema),

    async forgetIdempotencyKeys(before) {
      await run(`delete from ${schema}.idempotency_keys where created_at < $1`, [before])
    },

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
      if (rows.length > 0) await run(releaseNext(schema), [new Date()])
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
      const rows = (await emptyDefault('delivery_attempts', before)) + (await emptyDefault('events', before))
      return {
        days: attempts.days + events.days,
        rows,
        isBlocked: attempts.isBlocked || events.isBlocked,
        isKept: attempts.isKept || events.isKept,
      }
    },

    async forgetReplays(before) {
      await run(`delete from ${schema}.replays where state <> 'running' and updated_at < $1`, [before])
    },

    async removeAuditEntries(before, limit) {
      const [entries] = await run<{ removed: number }>(
        `select ${schema}.remove_audit_entries($1, $2, $3) as removed`,
        [before, idAfter(before), limit],
      )
      return entries?.removed ?? 0
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
