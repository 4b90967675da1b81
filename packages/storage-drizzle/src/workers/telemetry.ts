import { QUEUE_COUNT_LIMIT, type TelemetryStorage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { millisOf, toDate } from '../connection/readable.ts'
import { type TraceColumns, traceOf } from '../quotations/trace-columns.ts'

/** What metrics and traces ask PostgreSQL: see TelemetryStorage. */
export function telemetryStorage(database: Database): TelemetryStorage {
  const { schema } = database

  return {
    async readQueueState(now) {
      const [state] = await database.run<{ due: number; scheduled: number; oldest_due_at: string | null }>(
        queueStateStatement(schema),
        [now, QUEUE_COUNT_LIMIT],
      )
      const { due = 0, scheduled = 0, oldest_due_at = null } = state ?? {}
      return { due, scheduled, oldestDueAt: toDate(oldest_due_at) }
    },

    async findDeliveryOrigins(ids) {
      const rows = await database.run<{ id: string; due_at: string } & TraceColumns>(
        // Rows are looked up one by one: a join could be turned into reading all events.
        `select delivery.id, ${millisOf('delivery.due_at')} as due_at, traceparent, tracestate
         from unnest($1::uuid[]) as held (id)
         cross join lateral (
           select id, due_at, event_id, event_created_at from ${schema}.deliveries where id = held.id limit 1
         ) delivery
         cross join lateral (
           select traceparent, tracestate from ${schema}.events
           where id = delivery.event_id and created_at = delivery.event_created_at limit 1
         ) event`,
        [ids],
      )
      return new Map(rows.map((row) => [row.id, { due_at: toDate(row.due_at), trace: traceOf(row) }]))
    },
  }
}

/**
 * `$1` now, `$2` how far to count. "attempt >= 0" is in the predicate of the index: see the first migration. Without an
 * order by, a large table would be read from its beginning, past all that does not count.
 */
export function queueStateStatement(schema: string): string {
  const waiting = (due: string) =>
    `select due_at from ${schema}.deliveries
     where leased_by is null and parked_at is null and attempt >= 0 and due_at ${due} $1 order by due_at`
  return `select (select count(*)::int from (${waiting('<=')} limit $2::int) due) as due,
    (select count(*)::int from (${waiting('>')} limit $2::int) scheduled) as scheduled,
    ${millisOf(`(${waiting('<=')} limit 1)`)} as oldest_due_at`
}
