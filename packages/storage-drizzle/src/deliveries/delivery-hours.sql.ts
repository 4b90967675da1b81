import { DELIVERY_FAILURES } from '@quickquote/core/internal'
import { int, millisOf, nullable, statement, text, time } from '../connection/statement.ts'

/**
 * Attempts by hour (UTC), without tests, at one endpoint or at all of an organization, including deleted ones. Counted time
 * comes from the stored counts; the rest, at most the two partial hours and the last 21 minutes, from the attempts.
 */
const countByHour = (of: string) =>
  statement(
    { hour: time, delivered: int, failed: int, given_up: int },
    `with counted as (
      select whole_since, greatest(whole_since, case when until <= $until::timestamptz then until
        else date_trunc('hour', $until::timestamptz, 'UTC') end) as whole_until
      from $schema.delivery_hours_counted
      cross join date_trunc('hour', $since::timestamptz + interval '59 minutes 59.999 seconds', 'UTC') as whole_since
    ), span as (
      select $since::timestamptz as since, least(whole_since, $until::timestamptz) as until from counted
      union all select whole_until, $until::timestamptz from counted
    )
    select ${millisOf('hours.hour')} as hour, sum(delivered)::int as delivered, sum(failed)::int as failed,
      sum(given_up)::int as given_up
    from (
      select hour, delivered, failed, given_up from $schema.delivery_hours
      where ${of} and hour >= (select whole_since from counted) and hour < (select whole_until from counted)
      union all
      select date_trunc('hour', created_at, 'UTC'), (status = 'succeeded')::int, (status <> 'succeeded')::int,
        (status in ('exhausted', 'rejected'))::int
      from span cross join lateral (
        select created_at, status from $schema.delivery_attempts
        where ${of} and created_at >= span.since and created_at < span.until and not is_test
      ) recent
    ) hours
    group by hours.hour order by hours.hour`,
  )

export const COUNT_BY_HOUR = countByHour('organization_id = $organization_id')
/** By the index of the endpoint. */
export const COUNT_BY_HOUR_OF_ENDPOINT = countByHour(
  'endpoint_id = $endpoint_id and organization_id is not distinct from $organization_id',
)

/** See `migrations/functions/hours.sql`. */
export const COUNT_HOURS = statement(
  { counted: text },
  `select $schema.count_delivery_hours()::text as counted`,
)

/** The newest attempt of the type among those counted, and until when they are. Null: none. */
export const FIND_TYPE = statement(
  { counted_until: nullable(time), last_at: nullable(time) },
  `select ${millisOf(`nullif(until, '-infinity')`)} as counted_until, (
      select ${millisOf('last_at')} from $schema.attempt_types
      where organization_id = $organization_id and event_type = $event_type
    ) as last_at
    from $schema.delivery_hours_counted`,
)

const REASONS_BY_TEXT = Object.values(DELIVERY_FAILURES)
  .filter(({ reason }) => reason !== 'other')
  .map(({ reason, error }) => {
    const [beginning = ''] = error.replaceAll("'", "''").split('{detail}')
    return `when starts_with(error, '${beginning}') then '${reason}'`
  })
  .join('\n        ')

/** Of the newest attempts at an endpoint. */
export const ENDPOINT_STATISTICS = statement(
  {
    attempts: int,
    median_ms: nullable(int),
    p95_ms: nullable(int),
    timeout: int,
    tls: int,
    refused: int,
    client_error: int,
    server_error: int,
    other: int,
  },
  `with recent as (
      select duration_ms, http_status, case
        when status in ('succeeded', 'interrupted') then null
        when http_status between 400 and 499 then 'client_error'
        when http_status >= 500 then 'server_error'
        ${REASONS_BY_TEXT}
        else 'other' end as reason
      from $schema.delivery_attempts
      where endpoint_id = $endpoint_id and organization_id is not distinct from $organization_id and not is_test
      order by created_at desc, id desc limit $limit::int
    )
    select count(*)::int as attempts,
      (percentile_disc(0.5) within group (order by duration_ms) filter (where http_status is not null))::int as median_ms,
      (percentile_disc(0.95) within group (order by duration_ms) filter (where http_status is not null))::int as p95_ms,
      count(*) filter (where reason = 'timeout')::int as timeout,
      count(*) filter (where reason = 'tls')::int as tls,
      count(*) filter (where reason = 'refused')::int as refused,
      count(*) filter (where reason = 'client_error')::int as client_error,
      count(*) filter (where reason = 'server_error')::int as server_error,
      count(*) filter (where reason = 'other')::int as other
    from recent`,
)
