import { millisOf } from '../connection/readable.ts'
import { int, statement, time } from '../connection/statement.ts'

/**
 * Attempts by hour (UTC), without tests. Counted time comes from the stored counts; the rest, at most the two partial
 * hours and the last 21 minutes, from the attempts. A separate condition for each endpoint, including deleted ones,
 * uses the index.
 */
export const COUNT_BY_HOUR = statement(
  { hour: time, delivered: int, failed: int },
  (schema) => `with counted as (
      select whole_since, greatest(whole_since, case when until <= $until::timestamptz then until
        else date_trunc('hour', $until::timestamptz, 'UTC') end) as whole_until
      from ${schema}.delivery_hours_counted
      cross join date_trunc('hour', $since::timestamptz + interval '59 minutes 59.999 seconds', 'UTC') as whole_since
    ), span as (
      select $since::timestamptz as since, least(whole_since, $until::timestamptz) as until from counted
      union all select whole_until, $until::timestamptz from counted
    ), endpoint as (
      select id from ${schema}.webhook_endpoints
      where organization_id = $organization_id and ($endpoint_id::uuid is null or id = $endpoint_id)
    )
    select ${millisOf('hours.hour')} as hour, sum(delivered)::int as delivered, sum(failed)::int as failed
    from endpoint cross join lateral (
      select hour, delivered, failed from ${schema}.delivery_hours
      where endpoint_id = endpoint.id
        and hour >= (select whole_since from counted) and hour < (select whole_until from counted)
      union all
      select recent.* from span cross join lateral (
        select date_trunc('hour', created_at, 'UTC') as hour, count(*) filter (where status = 'succeeded') as delivered,
          count(*) filter (where status <> 'succeeded') as failed
        from ${schema}.delivery_attempts
        where endpoint_id = endpoint.id and created_at >= span.since and created_at < span.until and not is_test
        group by 1
      ) recent
    ) hours
    group by hours.hour order by hours.hour`,
)

/** See "Functions of hourly counts" in the migration. */
export const COUNT_HOURS = statement(
  { counted: { type: 'void' } },
  (schema) => `select ${schema}.count_delivery_hours() as counted`,
)
