import { millisOf } from '../connection/readable.ts'
import { int, millis, nullable, statement, text, uuid } from '../connection/statement.ts'

/**
 * Counts up to `$limit`. "attempt >= 0" is in the predicate of the index: see the first migration. Without an order by,
 * PostgreSQL would scan a large table from its beginning, past irrelevant rows.
 */
export const READ_QUEUE = statement(
  { due: int, scheduled: int, oldest_due_at: nullable(millis) },
  (schema) => {
    const waiting = (due: string) =>
      `select due_at from ${schema}.deliveries
      where leased_by is null and parked_at is null and attempt >= 0 and due_at ${due} $now order by due_at`
    return `select (select count(*)::int from (${waiting('<=')} limit $limit::int) due) as due,
      (select count(*)::int from (${waiting('>')} limit $limit::int) scheduled) as scheduled,
      ${millisOf(`(${waiting('<=')} limit 1)`)} as oldest_due_at`
  },
)

/** Looks rows up one by one: a join could turn into a scan of all events. */
export const FIND_ORIGINS = statement(
  { id: uuid, due_at: millis, traceparent: nullable(text), tracestate: nullable(text) },
  (schema) => `select delivery.id, ${millisOf('delivery.due_at')} as due_at, traceparent, tracestate
    from unnest($ids::uuid[]) as held (id)
    cross join lateral (
      select id, due_at, event_id, event_created_at from ${schema}.deliveries where id = held.id limit 1
    ) delivery
    cross join lateral (
      select traceparent, tracestate from ${schema}.events
      where id = delivery.event_id and created_at = delivery.event_created_at limit 1
    ) event`,
)
