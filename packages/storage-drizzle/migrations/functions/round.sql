-- The round of a worker
--
-- `delivery_round`, at the end, ends the attempts of a batch and leases due deliveries. See src/deliveries/deliveries.ts. Each
-- of its steps is a function, called only if it has work:
--
--   1. settle_attempts: record the attempts of a batch, and end or reschedule their deliveries
--   2. release_in_order, retry_now: make deliveries due that waited for these attempts
--   3. pick_few: if only a few deliveries are due, pick them all; that ends 3 to 5, unless some need a closer look
--      find_waiting: find endpoints with due deliveries; behind a long backlog, walk over all endpoints
--   4. lock_endpoints: choose endpoints and lock them, so that no other worker claims from them until the commit
--   5. pick_tests, pick_due, hold_back: pick deliveries for which endpoint and organization have room
--   6. lease and return them
--
-- It is a function for three reasons. It is one call and one transaction, so a worker that dies leaves no lock behind. Each
-- statement sees everything committed before it, so a count after locking is exact. And it has its own planner settings, which
-- also apply to the functions that it calls: it must use indexes only, because plans are cached, and one made while the tables
-- were empty would keep scanning whole tables when they are full.
--
-- For the same reason, some conditions are spelled so that only one plan is possible:
--
--   cross join lateral (… limit 1)   looks rows up one by one: the join cannot be reordered
--   ctid = any (array(…))            updates the rows that were looked up, without a join
--   num_nulls(x) = 1, = 0            is null, is not null, but matches no index with that predicate
--   x is not distinct from y         x = y, but searches no index
--   attempt >= 0                     always true: only with it, a statement can use the index deliveries_due_first
--   in_flight.deliveries >= 0        always true: makes the planner compute `in_flight` first, before a row is locked
--   offset 0                         computed once for each row of the outer query, however often the result is used
--   language sql stable, returns table   inlined into the statement that calls it

-- The deliveries in flight to an endpoint, counted up to a limit. "own_leases" has the worker's own, by endpoint; if it is
-- null, they are counted like those of others.
create or replace function "quickquote".in_flight_to(endpoint uuid, worker uuid, own_leases jsonb, at_most int)
returns table (deliveries bigint)
language sql stable as $$
  select coalesce((own_leases ->> endpoint::text)::int, 0) + count(*) from (
    select from (
      select from "quickquote".deliveries where endpoint_id = endpoint
        and leased_by < case when own_leases is null then '00000000-0000-0000-0000-000000000000' else worker end
      union all
      select from "quickquote".deliveries where endpoint_id = endpoint
        and leased_by > case when own_leases is null then '00000000-0000-0000-0000-000000000000' else worker end
    ) leases
    limit at_most
  ) others
$$;

-- How many deliveries to an endpoint may be in flight. "limits" has those that differ.
create or replace function "quickquote".limit_of(endpoint uuid, per_endpoint int, limits jsonb) returns int
language sql immutable as $$ select coalesce((limits ->> endpoint::text)::int, per_endpoint) $$;

-- How many deliveries to an endpoint may begin: none while its receiver has asked for a pause. Then one, whose outcome ends the
-- pause: none while that one is in flight. Usually there is no pause at all, which one look for each statement shows.
create or replace function "quickquote".may_begin(endpoint uuid, at timestamptz, unless_paused int) returns table (deliveries int)
language sql stable as $$
  select case when exists (select from "quickquote".endpoint_health where paused_until > '-infinity') then coalesce((
    select case when paused_until > at or exists (
      select from "quickquote".deliveries
      where endpoint_id = endpoint and leased_by is not null and leased_at >= paused_until and not is_test
    ) then 0 else 1 end
    from "quickquote".endpoint_health where endpoint_id = endpoint and num_nulls(paused_until) = 0 limit 1
  ), unless_paused) else unless_paused end
  offset 0
$$;

-- The next endpoint with waiting deliveries, or tests, and the first of them: one index entry, whatever the backlog. The
-- constant conditions stand outside, where the planner drops the other half. "due_after" skips index entries of removed
-- deliveries: see `delivery_round`.
create or replace function "quickquote".next_waiting(after uuid, of_tests boolean, due_after timestamptz)
returns table (endpoint_id uuid, organization_id uuid, due_at timestamptz)
language sql stable as $$
  select * from (
    select endpoint_id, organization_id, due_at from "quickquote".deliveries
    where leased_by is null and parked_at is null and endpoint_id > after and due_at > due_after
    order by endpoint_id, due_at limit 1
  ) delivery where not of_tests
  union all
  select * from (
    select endpoint_id, organization_id, due_at from "quickquote".deliveries
    where is_test and leased_by is null and endpoint_id > after
    order by endpoint_id, due_at limit 1
  ) test where of_tests
$$;

