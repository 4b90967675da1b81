-- Hourly counts

-- Counts every quarter of an hour that ended at least five minutes ago into the row of its hour. Does nothing while another
-- process counts. The trigger below adds attempts that are recorded later. Counters in each round would make workers wait
-- for each other.
create or replace function "quickquote".count_delivery_hours() returns void language plpgsql
set enable_seqscan = off set jit = off
as $$
declare
  begins timestamptz;
  ends constant timestamptz := date_bin('15 minutes', now() - interval '5 minutes', timestamptz '2000-01-01 00:00+00');
begin
  select until into begins from "quickquote".delivery_hours_counted where until < ends for update skip locked;
  if not found then
    return;
  end if;
  -- A separate statement, to see everything committed before the row was locked.
  with counted as materialized (
    select endpoint.id, endpoint.organization_id, attempt.*
    from "quickquote".webhook_endpoints endpoint
    cross join lateral (
      select date_trunc('hour', created_at, 'UTC') as hour, event_type, max(created_at) as last_at,
        count(*) filter (where not is_test and status = 'succeeded') as delivered,
        count(*) filter (where not is_test and status <> 'succeeded') as failed,
        count(*) filter (where not is_test and status in ('exhausted', 'rejected')) as given_up
      from "quickquote".delivery_attempts
      where endpoint_id = endpoint.id and created_at >= begins and created_at < ends
      group by 1, 2
    ) attempt
    -- Skips organizations being erased.
    for key share of endpoint
  ), types as (
    insert into "quickquote".attempt_types as known (organization_id, event_type, last_at)
    select organization_id, event_type, max(last_at) from counted group by 1, 2
    on conflict (organization_id, event_type) do update set last_at = excluded.last_at
      where known.last_at < excluded.last_at
  )
  insert into "quickquote".delivery_hours as hours (endpoint_id, organization_id, hour, delivered, failed, given_up)
  select id, organization_id, hour, sum(delivered), sum(failed), sum(given_up) from counted
  group by 1, 2, 3 having sum(delivered + failed) > 0
  on conflict (endpoint_id, hour) do update
    set delivered = hours.delivered + excluded.delivered, failed = hours.failed + excluded.failed,
      given_up = hours.given_up + excluded.given_up;
  update "quickquote".delivery_hours_counted set until = ends;
end
$$;

-- Adds an attempt to its hour and type if it is recorded after that hour was counted, for example after a database outage. The
-- lock makes it wait for a process that is counting, and the order avoids deadlocks.
create or replace function "quickquote".count_late_attempt() returns trigger language plpgsql as $$
declare
  counted_until timestamptz;
begin
  select until into counted_until from "quickquote".delivery_hours_counted for update;
  if new.created_at >= counted_until then
    return null;
  end if;
  insert into "quickquote".attempt_types as known (organization_id, event_type, last_at)
  values (new.organization_id, new.event_type, new.created_at)
  on conflict (organization_id, event_type) do update set last_at = excluded.last_at
    where known.last_at < excluded.last_at;
  if not new.is_test then
    insert into "quickquote".delivery_hours as counted (endpoint_id, hour, delivered, failed, given_up, organization_id)
    values (new.endpoint_id, date_trunc('hour', new.created_at, 'UTC'),
      (new.status = 'succeeded')::int, (new.status <> 'succeeded')::int, (new.status in ('exhausted', 'rejected'))::int,
      new.organization_id)
    on conflict (endpoint_id, hour) do update
      set delivered = counted.delivered + excluded.delivered, failed = counted.failed + excluded.failed,
      given_up = counted.given_up + excluded.given_up;
  end if;
  return null;
end
$$;
-- An attempt recorded in time only costs this condition. If it is less than a minute old when its transaction begins, four
-- minutes remain before it can be counted, and no such transaction takes that long.
create or replace trigger count_late_attempt after insert on "quickquote".delivery_attempts
  for each row when (new.created_at < now() - interval '1 minute')
  execute function "quickquote".count_late_attempt();
