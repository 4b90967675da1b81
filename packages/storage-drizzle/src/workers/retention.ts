import type { Storage } from '@quickquote/core/internal'
import { type Connection, unhurried } from '../connection/database.ts'
import { RELEASE_NEXT } from '../deliveries/deliveries.sql.ts'
import { COUNT_HOURS } from '../deliveries/delivery-hours.sql.ts'
import { firstIdOf } from '../ids.ts'
import * as sql from './retention.sql.ts'

/** Rows of history removed per statement. */
const BATCH = 1000

/** An id may be created this much after its time was read. */
const ID_DELAY_MS = 60_000

/**
 * Ids begin with their creation time, so old rows are the beginning of a primary key, and retention needs no index of its
 * own. History (events, attempts, the audit log) is removed by functions of the schema's owner, which enforce the minimum
 * in `retention_floor`.
 */
export function retentionStorage(connection: Connection): Storage['retention'] {
  const { call, run, one } = unhurried(connection)

  /** Rows from before `moment` have lower ids. */
  const idAfter = (moment: Date) => firstIdOf(new Date(moment.getTime() + ID_DELAY_MS))

  /** In small batches, so that nobody waits long. @returns how many, and whether the floor protects more */
  async function removeRows(of_table: string, before: Date): Promise<{ count: number; isKept: boolean }> {
    for (let count = 0; ; ) {
      const { removed, is_kept } = await one(sql.REMOVE_EXPIRED_ROWS, { of_table, before, at_most: BATCH })
      count += removed ?? 0
      // Null: another process is at it.
      if ((removed ?? 0) < BATCH) return { count, isKept: is_kept ?? false }
    }
  }

  return {
    countHours: () =>
      call('retention.countHours', async () => {
        await run(COUNT_HOURS)
      }),

    forgetIdempotencyKeys: (before) =>
      call('retention.forgetIdempotencyKeys', async () => {
        await run(sql.FORGET_KEYS, { before })
      }),

    expireDeliveries: (before, limit, now) =>
      call('retention.expireDeliveries', async () => {
        const rows = await run(sql.EXPIRE_DELIVERIES, { kept: idAfter(before), before, limit })
        if (rows.length > 0) await run(RELEASE_NEXT, { now })
        const parked = rows.filter((row) => row.parked).length
        return { parked, pending: rows.length - parked }
      }),

    removeStrayLeases: (leasedBefore) =>
      call('retention.removeStrayLeases', async () => {
        const removed = await run(sql.REMOVE_STRAY_LEASES, { leased_before: leasedBefore })
        return removed.length
      }),

    removeHistory: (before) =>
      call('retention.removeHistory', async () => {
        const attempts = await removeRows('delivery_attempts', before)
        const events = await removeRows('events', before)
        return {
          events: events.count,
          attempts: attempts.count,
          isKept: attempts.isKept || events.isKept,
        }
      }),

    forgetKeyUses: (before) =>
      call('retention.forgetKeyUses', async () => {
        await run(sql.FORGET_KEY_DAYS, { before })
        await run(sql.FORGET_KEY_REQUESTS, { kept: idAfter(before), before })
      }),

    forgetReplays: (before) =>
      call('retention.forgetReplays', async () => {
        await run(sql.FORGET_REPLAYS, { before })
      }),

    removeAuditEntries: (before, limit) =>
      call('retention.removeAuditEntries', async () => {
        const old = { before, kept: idAfter(before), at_most: limit }
        return (await one(sql.REMOVE_AUDIT_ENTRIES, old)).removed
      }),

    abandonFilesOfEndedQuotations: (endedBefore, limit, now) =>
      call('retention.abandonFilesOfEndedQuotations', async () => {
        const abandoned = await run(sql.ABANDON_FILES, {
          kept: idAfter(endedBefore),
          before: endedBefore,
          limit,
          now,
        })
        return abandoned.length
      }),
  }
}