-- A walk over such endpoints.
create or replace function "quickquote".walk(after uuid, of_tests boolean, due_after timestamptz, at_most int)
returns table (endpoint_id uuid, organization_id uuid, due_at timestamptz, steps int)
language sql stable as $$
  with recursive walk (endpoint_id, organization_id, due_at, steps) as (
    select endpoint_id, organization_id, due_at, 1 from "quickquote".next_waiting(after, of_tests, due_after)
    union all
    select next.endpoint_id, next.organization_id, next.due_at, walk.steps + 1
    from walk cross join lateral "quickquote".next_waiting(walk.endpoint_id, of_tests, due_after) next
    where walk.steps < at_most
  )
  select endpoint_id, organization_id, due_at, steps from walk
$$;

-- 1. Settle: returns the endpoints and quotations of ended deliveries that others may wait for, and the endpoints that accepted
-- a delivery.
create or replace function "quickquote".settle_attempts(
  worker_id uuid, at timestamptz, settled_attempts json,
  out ended_endpoints uuid[], out ended_quotations uuid[], out answering uuid[]
)
language plpgsql as $$
#variable_conflict use_column
begin
  with settled as (
    select * from json_to_recordset(settled_attempts) as settled (id uuid, delivery_id uuid, attempt smallint, status text,
      http_status smallint, error text, duration_ms int, created_at timestamptz, next_attempt_at timestamptz,
      event_type text, event_sequence int, endpoint_version int, quotation_id uuid, response_body text, first_byte_ms int,
      response_headers jsonb,
      header_names text[], paused_until timestamptz, url text)
  ),
  -- The fence: an outcome counts only if its worker still holds the lease of that attempt. The statement that ends the lease
  -- checks again, and waits for concurrent changes of the row.
  held as (
    select settled.*, delivery.*,
      -- A receiver that the endpoint has left since then pauses nothing.
      case when num_nulls(settled.paused_until) = 0 and split_part(settled.url, '/', 3) = (
        select split_part(url, '/', 3) from "quickquote".webhook_endpoints where id = delivery.endpoint_id
      ) then settled.paused_until end as pause
    from settled cross join lateral (
      select ctid as row_id, organization_id, endpoint_id, event_id, is_test, check_kind, leased_at,
        num_nulls(quotation_id) = 0 as is_in_order
      from "quickquote".deliveries
      where id = settled.delivery_id and attempt = settled.attempt and leased_by is not distinct from worker_id
      limit 1
    ) delivery
  ), finished as (
    delete from "quickquote".deliveries delivery using held
    where delivery.ctid = held.row_id and held.next_attempt_at is null
      and delivery.attempt = held.attempt and delivery.leased_by is not distinct from worker_id
    returning held.*
  ), postponed as (
    update "quickquote".deliveries delivery set due_at = held.next_attempt_at, leased_by = null, leased_at = null
    from held where delivery.ctid = held.row_id and held.next_attempt_at is not null
      and delivery.attempt = held.attempt and delivery.leased_by is not distinct from worker_id
    returning held.*
  ), recorded as (
    insert into "quickquote".delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
      event_sequence, endpoint_version, quotation_id, attempt, status, http_status, error, duration_ms, is_test, check_kind,
      created_at, next_attempt_at, response_body, response_headers, first_byte_ms, header_names)
    select id, delivery_id, organization_id, endpoint_id, event_id, event_type, event_sequence, endpoint_version, quotation_id,
      attempt, status, http_status, error, duration_ms, is_test, check_kind, created_at, next_attempt_at, response_body,
      response_headers, first_byte_ms, header_names
    from (select * from finished union all select * from postponed) ended
    returning organization_id, endpoint_id, status, is_test
  ),
  -- Counts exhausted deliveries for a warning to the host, due an hour after the first.
  given_up as (
    insert into "quickquote".warnings as warning (id, organization_id, kind, subject_id, since, until, count, due_at, created_at)
    select gen_random_uuid(), organization_id, 'deliveries_exhausted', endpoint_id, at, at, count(*), at + interval '1 hour', at
    from recorded where status = 'exhausted' and not is_test
    group by organization_id, endpoint_id order by endpoint_id
    on conflict (subject_id) where kind = 'deliveries_exhausted' and attempt = 0
      do update set count = warning.count + excluded.count, until = greatest(warning.until, excluded.until)
  ), ended as (
    select endpoint_id, status, created_at, is_test, leased_at, pause from finished
    union all select endpoint_id, status, created_at, is_test, leased_at, pause from postponed
  ), latest as (
    select endpoint_id, max(created_at) filter (where status = 'succeeded') as succeeded_at,
      max(created_at) filter (where status <> 'succeeded') as last_failed_at, max(pause) as pause,
      max(leased_at) filter (where num_nulls(pause) = 1) as leased_at
    from ended where not is_test
    group by endpoint_id
  ), endpoint_result as (
    select endpoint_id, succeeded_at, pause, leased_at,
      case when succeeded_at is null or last_failed_at > succeeded_at then (
        select min(created_at) from ended
        where endpoint_id = latest.endpoint_id and status <> 'succeeded' and not is_test
          and created_at > coalesce(latest.succeeded_at, '-infinity')
      ) end as failed_at
    from latest
  ),
  -- Updates the health of endpoints only when it changes, or once a minute while deliveries succeed. Ordered, to avoid
  -- deadlocks. A pause is ended by a delivery that began after it.
  health_changed as (
    insert into "quickquote".endpoint_health as health (endpoint_id, last_success_at, failing_since, paused_until)
    select result.endpoint_id, result.succeeded_at, result.failed_at, result.pause
    from endpoint_result result left join lateral (
      select * from "quickquote".endpoint_health where endpoint_id = result.endpoint_id limit 1
    ) known on true
    where result.failed_at is not null and known.failing_since is null
      or result.succeeded_at is not null and (known.failing_since is not null or known.last_success_at is null
        or result.succeeded_at > known.last_success_at + interval '1 minute')
      or num_nulls(result.pause) = 0 or known.paused_until <= result.leased_at
    order by result.endpoint_id
    on conflict (endpoint_id) do update set
      last_success_at = greatest(health.last_success_at, excluded.last_success_at),
      failing_since = case when excluded.last_success_at is null
        then coalesce(health.failing_since, excluded.failing_since) else excluded.failing_since end,
      paused_until = case when num_nulls(excluded.paused_until) = 0 then greatest(health.paused_until, excluded.paused_until)
        when health.paused_until > (select leased_at from endpoint_result where endpoint_id = health.endpoint_id)
        then health.paused_until end
  )
  select array_agg(endpoint_id), array_agg(quotation_id),
    array(select distinct endpoint_id from ended where status = 'succeeded')
  from finished where is_in_order
  into ended_endpoints, ended_quotations, answering;
