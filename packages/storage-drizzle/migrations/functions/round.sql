-- The round of a worker

-- The leases on deliveries to an endpoint; those of `worker` are passed over, unless it is null.
create function "quickquote".leases_of_others(endpoint uuid, worker uuid) returns table (holder uuid)
language sql stable as $$
  select leased_by from "quickquote".deliveries
  where endpoint_id = endpoint and leased_by < coalesce(worker, '00000000-0000-0000-0000-000000000000')
  union all
  select leased_by from "quickquote".deliveries
  where endpoint_id = endpoint and leased_by > coalesce(worker, '00000000-0000-0000-0000-000000000000')
$$;

-- Removes deliveries that can never be sent, because their endpoint does not exist: a transaction with an older snapshot may
-- commit them while their organization is erased. Of endpoints that could not be locked, most are only locked by others.
create function "quickquote".remove_deliveries_to_nowhere(unlocked_endpoints uuid[]) returns void language plpgsql as $$
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

-- The same of leases just taken on deliveries whose event is gone or was erased.
create function "quickquote".remove_leases_without_event(worker uuid, endpoints uuid[]) returns void language plpgsql as $$
begin
  delete from "quickquote".deliveries where ctid = any (array(
    select held.row_id from unnest(endpoints) as claimed (id)
    cross join lateral (
      select ctid as row_id, event_id, event_created_at from "quickquote".deliveries
      where endpoint_id = claimed.id and leased_by = worker
    ) held
    left join lateral (
      select id from "quickquote".events
      where id = held.event_id and created_at = held.event_created_at and body <> '[erased]' limit 1
    ) event on true
    where num_nulls(event.id) = 1
  ));
end
$$;

