import { QUEUE_COUNT_LIMIT, type Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { traceOf } from '../connection/statement.ts'
import { FIND_ORIGINS, READ_QUEUE } from './telemetry.sql.ts'

export function telemetryStorage({ call, run, one }: Database): Storage['telemetry'] {
  return {
    readQueueState: (now) =>
      call('telemetry.readQueueState', async () => {
        const { oldest_due_at, ...counts } = await one(READ_QUEUE, { now, limit: QUEUE_COUNT_LIMIT })
        return { ...counts, oldestDueAt: oldest_due_at }
      }),

    findDeliveryOrigins: (ids) =>
      call('telemetry.findDeliveryOrigins', async () => {
        const rows = await run(FIND_ORIGINS, { ids })
        return new Map(rows.map((row) => [row.id, { due_at: row.due_at, trace: traceOf(row) }]))
      }),
  }
}