end
$$;

-- 2. In order: the next delivery of a quotation becomes due once the previous one has been deleted. A claim holds a delivery
-- back only while it keeps an earlier one from being deleted (see hold_back), so the round that deletes that one and then
-- looks, in a statement of its own, finds the delivery held back, without the lock of the endpoint. To make one due too early
-- is harmless: a claim looks again.
create or replace function "quickquote".release_in_order(ended_endpoints uuid[], ended_quotations uuid[], at timestamptz) returns void
language plpgsql as $$
begin
  update "quickquote".deliveries set due_at = at where ctid = any (array(
    select next.row_id from unnest(ended_endpoints, ended_quotations) as ended (endpoint, quotation)
    cross join lateral (
      select ctid as row_id, due_at, leased_by from "quickquote".deliveries
      where endpoint_id = ended.endpoint and quotation_id = ended.quotation and parked_at is null
      order by sequence limit 1
    ) next
    where next.due_at = 'infinity' and num_nulls(next.leased_by) = 1
  ));
end
$$;

-- An endpoint that responds again needs no back-off: deliveries that block others are retried at once. Not during a pause,
-- which lasts at least as long as any Retry-After.
create or replace function "quickquote".retry_now(answering uuid[], at timestamptz) returns void
language plpgsql as $$
begin
  update "quickquote".deliveries set due_at = at where ctid = any (array(
    select first.row_id from unnest(answering) as answered (endpoint)
    cross join lateral (
      select ctid as row_id, quotation_id, sequence from "quickquote".deliveries
      where leased_by is null and parked_at is null and endpoint_id = answered.endpoint
        and due_at > at and due_at < 'infinity' and num_nulls(quotation_id) = 0
      order by due_at limit 500
    ) first
    where exists (
      select from "quickquote".deliveries
      where endpoint_id = answered.endpoint and quotation_id is not null limit 1
    ) and exists (
      select from "quickquote".deliveries waiting
      where waiting.endpoint_id = answered.endpoint and waiting.quotation_id = first.quotation_id
        and waiting.sequence > first.sequence and waiting.parked_at is null
    ) and not exists (
      select from "quickquote".endpoint_health where endpoint_id = answered.endpoint and num_nulls(paused_until) = 0
    )
  ));
end
$$;

-- 3. Few: while little happens, everything due is picked at once. Nothing is picked (null) if more is due, if an endpoint wants
-- order, is locked, inactive, full or catching up with a change, or if any receiver has asked for a pause: steps 3 to 5 decide
-- then.
create or replace function "quickquote".pick_few(
  worker_id uuid, own_leases jsonb, at timestamptz, due_after timestamptz, per_endpoint int, limits jsonb, at_most int,
  out due_rows tid[], out endpoints uuid[], out first_due_at timestamptz
)
language plpgsql as $$
declare
  due record;
  locked bigint;
