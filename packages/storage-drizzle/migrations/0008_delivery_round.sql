-- One round of a worker: ends the attempts of a batch, and leases due deliveries. See src/deliveries.ts.
--
-- It is a function for three reasons. It is one call, and a transaction of its own: whatever happens to the worker's
-- process in the middle of it, no lock stays behind. Its two statements each see what was committed before they began,
-- so that the second counts exactly what is under way. And it brings the settings that it is planned with: it lives on
-- its indexes alone. Its plans are kept, and may have been made while the tables were empty; a plan that read whole
-- tables then would go on doing so when they are full. For the same reason rows are looked up one by one, in laterals with
-- a limit, and changed by their ctid: then there is one index for each search, and no join that could be turned around.
--
-- outcomes: the batch, an array of objects. walk_after: the endpoint after which a walk begins. There is at least one row
-- in the result, for what is in every row: whether there is more to claim right now, when something is due next, and
-- where a walk was cut short.
create function "quickquote".delivery_round(
  worker_id uuid, at timestamptz, claim_limit int, per_endpoint int, walk_after uuid, outcomes json
) returns table (
  walked_to uuid, is_more boolean, next_due_at timestamptz,
  id uuid, organization_id uuid, event_id uuid, event_type text, quotation_id uuid, body text, attempt smallint,
  is_test boolean, endpoint_id uuid, url text, secret_key_id text, secret_ciphertext bytea,
  previous_secret_key_id text, previous_secret_ciphertext bytea, version int
)
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  -- The oldest due deliveries that are looked at. When there are no more, they tell all endpoints that have some.
  look_ahead constant int := 50 + 2 * claim_limit;
  -- When there are more, so many endpoints are walked through, from where the last walk ended.
  walk_steps constant int := 200;
  -- Endpoints that are claimed of at once: one for each delivery when few are wanted, later one for four.
  claimed_endpoints constant int := greatest(least(claim_limit, 16), claim_limit / 4);
  -- What is parked in one round of the deliveries of endpoints that were disabled or deleted.
  parked_at_once constant int := 500;
  tests_at_once constant int := 8;
  locked_endpoints uuid[];
  walk_end uuid;
  is_more_elsewhere boolean;
