-- The round of 0012, for less: it looks at endpoints only until it has enough of them, need not begin at the very first entry
-- of an index, and answers with fewer columns. The one of 0012 stays for workers of the version before, which may go on while
-- this is applied.
--
-- One round of a worker: ends the attempts of a batch, and leases due deliveries. See src/deliveries.ts.
--
-- It is a function for three reasons. It is one call, and a transaction of its own: whatever happens to the worker's
-- process in the middle of it, no lock stays behind. Its two statements each see what was committed before they began,
-- so that the second counts exactly what is under way. And it brings the settings that it is planned with: it lives on
-- its indexes alone. Its plans are kept, and may have been made while the tables were empty; a plan that read whole
-- tables then would go on doing so when they are full. For the same reason rows are looked up one by one, in laterals with
-- a limit, and changed by their ctid: then there is one index for each search, and no join that could be turned around.
--
-- outcomes: the batch, an array of objects. walk_after: the endpoint after which a walk begins. must_walk: the round before
-- has not found enough. due_after: nothing is claimed that was due before that; the entries of deliveries that are gone
-- stay in the indexes while a long transaction keeps them from being removed, and would be read each time.
--
-- The first row of the result has the round alone, as JSON: where a walk was cut short, whether the oldest deliveries are more
-- than were looked at and which is the first of them, whether there is more to claim right now, when something is due
-- next, and the endpoints of what was leased. That is what the other rows are: few columns, since there are many of them.
create function "quickquote".delivery_round(
  worker_id uuid, at timestamptz, claim_limit int, per_endpoint int, walk_after uuid, must_walk boolean,
  due_after timestamptz, outcomes json
) returns table (
  round text, id uuid, organization_id uuid, event_id uuid, event_type text, quotation_id uuid, body text, attempt smallint,
  is_test boolean, endpoint_id uuid
)
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  -- The oldest due deliveries that are looked at. When there are no more, they tell all endpoints that have some.
  look_ahead constant int := 50 + claim_limit;
  -- When there are more, so many endpoints are walked through at times, from where the last walk ended.
  walk_steps constant int := 200;
  walk_share constant float := 0.125;
  -- More than this of a claim is not one organization's while others may wait.
  fair_share constant int := greatest(1, claim_limit / 8);
  -- Endpoints of a backlog that are claimed of at once: one for each delivery when few are wanted, later one for four.
  claimed_endpoints constant int := greatest(least(claim_limit, 16), claim_limit / 4);
  -- What is parked in one round of the deliveries of endpoints that were disabled or deleted.
  parked_at_once constant int := 500;
  tests_at_once constant int := 8;
  locked_endpoints uuid[];
  walk_end uuid;
  is_long_ahead boolean;
  first_ahead timestamptz;
  is_more_elsewhere boolean;