begin
  select coalesce(array_agg(row_id), '{}') as row_ids, array_agg(endpoint_id) as of_endpoints, count(*) as deliveries,
    count(distinct endpoint_id) as endpoints, min(due_at) as first_at, bool_or(num_nulls(quotation_id) = 0) as is_in_order
  from (
    select ctid as row_id, endpoint_id, quotation_id, due_at from "quickquote".deliveries
    where leased_by is null and parked_at is null and attempt >= 0 and due_at > due_after and due_at <= at
    order by due_at limit at_most + 1
  ) ahead into due;
  if due.deliveries > 0 then
    if due.deliveries > at_most or due.is_in_order
      or exists (select from "quickquote".endpoint_health where paused_until > '-infinity')
    then
      return;
    end if;
    -- The counts after the lock are exact: see step 5.
    select count(endpoint.id) from (select distinct id from unnest(due.of_endpoints) as waiting (id)) waiting
    cross join lateral (
      select id from "quickquote".webhook_endpoints
      where id = waiting.id and is_enabled and deleted_at is null and caught_up_to = generation
      limit 1 for no key update skip locked
    ) endpoint into locked;
    if locked < due.endpoints or exists (
      select from (
        select id, count(*) as deliveries from unnest(due.of_endpoints) as waiting (id) group by id
      ) waiting
      cross join lateral (select "quickquote".limit_of(waiting.id, per_endpoint, limits) as most) limited
      cross join lateral "quickquote".in_flight_to(waiting.id, worker_id, own_leases, most) in_flight
      where waiting.deliveries + in_flight.deliveries > most
    ) then
      return;
    end if;
  end if;
  due_rows := due.row_ids;
  endpoints := due.of_endpoints;
  first_due_at := due.first_at;
end
$$;

-- 3. Look: endpoints with due deliveries and their organizations, the first and the last due time examined, and the first of an
-- organization that is not full. If the look is long, there are more than it examined.
create or replace function "quickquote".find_waiting(
  at timestamptz, claim_limit int, per_endpoint int, limits jsonb, walk_after uuid, must_walk boolean, due_after timestamptz,
  full_organizations uuid[],
  out endpoints uuid[], out organizations uuid[], out is_long boolean, out first_due_at timestamptz,
  out first_open_at timestamptz, out last_due_at timestamptz, out walked_to uuid
)
language plpgsql as $$
#variable_conflict use_column
declare
  -- The number of oldest due deliveries examined. If there are no more, they include every endpoint with due deliveries.
  look_ahead constant int := 50 + claim_limit;
  -- If there are more, the number of endpoints that a walk visits, from where the last one ended.
  walk_steps constant int := 200;
  walk_share constant float := 0.125;
  -- No organization gets more than this share of a claim while others may wait.
  fair_share constant int := greatest(1, claim_limit / 8);
  due_counts bigint[];
begin
  -- Usually all due deliveries.
  select coalesce(sum(due), 0) = look_ahead, min(first_due_at),
    min(first_due_at) filter (where organization_id <> all (full_organizations)), max(last_due_at),
    coalesce(array_agg(endpoint_id), '{}'), coalesce(array_agg(organization_id), '{}'), coalesce(array_agg(due), '{}')
  from (
    select endpoint_id, organization_id, count(*) as due, min(due_at) as first_due_at, max(due_at) as last_due_at
    from (
      select endpoint_id, organization_id, due_at from "quickquote".deliveries
      where leased_by is null and parked_at is null and attempt >= 0 and due_at > due_after and due_at <= at
      order by due_at limit look_ahead
    ) ahead
    group by endpoint_id, organization_id
  ) waiting
  into is_long, first_due_at, first_open_at, last_due_at, endpoints, organizations, due_counts;

  -- Otherwise other endpoints may be hidden behind the backlog of one endpoint or organization. A walk over all endpoints finds
  -- them: if the oldest deliveries cannot fill the claim in fair shares, or did not in the previous round; otherwise in one of
  -- eight rounds.
  if is_long then
    walked_to := walk_after;
    if must_walk or random() < walk_share or claim_limit > (
      select coalesce(sum(least(room, fair_share)), 0) from (
        select sum(least(due, "quickquote".limit_of(endpoint, per_endpoint, limits), fair_share)) as room
        from unnest(endpoints, organizations, due_counts) as waiting (endpoint, organization, due)
        where organization <> all (full_organizations) group by organization
      ) rooms
    ) then
      select endpoints || coalesce(array_agg(endpoint_id) filter (where due_at <= at), '{}'),
        organizations || coalesce(array_agg(organization_id) filter (where due_at <= at), '{}'),
        (array_agg(endpoint_id) filter (where steps = walk_steps))[1]
      from "quickquote".walk(walk_after, false, due_after, walk_steps) into endpoints, organizations, walked_to;
    end if;
  end if;
end
$$;

