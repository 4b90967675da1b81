import { QUEUE_COUNT_LIMIT, type Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { traceOf } from '../connection/statement.ts'
import { FIND_ORIGINS, READ_QUEUE } from './telemetry.sql.ts'

export function telemetryStorage({ run }: Database): Storage['telemetry'] {
  return {
    async readQueueState(now) {
      const [state] = await run(READ_QUEUE, { now, limit: QUEUE_COUNT_LIMIT })
      const { due = 0, paused = 0, scheduled = 0, oldest_due_at = null } = state ?? {}
      return { due, paused, scheduled, oldestDueAt: oldest_due_at }
    },

    async findDeliveryOrigins(ids) {
      const rows = await run(FIND_ORIGINS, { ids })
      return new Map(rows.map((row) => [row.id, { due_at: row.due_at, trace: traceOf(row) }]))
    },
  }
}