-- One round of a worker: ends the attempts of a batch, and leases due deliveries. See src/deliveries/deliveries.ts. Its steps
-- are statements that only run if needed:
--
--   1. settle: record the attempts of a batch, and end or reschedule their deliveries
--   2. look: find endpoints with due deliveries; behind a long backlog, walk over all endpoints
--   3. choose endpoints and lock them, so that no other worker claims from them until the commit
--   4. in order: make the deliveries due that waited for the ended ones
--   5. pick deliveries for which endpoint and organization have room
--   6. lease and return them
--
-- It is a function for three reasons. It is one call and one transaction, so a worker that dies leaves no lock behind. Each
-- statement sees everything committed before it, so a count after locking is exact. And it has its own planner settings,
-- because it must use indexes only: plans are cached, and one made while the tables were empty would keep scanning whole tables
-- when they are full. For the same reason, rows are looked up one by one, in laterals with a limit, and updated by ctid: each
-- search has one possible index, and no join can be reordered.
--
-- settled_attempts        the batch, an array of objects
-- walk_after              the endpoint after which a walk begins
-- must_walk               the previous round did not find enough
-- due_after               skips older due times: while a long transaction holds up vacuum, the index keeps entries of removed
--                         deliveries, and every round would read them
-- organizations, places   the deliveries in flight at this worker; organizations that are missing have few or none
-- own_leases              the number of this worker's leases by endpoint, without those of the batch; null: it is not certain of
--                         them, so they are counted like those of others
-- ended_endpoints, ended_quotations   of ended deliveries that others may wait for
-- answering               endpoints that want order, and that accepted a delivery
--
-- The first row contains only the round, as JSON: where a walk stopped, whether more deliveries were due than examined, the
-- oldest due time, whether more can be claimed now, the next due time, and the endpoints of the leased deliveries. The other
-- rows are those deliveries, with few columns because they are many.
create function "quickquote".delivery_round(
  worker_id uuid, at timestamptz, claim_limit int, per_endpoint int, walk_after uuid, must_walk boolean,
  due_after timestamptz, settled_attempts json, organizations uuid[], places int[],
  ended_endpoints uuid[], ended_quotations uuid[], answering uuid[], own_leases jsonb
) returns table (
  round text, id uuid, organization_id uuid, event_id uuid, event_type text, quotation_id uuid, body text, attempt smallint,
  is_test boolean, endpoint_id uuid, event_sequence int, is_in_order boolean
)
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  -- The number of oldest due deliveries examined. If there are no more, they include every endpoint with due deliveries.
  look_ahead constant int := 50 + claim_limit;
  -- If there are more, the number of endpoints that a walk visits, from where the last one ended.
  walk_steps constant int := 200;
  walk_share constant float := 0.125;
  -- No organization gets more than this share of a claim while others may wait.
  fair_share constant int := greatest(1, claim_limit / 8);
  -- No organization has more than this multiple of the free places: one alone gets four fifths of a worker; two whose endpoints
  -- hang leave a ninth to the others.
  most_of_free constant int := 4;
  full_organizations constant uuid[] := array(
    select id from unnest(organizations, places) as taken (id, taken) where taken >= most_of_free * claim_limit
  );
  -- The number of backlogged endpoints per claim: one per delivery for small claims, one per four deliveries for larger ones.
  claimed_endpoints constant int := greatest(least(claim_limit, 16), claim_limit / 4);
  -- Deliveries of disabled or deleted endpoints parked per round.
  parked_at_once constant int := 500;
  -- Deliveries held back per round, because they wait for others of their quotation.
  held_back_at_once constant int := 500;
  tests_at_once constant int := 8;
  known_worker constant uuid := case when own_leases is not null then worker_id end;
  -- Endpoints with due deliveries, their organizations, and the number of due deliveries seen.
  waiting_endpoints uuid[] := '{}';
  waiting_organizations uuid[] := '{}';
  waiting_counts bigint[] := '{}';
  is_long_ahead boolean := false;
  first_ahead timestamptz;
  is_walking boolean := false;
  walk_end uuid;
  chosen_endpoints int := claim_limit;
  locked_endpoints uuid[] := '{}';
  inactive_endpoints uuid[] := '{}';
  ordered_endpoints uuid[] := '{}';
  tested_endpoints uuid[] := '{}';
  -- Endpoints that others are claiming from or changing, or that do not exist.
  unlocked_endpoints uuid[] := '{}';
  -- Endpoints with ended deliveries that no other worker is claiming from.
  in_turn uuid[];
  due_rows tid[] := '{}';
  test_rows tid[] := '{}';
  is_more boolean := false;
  returned int;