-- 4. Choose: round robin over organizations, so that none fills a claim while another waits. Examines endpoints one by one
-- until there are enough. Endpoints without room are skipped; their count is an estimate until they are locked. A locked
-- endpoint is being claimed from or changed, so it waits for the next round, as does one whose deliveries are catching up with
-- a change.
--
-- An endpoint that is disabled or deleted is inactive, but a disabled one can be tested.
create or replace function "quickquote".lock_endpoints(
  waiting_endpoints uuid[], waiting_organizations uuid[], full_organizations uuid[], worker_id uuid, own_leases jsonb,
  at timestamptz, per_endpoint int, limits jsonb, at_most int, for_tests boolean,
  out active uuid[], out inactive uuid[], out in_order uuid[], out unlocked uuid[], out is_more boolean
)
language plpgsql as $$
#variable_conflict use_column
begin
  select coalesce(array_agg(endpoint_id) filter (where is_active), '{}'),
    coalesce(array_agg(endpoint_id) filter (where not is_active), '{}'),
    coalesce(array_agg(endpoint_id) filter (where is_active and ordering <> 'none'), '{}'),
    coalesce(array_agg(endpoint_id) filter (where num_nulls(is_active) = 1), '{}'),
    count(*) = at_most or count(*) > count(is_active)
  from (
    select candidate.endpoint_id, endpoint.is_active, endpoint.ordering
    from (
      select endpoint_id, row_number() over (partition by organization_id order by random()) as turn
      from (
        select distinct endpoint_id, organization_id
        from unnest(waiting_endpoints, waiting_organizations) as waiting (endpoint_id, organization_id)
      ) waiting
      where organization_id <> all (full_organizations)
      order by turn, random()
    ) candidate
    cross join lateral (select "quickquote".limit_of(candidate.endpoint_id, per_endpoint, limits) as most) limited
    cross join lateral "quickquote".in_flight_to(candidate.endpoint_id, worker_id, own_leases, most) in_flight
    cross join lateral "quickquote".may_begin(candidate.endpoint_id, at, most) pause
    left join lateral (
      select (is_enabled or for_tests) and deleted_at is null as is_active, ordering from "quickquote".webhook_endpoints
      where id = candidate.endpoint_id and in_flight.deliveries >= 0 and pause.deliveries >= 0
        and (caught_up_to = generation or for_tests)
      limit 1 for no key update skip locked
    ) endpoint on true
    where in_flight.deliveries < most and (pause.deliveries > 0 or for_tests)
    limit at_most
  ) chosen
  into active, inactive, in_order, unlocked, is_more;
end
$$;

-- Removes deliveries that can never be sent, because their endpoint does not exist: a transaction with an older snapshot may
-- commit them while their organization is erased. Of endpoints that could not be locked, most are only locked by others.
create or replace function "quickquote".remove_deliveries_to_nowhere(unlocked_endpoints uuid[]) returns void language plpgsql as $$
begin
  delete from "quickquote".deliveries where ctid = any (array(
    select stray.row_id from unnest(unlocked_endpoints) as unlocked (id)
    left join lateral (
      select id from "quickquote".webhook_endpoints where id = unlocked.id limit 1
    ) endpoint on true
    cross join lateral (
      (select ctid as row_id from "quickquote".deliveries
       where leased_by is null and parked_at is null and endpoint_id = unlocked.id order by due_at limit 500)
      union all
      (select ctid from "quickquote".deliveries
       where is_test and leased_by is null and endpoint_id = unlocked.id order by due_at limit 500)
    ) stray
    where num_nulls(endpoint.id) = 1
  ));
end
$$;

-- 5. Pick.
--
-- Claims by other workers were committed before these endpoints could be locked, and none can follow now, so the counts from
-- here on are exact: per_endpoint holds across all workers, and only one delivery begins after a pause.

-- Tests: members wait for them, and they are few.
create or replace function "quickquote".pick_tests(tested_endpoints uuid[], worker_id uuid, own_leases jsonb, per_endpoint int, at_most int)
returns tid[]
language plpgsql as $$
begin
  return array(
    select delivery.row_id
    from unnest(tested_endpoints) as tested (id)
    cross join lateral "quickquote".in_flight_to(tested.id, worker_id, own_leases, per_endpoint) in_flight
    cross join lateral (
      select ctid as row_id, row_number() over (order by due_at) as turn from "quickquote".deliveries
      where is_test and leased_by is null and endpoint_id = tested.id
      order by due_at limit greatest(0, per_endpoint - in_flight.deliveries)
    ) delivery
    order by delivery.turn limit at_most
  );
end
$$;