begin
  with recursive outcome as (
    select * from json_to_recordset(outcomes) as outcome (id uuid, delivery_id uuid, attempt smallint, status text,
      http_status smallint, error text, duration_ms int, created_at timestamptz, next_attempt_at timestamptz,
      event_type text, quotation_id uuid, response_body text, first_byte_ms int)
  ),
  -- The fence: an outcome counts only while its worker still holds the lease of that very attempt. It is checked again by
  -- what ends the lease, which waits for whoever is changing the row. "is not distinct from" keeps the index of leased
  -- deliveries out of this.
  held as (
    select outcome.*, delivery.*
    from outcome cross join lateral (
      select ctid as place, organization_id, endpoint_id, event_id, is_test from "quickquote".deliveries
      where id = outcome.delivery_id and attempt = outcome.attempt and leased_by is not distinct from worker_id
      limit 1
    ) delivery
  ), finished as (
    delete from "quickquote".deliveries delivery using held
    where delivery.ctid = held.place and held.next_attempt_at is null
      and delivery.attempt = held.attempt and delivery.leased_by is not distinct from worker_id
    returning held.*
  ), postponed as (
    update "quickquote".deliveries delivery set due_at = held.next_attempt_at, leased_by = null, leased_at = null
    from held where delivery.ctid = held.place and held.next_attempt_at is not null
      and delivery.attempt = held.attempt and delivery.leased_by is not distinct from worker_id
    returning held.*
  ), recorded as (
    insert into "quickquote".delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
      quotation_id, attempt, status, http_status, error, duration_ms, is_test, created_at, next_attempt_at,
      response_body, first_byte_ms)
    select id, delivery_id, organization_id, endpoint_id, event_id, event_type, quotation_id, attempt, status,
      http_status, error, duration_ms, is_test, created_at, next_attempt_at, response_body, first_byte_ms
    from (select * from finished union all select * from postponed) ended
    returning endpoint_id, status, created_at, is_test
  ),
  -- How it goes with each endpoint, written only when that changes, and once a minute while it goes well. In their order,
  -- so that no two statements wait for each other.
  lately as (
    select endpoint_id, max(created_at) filter (where status = 'succeeded') as succeeded_at,
      max(created_at) filter (where status <> 'succeeded') as last_failed_at
    from recorded where not is_test
    group by endpoint_id
  ), went as (
    select endpoint_id, succeeded_at, case when succeeded_at is null or last_failed_at > succeeded_at then (
      select min(created_at) from recorded
      where endpoint_id = lately.endpoint_id and status <> 'succeeded' and not is_test
        and created_at > coalesce(lately.succeeded_at, '-infinity')
    ) end as failed_at
    from lately
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
    select endpoint_id, organization_id, due_at from "quickquote".deliveries
    where leased_by is null and parked_at is null and attempt >= 0 and due_at > due_after and due_at <= at
      and claim_limit > 0
    order by due_at limit look_ahead
  ), ahead_endpoint as (
    select endpoint_id, organization_id, count(*) as due from ahead group by endpoint_id, organization_id
  ),
  -- Otherwise the rest may hide behind the backlog of one endpoint or organization. Then a walk goes over all endpoints:
  -- when the oldest deliveries cannot fill the claim in fair shares, or did not in the round before, and else in one
  -- round of eight, for those who wait behind them.
  walking as (
    select is_long, first_due_at, case when is_long then claimed_endpoints else claim_limit end as endpoints,
      is_long and (must_walk or random() < walk_share or coalesce(room, 0) < claim_limit) as is_walking
    from (select count(*) = look_ahead as is_long, min(due_at) as first_due_at from ahead) ahead, (
      select sum(least(room, fair_share)) as room from (
        select sum(least(due, per_endpoint, fair_share)) as room from ahead_endpoint group by organization_id
      ) organization
    ) organizations
  ),
  -- One index entry is read for each endpoint, whatever its backlog.
  walk (endpoint_id, organization_id, due_at, steps) as (
    (select endpoint_id, organization_id, due_at, 1 from "quickquote".deliveries
     where leased_by is null and parked_at is null and endpoint_id > walk_after
       and (select is_walking from walking)
     order by endpoint_id, due_at limit 1)
    union all
    select next.endpoint_id, next.organization_id, next.due_at, walk.steps + 1
    from walk cross join lateral (
      select endpoint_id, organization_id, due_at from "quickquote".deliveries
      where leased_by is null and parked_at is null and endpoint_id > walk.endpoint_id
      order by endpoint_id, due_at limit 1
    ) next
    where walk.steps < walk_steps
  ),
  -- Round robin over organizations: none fills a claim while another one waits.
  candidate as (
    select endpoint_id, row_number() over (partition by organization_id order by random()) as turn
    from (
      select endpoint_id, organization_id from ahead_endpoint
      union select endpoint_id, organization_id from walk where due_at <= at
    ) waiting
  ),
  -- They are looked at one after the other until there are enough of them. Those without room take nobody's place; that
  -- is a guess: what this statement has just ended still looks leased to it, so whoever it ended something of has room.
  -- Whoever holds a lock is claiming, or changing the endpoint: next time. ">= 0" is always so: it keeps an endpoint from being
  -- locked before its room is known.
  chosen as (
    select candidate.endpoint_id, endpoint.is_active
    from (select endpoint_id from candidate order by turn, random()) candidate
    cross join lateral (
      select count(*) as leased from (
        select from "quickquote".deliveries
        where endpoint_id = candidate.endpoint_id and leased_by is not null limit per_endpoint
      ) leased
    ) in_flight
    left join lateral (
      select is_enabled and deleted_at is null as is_active from "quickquote".webhook_endpoints
      where id = candidate.endpoint_id and in_flight.leased >= 0 limit 1 for no key update skip locked
    ) endpoint on true
    where in_flight.leased < per_endpoint or candidate.endpoint_id in (select endpoint_id from held)
    limit (select endpoints from walking)
  ),
  -- Deliveries of an endpoint that was disabled or deleted leave the indexes that claims read.
  parked as (
    update "quickquote".deliveries set parked_at = at where ctid = any (array(
      select due.place from chosen cross join lateral (
        select ctid as place from "quickquote".deliveries
        where leased_by is null and parked_at is null and endpoint_id = chosen.endpoint_id and due_at <= at
        order by due_at limit parked_at_once for update skip locked
      ) due
      where not chosen.is_active limit parked_at_once
    ))
    returning 1
  )
  select array(select endpoint_id from chosen where is_active), is_long, first_due_at,
    case when is_walking then (select endpoint_id from walk where steps = walk_steps)
      when is_long then walk_after end,
    exists (select from parked)
      or (select count(*) = endpoints or count(*) > count(is_active) from chosen)
      or exists (select from held where next_attempt_at <= at)
  from walking
  into locked_endpoints, is_long_ahead, first_ahead, walk_end, is_more_elsewhere;

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
      where leased_by is null and parked_at is null and endpoint_id = endpoint.id
        and due_at > due_after and due_at <= at
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
  )
  select json_build_object(
    'walked_to', walk_end, 'is_long', is_long_ahead, 'first_due_at', first_ahead,
    'is_more', is_more_elsewhere
      or (select count(*) from due) > (select count(*) from leased where not is_test)
      or exists (select from due where may_have_more),
    'next_due_at', (
      select due_at from "quickquote".deliveries
      where leased_by is null and parked_at is null and attempt >= 0 and due_at > at
      order by due_at limit 1
    ),
    'endpoints', (
      select coalesce(json_agg(json_build_object(
        'id', endpoint.id, 'url', endpoint.url, 'version', endpoint.version,
        'secret_key_id', endpoint.secret_key_id, 'secret_ciphertext', encode(endpoint.secret_ciphertext, 'hex'),
        'previous_secret_key_id',
        case when endpoint.previous_secret_expires_at > at then endpoint.previous_secret_key_id end,
        'previous_secret_ciphertext', encode(endpoint.previous_secret_ciphertext, 'hex')
      )), '[]')
      from (select distinct endpoint_id from leased) leased
      cross join lateral (
        select * from "quickquote".webhook_endpoints where id = leased.endpoint_id limit 1
      ) endpoint
    )
  )::text, null::uuid, null::uuid, null::uuid, null, null::uuid, null, null::smallint, null::boolean, null::uuid
  union all
  select null, leased.id, leased.organization_id, leased.event_id, event.type, event.quotation_id, event.body, leased.attempt,
    leased.is_test, leased.endpoint_id
  from leased cross join lateral (
    select type, quotation_id, body from "quickquote".events
    where id = leased.event_id and created_at = leased.event_created_at
      and organization_id = leased.organization_id limit 1
  ) event;
end
$$;

-- An attempt of a delivery has one record, and what says so finds the attempts of a delivery. Nobody looks for an attempt by
-- its id: an index less to fill for each of them.
alter table "quickquote".delivery_attempts drop constraint delivery_attempts_pkey;
drop index "quickquote".delivery_attempts_of_delivery;
alter table "quickquote".delivery_attempts add primary key (delivery_id, attempt, created_at);
