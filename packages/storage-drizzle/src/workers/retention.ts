import type { Storage } from '@quickquote/core/internal'
import { type Connection, unhurried } from '../connection/database.ts'
import { RELEASE_NEXT } from '../deliveries/deliveries.sql.ts'
import { COUNT_HOURS } from '../deliveries/delivery-hours.sql.ts'
import { firstIdOf } from '../ids.ts'
import { MAKE_PARTITIONS } from '../migrations/migrations.sql.ts'
import * as sql from './retention.sql.ts'

interface Dropped {
  readonly days: number
  readonly isBlocked: boolean
  readonly isKept: boolean
}

/** Rows removed from a default partition per statement. */
const BATCH = 1000

/** An id may be created this much after its time was read. */
const ID_DELAY_MS = 60_000

/**
 * Ids begin with their creation time, so old rows are the beginning of a primary key, and retention needs no index of its
 * own. History (events, attempts, the audit log) is removed by functions of the schema's owner, which enforce the minimum
 * in `retention_floor`.
 */
export function retentionStorage(connection: Connection): Storage['retention'] {
  const { run, one } = unhurried(connection)

  /** Rows from before `moment` have lower ids. */
  const idAfter = (moment: Date) => firstIdOf(new Date(moment.getTime() + ID_DELAY_MS))

  async function dropDays(table: string, before: Date): Promise<Dropped> {
    for (let days = 0; ; days += 1) {
      const expired = { of_table: table, before, kept_deliveries: idAfter(before) }
      const { result } = await one(sql.DROP_EXPIRED_DAY, expired)
      if (result !== 'dropped') {
        return { days, isBlocked: result === 'blocked' || result === 'in_use', isKept: result === 'kept' }
      }
    }
  }

  /** A default partition cannot be dropped. It only has rows if a day's partition was not created in time. */
  async function emptyDefault(table: string, before: Date): Promise<number> {
    for (let total = 0; ; ) {
      const { removed } = await one(sql.REMOVE_EXPIRED_ROWS, { of_table: table, before, at_most: BATCH })
      total += removed
      if (removed < BATCH) return total
    }
  }

  return {
    async ensurePartitions() {
      await run(MAKE_PARTITIONS)
    },

    async countHours() {
      await run(COUNT_HOURS)
    },

    async forgetIdempotencyKeys(before) {
      await run(sql.FORGET_KEYS, { before })
    },

    async expireDeliveries(before, limit) {
      const rows = await run(sql.EXPIRE_DELIVERIES, { kept: idAfter(before), before, limit })
      if (rows.length > 0) await run(RELEASE_NEXT, { now: new Date() })
      const parked = rows.filter((row) => row.parked).length
      return { parked, pending: rows.length - parked }
    },

    async removeStrayLeases(leasedBefore) {
      const removed = await run(sql.REMOVE_STRAY_LEASES, { leased_before: leasedBefore })
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
      await run(sql.FORGET_REPLAYS, { before })
    },

    async removeAuditEntries(before, limit) {
      const old = { before, kept: idAfter(before), at_most: limit }
      return (await one(sql.REMOVE_AUDIT_ENTRIES, old)).removed
    },

    async abandonFilesOfEndedQuotations(endedBefore, limit, now) {
      const abandoned = await run(sql.ABANDON_FILES, {
        kept: idAfter(endedBefore),
        before: endedBefore,
        limit,
        now,
      })
      return abandoned.length
    },
  }
}