create or replace function "quickquote".pick_due(
  locked_endpoints uuid[], test_rows tid[], under_way jsonb, worker_id uuid, own_leases jsonb,
  at timestamptz, due_after timestamptz, claim_limit int, per_endpoint int, limits jsonb, most_of_free int,
  out due_rows tid[], out is_more boolean
)
language plpgsql as $$
#variable_conflict use_column
begin
  with endpoint as (
    select endpoint.*, count(*) over () as endpoints,
      coalesce((under_way ->> endpoint.organization_id::text)::int, 0) as places_taken
    from unnest(locked_endpoints) as locked (id) cross join lateral (
      select id, organization_id from "quickquote".webhook_endpoints
      where id = locked.id and is_enabled and num_nulls(deleted_at) = 1 limit 1
    ) endpoint
  ),
  -- Each endpoint contributes its share of the claim, so that none fills it while another waits.
  due as (
    select delivery.row_id, delivery.due_at, endpoint.organization_id, endpoint.places_taken,
      share.size < share.room as may_have_more
    from endpoint
    cross join lateral (
      select least(room, ceil(claim_limit::numeric / endpoints))::int as size, room from (
        select least(pause.deliveries, greatest(0, most - in_flight.deliveries - (
            select count(*) from "quickquote".deliveries where ctid = any (test_rows) and endpoint_id = endpoint.id
          ))) as room
        from (select "quickquote".limit_of(endpoint.id, per_endpoint, limits) as most) limited
        cross join lateral "quickquote".in_flight_to(endpoint.id, worker_id, own_leases, most) in_flight
        cross join lateral "quickquote".may_begin(endpoint.id, at, most) pause
      ) room
    ) share
    cross join lateral (
      select ctid as row_id, due_at from "quickquote".deliveries
      where leased_by is null and parked_at is null and endpoint_id = endpoint.id
        and due_at > due_after and due_at <= at
        and (quotation_id is null or not exists (
          select from "quickquote".deliveries earlier
          where earlier.endpoint_id = endpoint.id and earlier.quotation_id = deliveries.quotation_id
            and earlier.sequence < deliveries.sequence and earlier.parked_at is null
        ))
      order by due_at limit share.size
    ) delivery
  ),
  -- In turns, as long as the organization leaves enough places for others.
  ranked as (
    select *, claim_limit - cardinality(test_rows) - row_number() over (order by turn, due_at) as left_free from (
      select *, places_taken + row_number() over (partition by organization_id order by due_at) as turn from due
    ) turns
  ), allowed as (
    select *, left_free >= 0 and turn <= most_of_free * (left_free + 1) as is_allowed from ranked
  )
  select coalesce(array_agg(row_id) filter (where is_allowed), '{}'),
    coalesce(bool_or(may_have_more or not is_allowed), false)
  from allowed
  into due_rows, is_more;
end
$$;

-- Hides deliveries that must wait for others from claims, each while an earlier one is locked against deletion: if that is just
-- being deleted, a later round looks again. Returns whether there were any.
create or replace function "quickquote".hold_back(ordered_endpoints uuid[], at timestamptz, at_most int) returns boolean
language plpgsql as $$
declare
  found_some boolean;
begin
  with waiting as materialized (
    select delivery.row_id, earlier.is_kept
    from unnest(ordered_endpoints) as ordered (id)
    cross join lateral (
      select ctid as row_id, quotation_id, sequence from "quickquote".deliveries
      where leased_by is null and parked_at is null and endpoint_id = ordered.id and due_at <= at
        and num_nulls(quotation_id) = 0 and exists (
          select from "quickquote".deliveries earlier
          where earlier.endpoint_id = ordered.id and earlier.quotation_id = deliveries.quotation_id
            and earlier.sequence < deliveries.sequence and earlier.parked_at is null
        )
      order by due_at limit at_most
    ) delivery
    left join lateral (
      select true as is_kept from "quickquote".deliveries earlier
      where earlier.endpoint_id = ordered.id and earlier.quotation_id = delivery.quotation_id
        and earlier.sequence < delivery.sequence and earlier.parked_at is null
      order by sequence limit 1 for key share skip locked
    ) earlier on true
    limit at_most
  ), held_back as (
    update "quickquote".deliveries set due_at = 'infinity'
    where ctid = any (array(select row_id from waiting where is_kept))
  )
  select exists (select from waiting) into found_some;
  return found_some;
end
$$;

-- Removes leases just taken on deliveries whose event is gone or was erased.
create or replace function "quickquote".remove_leases_without_event(worker uuid, endpoints uuid[]) returns void language plpgsql as $$
begin
  delete from "quickquote".deliveries where ctid = any (array(
    select held.row_id from unnest(endpoints) as claimed (id)
    cross join lateral (
      select ctid as row_id, event_id from "quickquote".deliveries
      where endpoint_id = claimed.id and leased_by = worker
    ) held
    left join lateral (
      select id from "quickquote".events
      where id = held.event_id and body <> '[erased]' limit 1
    ) event on true
    where num_nulls(event.id) = 1
  ));
end
$$;

-- What a worker needs to know of an endpoint.
create or replace function "quickquote".receiver_of(endpoint "quickquote".webhook_endpoints) returns json
language sql stable as $$
  select json_build_object(
    'id', endpoint.id, 'url', endpoint.url, 'version', endpoint.version,
    'secret_key_id', endpoint.secret_key_id, 'secret_ciphertext', encode(endpoint.secret_ciphertext, 'hex'),
    'previous_secrets', endpoint.previous_secrets,
    'headers_key_id', endpoint.headers_key_id, 'headers_ciphertext', encode(endpoint.headers_ciphertext, 'hex')
  )
$$;