begin
  with recursive outcome as (
    select * from json_to_recordset(outcomes) as outcome (id uuid, delivery_id uuid, attempt smallint, status text,
      http_status smallint, error text, duration_ms int, created_at timestamptz, next_attempt_at timestamptz,
      event_type text, quotation_id uuid, response_body text, first_byte_ms int)
  ),
  -- The fence: an outcome counts only while its worker still holds the lease of that very attempt. "is not distinct from"
  -- keeps the index of leased deliveries out of this.
  held as (
    select outcome.*, delivery.*
    from outcome cross join lateral (
      select ctid as place, organization_id, endpoint_id, event_id, is_test from "quickquote".deliveries
      where id = outcome.delivery_id and attempt = outcome.attempt and leased_by is not distinct from worker_id
      limit 1 for update
    ) delivery
  ), finished as (
    delete from "quickquote".deliveries
    where ctid = any (array(select place from held where next_attempt_at is null))
  ), postponed as (
    update "quickquote".deliveries delivery set due_at = held.next_attempt_at, leased_by = null, leased_at = null
    from held where delivery.ctid = held.place and held.next_attempt_at is not null
  ), recorded as (
    insert into "quickquote".delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
      quotation_id, attempt, status, http_status, error, duration_ms, is_test, created_at, next_attempt_at,
      response_body, first_byte_ms)
    select id, delivery_id, organization_id, endpoint_id, event_id, event_type, quotation_id, attempt, status,
      http_status, error, duration_ms, is_test, created_at, next_attempt_at, response_body, first_byte_ms
    from held
  ),
  -- How it goes with each endpoint, written only when that changes, and once a minute while it goes well. In their order,
  -- so that no two statements wait for each other.
  went as (
    select endpoint_id, succeeded_at, min(created_at)
      filter (where status <> 'succeeded' and (succeeded_at is null or created_at > succeeded_at)) as failed_at
    from (
      select endpoint_id, status, created_at,
        max(created_at) filter (where status = 'succeeded') over (partition by endpoint_id) as succeeded_at
      from held where not is_test
    ) attempt
    group by endpoint_id, succeeded_at
  ), health as (
    insert into "quickquote".endpoint_health as health (endpoint_id, last_success_at, failing_since)
    select went.endpoint_id, went.succeeded_at, went.failed_at
    from went left join lateral (
      select * from "quickquote".endpoint_health where endpoint_id = went.endpoint_id limit 1
    ) known on true
    where went.failed_at is not null and known.failing_since is null
      or went.succeeded_at is not null and (known.failing_since is not null or known.last_success_at is null
        or went.succeeded_at > known.last_success_at + interval '1 minute')
    order by went.endpoint_id
    on conflict (endpoint_id) do update set
      last_success_at = greatest(health.last_success_at, excluded.last_success_at),
      failing_since = case when excluded.last_success_at is null
        then coalesce(health.failing_since, excluded.failing_since) else excluded.failing_since end
  ),
  -- Usually these are all the due deliveries that there are.
  ahead as (
    select endpoint_id from "quickquote".deliveries
    where leased_by is null and parked_at is null and attempt >= 0 and due_at <= at and claim_limit > 0
    order by due_at limit look_ahead
  ),
  -- Otherwise the rest may hide behind the backlog of one endpoint. One index entry is read for each endpoint, whatever
  -- its backlog.
  walk (endpoint_id, due_at, steps) as (
    (select endpoint_id, due_at, 1 from "quickquote".deliveries
     where leased_by is null and parked_at is null and endpoint_id > walk_after
       and (select count(*) from ahead) = look_ahead
     order by endpoint_id, due_at limit 1)
    union all
    select next.endpoint_id, next.due_at, walk.steps + 1
    from walk cross join lateral (
      select endpoint_id, due_at from "quickquote".deliveries
      where leased_by is null and parked_at is null and endpoint_id > walk.endpoint_id
      order by endpoint_id, due_at limit 1
    ) next
    where walk.steps < walk_steps
  ), candidate as (
    select due.endpoint_id, endpoint.organization_id, coalesce(endpoint.is_active, false) as is_active
    from (select endpoint_id from ahead union select endpoint_id from walk where due_at <= at) due
    left join lateral (
      select organization_id, is_enabled and deleted_at is null as is_active
      from "quickquote".webhook_endpoints where id = due.endpoint_id limit 1
    ) endpoint on true
  ),
  -- Deliveries of an endpoint that was disabled or deleted leave the indexes that claims read.
  parked as (
    update "quickquote".deliveries set parked_at = at where ctid = any (array(
      select due.place from candidate cross join lateral (
        select ctid as place from "quickquote".deliveries
        where leased_by is null and parked_at is null and endpoint_id = candidate.endpoint_id and due_at <= at
        order by due_at limit parked_at_once for update skip locked
      ) due
      where not candidate.is_active limit parked_at_once
    ))
    returning 1
  ),
  -- A guess, so that endpoints without room take nobody's place. What this statement has just ended still looks leased
  -- to it, so whoever it ended something of has room.
  roomy as (
    select candidate.endpoint_id,
      row_number() over (partition by candidate.organization_id order by random()) as turn
    from candidate cross join lateral (
      select count(*) as leased from (
        select from "quickquote".deliveries
        where endpoint_id = candidate.endpoint_id and leased_by is not null limit per_endpoint
      ) leased
    ) in_flight
    where candidate.is_active
      and (in_flight.leased < per_endpoint or candidate.endpoint_id in (select endpoint_id from held))
  ),
  -- Round robin over organizations: none fills a claim while another one waits. Whoever holds a lock is claiming, or
  -- changing the endpoint: next time.
  locked as (
    select endpoint.id from (select endpoint_id from roomy order by turn, random()) roomy
    cross join lateral (
      select id from "quickquote".webhook_endpoints where id = roomy.endpoint_id
      limit 1 for no key update skip locked
    ) endpoint
    limit claimed_endpoints
  )
  select array(select id from locked),
    (select endpoint_id from walk where steps = walk_steps),
    exists (select from parked)
      or (select count(*) from roomy) > (select count(*) from locked)
      or exists (select from held where next_attempt_at <= at)
  into locked_endpoints, walk_end, is_more_elsewhere;

  -- What others claimed of these endpoints was committed before they could be locked, so it is counted here, and nobody
  -- claims of them now: per_endpoint holds exactly, over all workers.
  return query
  with endpoint as (
    select endpoint.*, count(*) over () as endpoints
    from unnest(locked_endpoints) as locked (id) cross join lateral (
      select id, organization_id from "quickquote".webhook_endpoints
      where id = locked.id and is_enabled and num_nulls(deleted_at) = 1 limit 1
    ) endpoint
  ),
  -- Each gives its share of the claim, so that none fills it while another one waits.
  due as (
    select delivery.place, delivery.due_at, endpoint.organization_id, share.size < share.room as may_have_more
    from endpoint
    cross join lateral (
      select least(room, ceil(claim_limit::numeric / endpoints))::int as size, room from (
        select greatest(0, per_endpoint - count(*)) as room from "quickquote".deliveries
        where endpoint_id = endpoint.id and leased_by is not null
      ) in_flight
    ) share
    cross join lateral (
      select ctid as place, due_at from "quickquote".deliveries
      where leased_by is null and parked_at is null and endpoint_id = endpoint.id and due_at <= at
      order by due_at limit share.size
    ) delivery
  ),
  -- Somebody is waiting for each of these, and there are few. An endpoint may be tested while it is disabled.
  test as (
    select ctid as place from "quickquote".deliveries delivery
    where is_test and leased_by is null
      and (select num_nulls(deleted_at) = 1 from "quickquote".webhook_endpoints where id = delivery.endpoint_id limit 1)
    order by due_at limit least(claim_limit, tests_at_once)
    for update of delivery skip locked
  ), chosen as (
    (select place from (
       select place, due_at, row_number() over (partition by organization_id order by due_at) as turn from due
     ) turns
     order by turn, due_at limit claim_limit - (select count(*) from test))
    union all
    select place from test
  ), leased as (
    update "quickquote".deliveries set leased_by = worker_id, leased_at = at, attempt = attempt + 1
    where ctid = any (array(select place from chosen)) and num_nulls(leased_by) = 1
    returning id, organization_id, endpoint_id, event_id, event_created_at, attempt, is_test
  ), round as (
    select is_more_elsewhere
        or (select count(*) from due) > (select count(*) from leased where not is_test)
        or exists (select from due where may_have_more) as is_more,
      (select due_at from "quickquote".deliveries
       where leased_by is null and parked_at is null and attempt >= 0 and due_at > at
       order by due_at limit 1) as next_due_at
  )
  select walk_end, round.is_more, round.next_due_at, delivery.*
  from round left join (
    select leased.id, leased.organization_id, leased.event_id, event.type, event.quotation_id, event.body,
      leased.attempt, leased.is_test, leased.endpoint_id, endpoint.url, endpoint.secret_key_id,
      endpoint.secret_ciphertext,
      case when endpoint.previous_secret_expires_at > at then endpoint.previous_secret_key_id end,
      endpoint.previous_secret_ciphertext, endpoint.version
    from leased
    cross join lateral (
      select * from "quickquote".webhook_endpoints where id = leased.endpoint_id limit 1
    ) endpoint
    cross join lateral (
      select type, quotation_id, body from "quickquote".events
      where id = leased.event_id and created_at = leased.event_created_at
        and organization_id = leased.organization_id limit 1
    ) event
  ) delivery on true;
end
$$;