begin
  -- 1. Settle.
  if settled_attempts::text <> '[]' then
    with settled as (
      select * from json_to_recordset(settled_attempts) as settled (id uuid, delivery_id uuid, attempt smallint, status text,
        http_status smallint, error text, duration_ms int, created_at timestamptz, next_attempt_at timestamptz,
        event_type text, event_sequence int, quotation_id uuid, response_body text, first_byte_ms int,
        header_names text[])
    ),
    -- The fence: an outcome counts only if its worker still holds the lease of that attempt. The statement that ends the lease
    -- checks again, and waits for concurrent changes of the row. "is not distinct from" prevents use of the index of leased
    -- deliveries.
    held as (
      select settled.*, delivery.*
      from settled cross join lateral (
        select ctid as row_id, organization_id, endpoint_id, event_id, is_test from "quickquote".deliveries
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
        event_sequence, quotation_id, attempt, status, http_status, error, duration_ms, is_test, created_at, next_attempt_at,
        response_body, first_byte_ms, header_names)
      select id, delivery_id, organization_id, endpoint_id, event_id, event_type, event_sequence, quotation_id, attempt, status,
        http_status, error, duration_ms, is_test, created_at, next_attempt_at, response_body, first_byte_ms,
        header_names
      from (select * from finished union all select * from postponed) ended
      returning organization_id, endpoint_id, status, created_at, is_test
    ),
    -- Counts exhausted deliveries for a warning to the host, due an hour after the first.
    given_up as (
      insert into "quickquote".warnings as warning (id, organization_id, kind, subject_id, since, until, count, due_at, created_at)
      select gen_random_uuid(), organization_id, 'deliveries_exhausted', endpoint_id, at, at, count(*), at + interval '1 hour', at
      from recorded where status = 'exhausted' and not is_test
      group by organization_id, endpoint_id order by endpoint_id
      on conflict (subject_id) where kind = 'deliveries_exhausted' and attempt = 0
        do update set count = warning.count + excluded.count, until = greatest(warning.until, excluded.until)
    ),
    -- Updates the health of endpoints only when it changes, or once a minute while deliveries succeed. Ordered, to avoid
    -- deadlocks.
    latest as (
      select endpoint_id, max(created_at) filter (where status = 'succeeded') as succeeded_at,
        max(created_at) filter (where status <> 'succeeded') as last_failed_at
      from recorded where not is_test
      group by endpoint_id
    ), endpoint_result as (
      select endpoint_id, succeeded_at, case when succeeded_at is null or last_failed_at > succeeded_at then (
        select min(created_at) from recorded
        where endpoint_id = latest.endpoint_id and status <> 'succeeded' and not is_test
          and created_at > coalesce(latest.succeeded_at, '-infinity')
      ) end as failed_at
      from latest
    )
      insert into "quickquote".endpoint_health as health (endpoint_id, last_success_at, failing_since)
      select endpoint_result.endpoint_id, endpoint_result.succeeded_at, endpoint_result.failed_at
      from endpoint_result left join lateral (
        select * from "quickquote".endpoint_health where endpoint_id = endpoint_result.endpoint_id limit 1
      ) known on true
      where endpoint_result.failed_at is not null and known.failing_since is null
        or endpoint_result.succeeded_at is not null and (known.failing_since is not null or known.last_success_at is null
          or endpoint_result.succeeded_at > known.last_success_at + interval '1 minute')
      order by endpoint_result.endpoint_id
      on conflict (endpoint_id) do update set
        last_success_at = greatest(health.last_success_at, excluded.last_success_at),
        failing_since = case when excluded.last_success_at is null
          then coalesce(health.failing_since, excluded.failing_since) else excluded.failing_since end;
  end if;

  -- 2. Look.
  if claim_limit > 0 then
    -- Usually all due deliveries.
    select coalesce(sum(due), 0) = look_ahead, min(first_due_at), coalesce(array_agg(endpoint_id), '{}'),
      coalesce(array_agg(organization_id), '{}'), coalesce(array_agg(due), '{}')
    from (
      select endpoint_id, organization_id, count(*) as due, min(due_at) as first_due_at
      from (
        select endpoint_id, organization_id, due_at from "quickquote".deliveries
        where leased_by is null and parked_at is null and attempt >= 0 and due_at > due_after and due_at <= at
        order by due_at limit look_ahead
      ) ahead
      group by endpoint_id, organization_id
    ) waiting
    into is_long_ahead, first_ahead, waiting_endpoints, waiting_organizations, waiting_counts;
  end if;

  -- Otherwise other endpoints may be hidden behind the backlog of one endpoint or organization. A walk over all endpoints finds
  -- them: if the oldest deliveries cannot fill the claim in fair shares, or did not in the previous round; otherwise in one of
  -- eight rounds.
  if is_long_ahead then
    chosen_endpoints := claimed_endpoints;
    walk_end := walk_after;
    is_walking := must_walk or random() < walk_share or claim_limit > (
      select coalesce(sum(least(room, fair_share)), 0) from (
        select sum(least(due, per_endpoint, fair_share)) as room
        from unnest(waiting_organizations, waiting_counts) as waiting (organization, due)
        where organization <> all (full_organizations) group by organization
      ) organizations
    );
  end if;
  -- Reads one index entry per endpoint, whatever its backlog.
  if is_walking then
    with recursive walk (endpoint_id, organization_id, due_at, steps) as (
      (select endpoint_id, organization_id, due_at, 1 from "quickquote".deliveries
       where leased_by is null and parked_at is null and endpoint_id > walk_after
       order by endpoint_id, due_at limit 1)
      union all
      select next.endpoint_id, next.organization_id, next.due_at, walk.steps + 1
      from walk cross join lateral (
        select endpoint_id, organization_id, due_at from "quickquote".deliveries
        where leased_by is null and parked_at is null and endpoint_id > walk.endpoint_id
        order by endpoint_id, due_at limit 1
      ) next
      where walk.steps < walk_steps
    )
    select waiting_endpoints || coalesce(array_agg(endpoint_id) filter (where due_at <= at), '{}'),
      waiting_organizations || coalesce(array_agg(organization_id) filter (where due_at <= at), '{}'),
      (array_agg(endpoint_id) filter (where steps = walk_steps))[1]
    from walk into waiting_endpoints, waiting_organizations, walk_end;
  end if;

  -- 3. Choose.
  --
  -- Round robin over organizations, so that none fills a claim while another waits. Examines endpoints one by one until there
  -- are enough. Endpoints without room are skipped; their count is an estimate until they are locked. A locked endpoint is
  -- being claimed from or changed, so it waits for the next round. ">= 0" is always true: it computes the room before the
  -- endpoint is locked.
  if waiting_endpoints <> '{}' then
    select coalesce(array_agg(endpoint_id) filter (where is_active), '{}'),
      coalesce(array_agg(endpoint_id) filter (where not is_active), '{}'),
      coalesce(array_agg(endpoint_id) filter (where is_active and ordering <> 'none'), '{}'),
      coalesce(array_agg(endpoint_id) filter (where num_nulls(is_active) = 1), '{}'),
      count(*) = chosen_endpoints or count(*) > count(is_active)
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
      cross join lateral (
        select coalesce((own_leases ->> candidate.endpoint_id::text)::int, 0) + count(*) as leased from (
          select from "quickquote".leases_of_others(candidate.endpoint_id, known_worker) limit per_endpoint
        ) others
      ) in_flight
      left join lateral (
        select is_enabled and deleted_at is null as is_active, ordering from "quickquote".webhook_endpoints
        where id = candidate.endpoint_id and in_flight.leased >= 0 limit 1 for no key update skip locked
      ) endpoint on true
      where in_flight.leased < per_endpoint
      limit chosen_endpoints
    ) chosen
    into locked_endpoints, inactive_endpoints, ordered_endpoints, unlocked_endpoints, is_more;
  end if;

  -- Removes deliveries of disabled or deleted endpoints from the indexes that claims read.
  if inactive_endpoints <> '{}' then
    update "quickquote".deliveries set parked_at = at where ctid = any (array(
      select due.row_id from unnest(inactive_endpoints) as inactive (id) cross join lateral (
        select ctid as row_id from "quickquote".deliveries
        where leased_by is null and parked_at is null and endpoint_id = inactive.id and due_at <= at
        order by due_at limit parked_at_once for update skip locked
      ) due
      limit parked_at_once
    ));
    is_more := is_more or found;
  end if;

  -- Members wait for tests, so these go first: a few per round, round robin over organizations, from endpoints with room.
  -- Disabled endpoints can be tested.
  if claim_limit > 0 and exists (select from "quickquote".deliveries where is_test and leased_by is null) then
    with recursive test (endpoint_id, organization_id) as (
      (select endpoint_id, organization_id from "quickquote".deliveries
       where is_test and leased_by is null
       order by endpoint_id limit 1)
      union all
      select next.endpoint_id, next.organization_id
      from test cross join lateral (
        select endpoint_id, organization_id from "quickquote".deliveries
        where is_test and leased_by is null and endpoint_id > test.endpoint_id
        order by endpoint_id limit 1
      ) next
    )
    select coalesce(array_agg(endpoint_id) filter (where is_there), '{}'),
      unlocked_endpoints || coalesce(array_agg(endpoint_id) filter (where num_nulls(is_there) = 1), '{}'),
      is_more or count(*) > count(is_there)
    from (
      select test.endpoint_id, endpoint.is_there
      from (
        select endpoint_id, row_number() over (partition by organization_id order by random()) as turn from test
        where organization_id <> all (full_organizations)
        order by turn, random()
      ) test
      cross join lateral (
        select coalesce((own_leases ->> test.endpoint_id::text)::int, 0) + count(*) as leased from (
          select from "quickquote".leases_of_others(test.endpoint_id, known_worker) limit per_endpoint
        ) others
      ) in_flight
      left join lateral (
        select num_nulls(deleted_at) = 1 as is_there from "quickquote".webhook_endpoints
        where id = test.endpoint_id and in_flight.leased >= 0 limit 1 for no key update skip locked
      ) endpoint on true
      where in_flight.leased < per_endpoint
      limit tests_at_once
    ) tested
    into tested_endpoints, unlocked_endpoints, is_more;
  end if;

  if unlocked_endpoints <> '{}' then
    perform "quickquote".remove_deliveries_to_nowhere(unlocked_endpoints);
  end if;

  -- 4. In order.
  --
  -- For endpoints that want order, the next delivery of a quotation becomes due once the previous one has ended. If another
  -- worker is claiming from the endpoint, it may be holding back another delivery, so the next round tries again.
  if ended_endpoints <> '{}' then
    in_turn := array(
      select id from "quickquote".webhook_endpoints where id = any (ended_endpoints) order by id for no key update skip locked
    );
    update "quickquote".deliveries set due_at = at where ctid = any (array(
      select next.row_id from unnest(ended_endpoints, ended_quotations) as ended (endpoint, quotation)
      cross join lateral (
        select ctid as row_id, due_at, leased_by from "quickquote".deliveries
        where endpoint_id = ended.endpoint and quotation_id = ended.quotation and parked_at is null
        order by sequence limit 1
      ) next
      where ended.endpoint = any (in_turn) and next.due_at = 'infinity' and num_nulls(next.leased_by) = 1
    ));
    is_more := is_more or found;
  end if;
  -- An endpoint that responds again needs no back-off: deliveries that block others are retried immediately.
  if answering <> '{}' then
    update "quickquote".deliveries set due_at = at where ctid = any (array(
      select first.row_id from unnest(answering) as answered (endpoint)
      cross join lateral (
        select ctid as row_id, quotation_id, sequence from "quickquote".deliveries
        where leased_by is null and parked_at is null and endpoint_id = answered.endpoint
          and due_at > at and due_at < 'infinity' and num_nulls(quotation_id) = 0
        order by due_at limit 500
      ) first
      where exists (
        select from "quickquote".deliveries waiting
        where waiting.endpoint_id = answered.endpoint and waiting.quotation_id = first.quotation_id
          and waiting.sequence > first.sequence and waiting.parked_at is null
      )
    ));
    is_more := is_more or found;
  end if;

  -- 5. Pick.
  --
  -- Claims by other workers were committed before these endpoints could be locked, and none can follow now, so the counts from
  -- here on are exact: per_endpoint holds across all workers.
  if tested_endpoints <> '{}' then
    test_rows := array(
      select delivery.row_id
      from unnest(tested_endpoints) as tested (id) cross join lateral (
        select greatest(0, per_endpoint - coalesce((own_leases ->> tested.id::text)::int, 0) - count(*)) as room
        from "quickquote".leases_of_others(tested.id, known_worker)
      ) in_flight
      cross join lateral (
        select ctid as row_id, row_number() over (order by due_at) as turn from "quickquote".deliveries
        where is_test and leased_by is null and endpoint_id = tested.id
        order by due_at limit room
      ) delivery
      order by delivery.turn limit least(claim_limit, tests_at_once)
    );
    is_more := is_more or cardinality(test_rows) = tests_at_once;
  end if;
  if locked_endpoints <> '{}' then
    with endpoint as (
      select endpoint.*, count(*) over () as endpoints,
        coalesce(places[array_position(organizations, endpoint.organization_id)], 0) as places_taken
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
          select greatest(0, per_endpoint - coalesce((own_leases ->> endpoint.id::text)::int, 0) - count(*) - (
              select count(*) from "quickquote".deliveries where ctid = any (test_rows) and endpoint_id = endpoint.id
            )) as room
          from "quickquote".leases_of_others(endpoint.id, known_worker)
        ) in_flight
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
      is_more or coalesce(bool_or(may_have_more or not is_allowed), false)
    from allowed into due_rows, is_more;
  end if;
  -- Hides deliveries that must wait for others from claims.
  if ordered_endpoints <> '{}' then
    update "quickquote".deliveries set due_at = 'infinity' where ctid = any (array(
      select delivery.row_id from unnest(ordered_endpoints) as ordered (id) cross join lateral (
        select ctid as row_id from "quickquote".deliveries
        where leased_by is null and parked_at is null and endpoint_id = ordered.id and due_at <= at
          and num_nulls(quotation_id) = 0 and exists (
            select from "quickquote".deliveries earlier
            where earlier.endpoint_id = ordered.id and earlier.quotation_id = deliveries.quotation_id
              and earlier.sequence < deliveries.sequence and earlier.parked_at is null
          )
        order by due_at limit held_back_at_once
      ) delivery
      limit held_back_at_once
    ));
    is_more := is_more or found;
  end if;

  -- 6. Lease.
  return query
  with leased as (
    update "quickquote".deliveries set leased_by = worker_id, leased_at = at, attempt = attempt + 1
    where ctid = any (due_rows || test_rows) and num_nulls(leased_by) = 1
    returning id, organization_id, endpoint_id, event_id, event_created_at, attempt, is_test, num_nulls(quotation_id) = 0 as is_in_order
  )
  select json_build_object(
    'walked_to', walk_end, 'is_long', is_long_ahead, 'first_due_at', first_ahead,
    'is_more', is_more,
    'busy', (select json_agg(id) from (select unnest(ended_endpoints) except select unnest(in_turn)) as busy (id)),
    'next_due_at', (
      select due_at from "quickquote".deliveries
      where leased_by is null and parked_at is null and attempt >= 0 and due_at > at and due_at < 'infinity'
      order by due_at limit 1
    ),
    'endpoints', (
      select coalesce(json_agg(json_build_object(
        'id', endpoint.id, 'url', endpoint.url, 'version', endpoint.version, 'ordering', endpoint.ordering,
        'secret_key_id', endpoint.secret_key_id, 'secret_ciphertext', encode(endpoint.secret_ciphertext, 'hex'),
        'previous_secret_key_id',
        case when endpoint.previous_secret_expires_at > at then endpoint.previous_secret_key_id end,
        'previous_secret_ciphertext', encode(endpoint.previous_secret_ciphertext, 'hex'),
        'headers_key_id', endpoint.headers_key_id, 'headers_ciphertext', encode(endpoint.headers_ciphertext, 'hex')
      )), '[]')
      from (select distinct endpoint_id from leased) leased
      cross join lateral (
        select * from "quickquote".webhook_endpoints where id = leased.endpoint_id limit 1
      ) endpoint
    )
  )::text, null::uuid, null::uuid, null::uuid, null, null::uuid, null, null::smallint, null::boolean, null::uuid,
    null::int, null::boolean
  union all
  select null, leased.id, leased.organization_id, leased.event_id, event.type, event.quotation_id, event.body, leased.attempt,
    leased.is_test, leased.endpoint_id, event.sequence, leased.is_in_order
  from leased cross join lateral (
    select type, quotation_id, body, sequence from "quickquote".events
    where id = leased.event_id and created_at = leased.event_created_at
      and organization_id = leased.organization_id and body <> '[erased]' limit 1
  ) event;

  -- The first row is the round.
  get diagnostics returned = row_count;
  if returned <= cardinality(due_rows || test_rows) then
    perform "quickquote".remove_leases_without_event(worker_id, locked_endpoints || tested_endpoints);
  end if;
end
$$;