-- Without a round: the statement that records an event leases a delivery at once if a round would certainly claim it. The
-- endpoint is then locked as in step 4, and its receiver is returned. Null: a round decides.
create or replace function "quickquote".lease_at_once(endpoint uuid, at timestamptz, per_endpoint int) returns json
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  receiver json;
begin
  if current_setting('transaction_isolation') not like 'read %committed' then
    return null;
  end if;
  -- Before the lock, which keeps rounds from the endpoint.
  if exists (
    select from "quickquote".deliveries
    where leased_by is null and parked_at is null and endpoint_id = endpoint and due_at <= at
  ) or exists (
    select from "quickquote".endpoint_health where endpoint_id = endpoint and num_nulls(paused_until) = 0
  ) then
    return null;
  end if;
  select "quickquote".receiver_of(known) into receiver from "quickquote".webhook_endpoints known
  where id = endpoint and is_enabled and deleted_at is null and ordering = 'none' and caught_up_to = generation
  limit 1 for no key update skip locked;
  -- The count after the lock is exact: see step 5.
  if receiver is not null and (
    select deliveries from "quickquote".in_flight_to(endpoint, null, null, per_endpoint)
  ) < per_endpoint then
    return receiver;
  end if;
  return null;
end
$$;

-- settled_attempts        the batch, an array of objects
-- limits                  of endpoints that may have more in flight than per_endpoint
-- walk_after              the endpoint after which a walk begins
-- must_walk               the previous round did not find enough
-- few                     so many due deliveries need no look at fairness; null: more are expected
-- due_after               skips older due times: while a long transaction holds up vacuum, the index keeps entries of removed
--                         deliveries, and every round would read them
-- under_way               the number of deliveries in flight at this worker by organization; others have few or none
-- full_organizations      those of them that have all their places
-- own_leases              the number of its leases by endpoint, without those of the batch; null: it is not certain of them, so
--                         they are counted like those of others
-- most_of_free            no organization has more than this multiple of the free places: with four, one alone gets four fifths
--                         of a worker, and two whose endpoints hang leave a ninth to the others
--
-- The first row is the round itself; the others are the leased deliveries. The columns of the one are null in the other:
--
-- walked_to               where a walk stopped
-- is_long                 more deliveries were due than examined
-- first_due_at, last_due_at   of those examined
-- first_open_at           the first of an organization that is not full
-- entries_read            the number of index entries that the look read, dead ones included
-- is_more                 more can be claimed now
-- is_catching_up          an endpoint was skipped because its deliveries are catching up
-- next_due_at             the next due time, or end of a pause
-- endpoints               of the leased deliveries, as JSON; null: nothing was leased
create or replace function "quickquote".delivery_round(
  worker_id uuid, at timestamptz, claim_limit int, per_endpoint int, limits jsonb, walk_after uuid, must_walk boolean,
  few int, due_after timestamptz, settled_attempts json, under_way jsonb, full_organizations uuid[], own_leases jsonb,
  most_of_free int
) returns table (
  walked_to uuid, is_long boolean, first_due_at timestamptz, last_due_at timestamptz, first_open_at timestamptz, entries_read int,
  is_more boolean, is_catching_up boolean, next_due_at timestamptz, endpoints json,
  id uuid, organization_id uuid, event_id uuid, event_type text, quotation_id uuid, body text, attempt smallint, is_test boolean,
  check_kind text, endpoint_id uuid, event_sequence int
)
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  -- The number of backlogged endpoints per claim: one per delivery for small claims, one per four deliveries for larger ones.
  backlogged_at_once constant int := greatest(least(claim_limit, 16), claim_limit / 4);
  -- Deliveries of disabled or deleted endpoints parked per round.
  parked_at_once constant int := 500;
  -- Deliveries held back per round, because they wait for others of their quotation.
  held_back_at_once constant int := 500;
  tests_at_once constant int := 8;
  looked_in constant oid := '"quickquote".deliveries_due_first'::regclass;
  settled record;
  locked record;
  tested record;
  picked record;
  waiting uuid[];
  their_organizations uuid[];
  claimed_endpoints uuid[] := '{}';
  test_rows tid[] := '{}';
  due_rows tid[];
  has_tests boolean := false;
  returned int;
