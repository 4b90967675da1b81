import { int, millisOf, nullable, statement, text, time, uuid } from '../connection/statement.ts'

function waiting(what: string, due: string): string {
  return `select ${what} from $schema.deliveries
      where leased_by is null and parked_at is null and attempt >= 0 and due_at ${due} $now order by due_at`
}

/**
 * Counts up to `$limit`; what waits behind a pause is due as well, but counted apart. "attempt >= 0" is in the predicate of
 * the index: see the first migration. Without an order by, PostgreSQL would scan a large table from its beginning, past
 * irrelevant rows.
 */
export const READ_QUEUE = statement(
  { due: int, paused: int, scheduled: int, oldest_due_at: nullable(time) },
  `with pause as (
        select endpoint_id from $schema.endpoint_health where paused_until > $now
      ), paused as (
        select count(*)::int as deliveries from pause cross join lateral (
          select from $schema.deliveries
          where leased_by is null and parked_at is null and endpoint_id = pause.endpoint_id and due_at <= $now
          order by due_at limit $limit::int
        ) waiting
      ), due as (
        select due_at from (${waiting('endpoint_id, due_at', '<=')} limit $limit::int + (select deliveries from paused)) oldest
        where not exists (select from pause where pause.endpoint_id = oldest.endpoint_id)
      )
      select (select count(*)::int from due) as due, least((select deliveries from paused), $limit::int) as paused,
        (select count(*)::int from (${waiting('due_at', '>')} limit $limit::int) scheduled) as scheduled,
        ${millisOf('(select min(due_at) from due)')} as oldest_due_at`,
)

/** Looks rows up one by one: a join could turn into a scan of all events. */
export const FIND_ORIGINS = statement(
  { id: uuid, due_at: time, traceparent: nullable(text), tracestate: nullable(text) },
  `select delivery.id, ${millisOf('delivery.due_at')} as due_at, traceparent, tracestate
    from unnest($ids::uuid[]) as held (id)
    cross join lateral (
      select id, due_at, event_id from $schema.deliveries where id = held.id limit 1
    ) delivery
    cross join lateral (
      select traceparent, tracestate from $schema.events
      where id = delivery.event_id limit 1
    ) event`,
)