begin
  -- Later statements must see the commits before them.
  if current_setting('transaction_isolation') not like 'read %committed' then
    raise 'a round of a worker needs a transaction that is "read committed"';
  end if;
  is_long := false;
  entries_read := 0;
  is_more := false;
  is_catching_up := false;

  if settled_attempts::text <> '[]' then
    settled := "quickquote".settle_attempts(worker_id, at, settled_attempts);
    if settled.ended_endpoints is not null then
      perform "quickquote".release_in_order(settled.ended_endpoints, settled.ended_quotations, at);
    end if;
    -- Usually no endpoint wants order.
    if settled.answering <> '{}' and exists (
      select from "quickquote".deliveries where endpoint_id = any (settled.answering) and quotation_id is not null
    ) then
      perform "quickquote".retry_now(settled.answering, at);
    end if;
  end if;

  if claim_limit > 0 then
    entries_read := pg_stat_get_xact_tuples_returned(looked_in);
    has_tests := exists (select from "quickquote".deliveries where is_test and leased_by is null);
    -- With so many places, no organization gets too many.
    if claim_limit >= 2 * few and under_way = '{}' and not has_tests then
      picked := "quickquote".pick_few(worker_id, own_leases, at, due_after, per_endpoint, limits, few);
      due_rows := picked.due_rows;
      claimed_endpoints := coalesce(picked.endpoints, '{}');
      first_due_at := picked.first_due_at;
    end if;
    if due_rows is null then
      select * from "quickquote".find_waiting(at, claim_limit, per_endpoint, limits, walk_after, must_walk, due_after, full_organizations)
      into waiting, their_organizations, is_long, first_due_at, first_open_at, last_due_at, walked_to;
    end if;
    entries_read := pg_stat_get_xact_tuples_returned(looked_in) - entries_read;
  end if;
  if waiting <> '{}' then
    locked := "quickquote".lock_endpoints(waiting, their_organizations, full_organizations, worker_id, own_leases, at,
      per_endpoint, limits, case when is_long then backlogged_at_once else claim_limit end, false);
    is_more := locked.is_more;
    claimed_endpoints := locked.active;
    if locked.unlocked <> '{}' then
      perform "quickquote".remove_deliveries_to_nowhere(locked.unlocked);
      is_catching_up := exists (
        select from "quickquote".webhook_endpoints where id = any (locked.unlocked) and caught_up_to < generation
      );
    end if;
    -- Removes deliveries of disabled or deleted endpoints from the indexes that claims read.
    if locked.inactive <> '{}' then
      update "quickquote".deliveries set parked_at = at where ctid = any (array(
        select due.row_id from unnest(locked.inactive) as inactive (id) cross join lateral (
          select ctid as row_id from "quickquote".deliveries
          where leased_by is null and parked_at is null and endpoint_id = inactive.id and due_at <= at
          order by due_at limit parked_at_once for update skip locked
        ) due
        limit parked_at_once
      ));
      is_more := is_more or found;
    end if;
  end if;

  -- Tests go first: a few per round.
  if has_tests then
    select array_agg(endpoint_id) as endpoints, array_agg(organization_id) as organizations
    from "quickquote".walk('00000000-0000-0000-0000-000000000000', true, '-infinity', 2147483647) into tested;
    tested := "quickquote".lock_endpoints(tested.endpoints, tested.organizations, full_organizations, worker_id, own_leases, at,
      per_endpoint, limits, tests_at_once, true);
    claimed_endpoints := claimed_endpoints || tested.active;
    if tested.unlocked <> '{}' then
      perform "quickquote".remove_deliveries_to_nowhere(tested.unlocked);
    end if;
    test_rows := "quickquote".pick_tests(tested.active, worker_id, own_leases, per_endpoint, least(claim_limit, tests_at_once));
    is_more := is_more or tested.is_more or cardinality(test_rows) = tests_at_once;
  end if;
  if waiting <> '{}' then
    if locked.active <> '{}' then
      picked := "quickquote".pick_due(locked.active, test_rows, under_way, worker_id, own_leases, at, due_after,
        claim_limit, per_endpoint, limits, most_of_free);
      due_rows := picked.due_rows;
      is_more := is_more or picked.is_more;
    end if;
    if locked.in_order <> '{}' then
      is_more := "quickquote".hold_back(locked.in_order, at, held_back_at_once) or is_more;
    end if;
  end if;

  next_due_at := least((
    select due_at from "quickquote".deliveries
    where leased_by is null and parked_at is null and attempt >= 0 and due_at > at and due_at < 'infinity'
    order by due_at limit 1
  ), (
    select paused_until from "quickquote".endpoint_health where paused_until > at order by paused_until limit 1
  ));
  if cardinality(due_rows || test_rows) = 0 then
    return next;
    return;
  end if;

  -- 6. Lease.
  return query
  with leased as (
    update "quickquote".deliveries set leased_by = worker_id, leased_at = at, attempt = attempt + 1
    where ctid = any (due_rows || test_rows) and num_nulls(leased_by) = 1
    returning id, organization_id, endpoint_id, event_id, attempt, is_test, check_kind
  )
  select walked_to, is_long, first_due_at, last_due_at, first_open_at, entries_read, is_more, is_catching_up, next_due_at, (
      select coalesce(json_agg("quickquote".receiver_of(endpoint)), '[]')
      from (select distinct endpoint_id from leased) leased
      cross join lateral (
        select * from "quickquote".webhook_endpoints where id = leased.endpoint_id limit 1
      ) endpoint
    ),
    null::uuid, null::uuid, null::uuid, null, null::uuid, null, null::smallint, null::boolean, null, null::uuid, null::int
  union all
  select null, null, null, null, null, null, null, null, null, null,
    leased.id, leased.organization_id, leased.event_id, event.type, event.quotation_id, event.body, leased.attempt,
    leased.is_test, leased.check_kind, leased.endpoint_id, event.sequence
  from leased cross join lateral (
    select type, quotation_id, body, sequence from "quickquote".events
    where id = leased.event_id and organization_id is not distinct from leased.organization_id and body <> '[erased]' limit 1
  ) event;

  -- The first row is the round.
  get diagnostics returned = row_count;
  if returned <= cardinality(due_rows || test_rows) then
    perform "quickquote".remove_leases_without_event(worker_id, claimed_endpoints);
  end if;
end
$$;
