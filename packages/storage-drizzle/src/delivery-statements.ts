/**
 * Planned before anything else in the transaction: the hot statements live on their indexes alone. A plan that was made
 * while a table was empty would read all of it once it is full, a plan for each call costs more than the call, and
 * compiling costs 100 times that. A worker that stops in the middle (a paused process) loses its locks after 10 s.
 */
export const SETTINGS = `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
  set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true),
  set_config('idle_in_transaction_session_timeout', '10s', true)`

/** The oldest due deliveries that are looked at. When there are no more, they tell all endpoints that have some. */
const LOOK_AHEAD = '(50 + 2 * $3::int)'

/** When there are more, this many endpoints are walked through, from where the last walk ended. */
const WALK = 200

/** Endpoints that are claimed of at once: one for each delivery when few are wanted, later one for four. */
const ENDPOINTS = 'greatest(least($3::int, 16), $3::int / 4)'

/** What is parked in one round of the deliveries of endpoints that were disabled or deleted. */
const PARK_AT_ONCE = 500

/** Test deliveries that are claimed at once. */
const TESTS = 8

/** What the claim goes on with. */
const LEASED = `delivery.id, delivery.organization_id, delivery.endpoint_id, delivery.event_id,
      delivery.event_created_at, delivery.attempt, delivery.is_test`

/** Deliveries that wait to be sent, endpoint by endpoint: the index `deliveries_due`. */
const WAITING = 'leased_by is null and parked_at is null'

/** The same over all endpoints: the index `deliveries_due_first`. */
const WAITING_ANYWHERE = `${WAITING} and attempt >= 0`

/**
 * Ends the attempts of a batch, then locks endpoints that have due deliveries and room for them, at most `limit`.
 *
 * `$1` worker, `$2` now, `$3` limit, `$4` perEndpoint, `$5` the endpoint after which the walk begins, then the batch, a
 * column each. The locked endpoints are handed to the claim in a setting of the transaction.
 */
export function settleStatement(schema: string): string {
  return `with recursive outcome as (
    select * from unnest($6::uuid[], $7::uuid[], $8::smallint[], $9::text[], $10::smallint[], $11::text[], $12::int[],
      $13::timestamptz[], $14::timestamptz[], $15::text[], $16::uuid[], $17::text[], $18::int[])
      as outcome (id, delivery_id, attempt, status, http_status, error, duration_ms, created_at, next_attempt_at,
        event_type, quotation_id, response_body, first_byte_ms)
  ),
  -- The fence: an outcome counts only while its worker still holds the lease of that very attempt.
  finished as (
    delete from ${schema}.deliveries delivery using outcome
    where delivery.id = outcome.delivery_id and delivery.leased_by is not distinct from $1 and delivery.attempt = outcome.attempt
      and outcome.next_attempt_at is null
    returning outcome.*, delivery.organization_id, delivery.endpoint_id, delivery.event_id, delivery.is_test
  ), postponed as (
    update ${schema}.deliveries delivery set due_at = outcome.next_attempt_at, leased_by = null, leased_at = null
    from outcome
    where delivery.id = outcome.delivery_id and delivery.leased_by is not distinct from $1 and delivery.attempt = outcome.attempt
      and outcome.next_attempt_at is not null
    returning outcome.*, delivery.organization_id, delivery.endpoint_id, delivery.event_id, delivery.is_test
  ), settled as (
    select * from finished union all select * from postponed
  ), recorded as (
    insert into ${schema}.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
      quotation_id, attempt, status, http_status, error, duration_ms, is_test, created_at, next_attempt_at,
      response_body, first_byte_ms)
    select id, delivery_id, organization_id, endpoint_id, event_id, event_type, quotation_id, attempt, status,
      http_status, error, duration_ms, is_test, created_at, next_attempt_at, response_body, first_byte_ms
    from settled
  ),
  -- How it goes with each endpoint, written only when that changes, and once a minute while it goes well. In their order,
  -- so that no two statements wait for each other.
  went as (
    select endpoint_id, succeeded_at, min(created_at)
      filter (where status <> 'succeeded' and (succeeded_at is null or created_at > succeeded_at)) as failed_at
    from (
      select endpoint_id, status, created_at,
        max(created_at) filter (where status = 'succeeded') over (partition by endpoint_id) as succeeded_at
      from settled where not is_test
    ) attempt
    group by endpoint_id, succeeded_at
  ), health as (
    insert into ${schema}.endpoint_health as health (endpoint_id, last_success_at, failing_since)
    select went.endpoint_id, went.succeeded_at, went.failed_at
    from went left join ${schema}.endpoint_health known on known.endpoint_id = went.endpoint_id
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
    select endpoint_id from ${schema}.deliveries
    where ${WAITING_ANYWHERE} and due_at <= $2::timestamptz and $3::int > 0
    order by due_at limit ${LOOK_AHEAD}
  ),
  -- Otherwise the rest may hide behind the backlog of one endpoint. One index entry is read for each endpoint, whatever
  -- its backlog.
  walk (endpoint_id, due_at, steps) as (
    (select endpoint_id, due_at, 1 from ${schema}.deliveries
     where ${WAITING} and endpoint_id > $5::uuid and (select count(*) from ahead) = ${LOOK_AHEAD}
     order by endpoint_id, due_at limit 1)
    union all
    select next.endpoint_id, next.due_at, walk.steps + 1
    from walk cross join lateral (
      select endpoint_id, due_at from ${schema}.deliveries
      where ${WAITING} and endpoint_id > walk.endpoint_id
      order by endpoint_id, due_at limit 1
    ) next
    where walk.steps < ${WALK}
  ), candidate as (
    select due.endpoint_id, endpoint.organization_id, coalesce(endpoint.is_active, false) as is_active
    from (select endpoint_id from ahead union select endpoint_id from walk where due_at <= $2::timestamptz) due
    left join lateral (
      select organization_id, is_enabled and deleted_at is null as is_active
      from ${schema}.webhook_endpoints where id = due.endpoint_id
    ) endpoint on true
  ),
  -- Deliveries of an endpoint that was disabled or deleted leave the indexes that claims read.
  parked as (
    update ${schema}.deliveries set parked_at = $2::timestamptz where id in (
      select due.id from candidate cross join lateral (
        select id from ${schema}.deliveries
        where ${WAITING} and endpoint_id = candidate.endpoint_id and due_at <= $2::timestamptz
        order by due_at limit ${PARK_AT_ONCE} for update skip locked
      ) due
      where not candidate.is_active limit ${PARK_AT_ONCE}
    )
    returning 1
  ),
  -- What this statement has just settled still looks leased to it: an endpoint that it settled something of has room.
  roomy as (
    select candidate.endpoint_id,
      row_number() over (partition by candidate.organization_id order by random()) as turn
    from candidate cross join lateral (
      select count(*) as leased from (
        select from ${schema}.deliveries
        where endpoint_id = candidate.endpoint_id and leased_by is not null limit $4::int
      ) leased
    ) in_flight
    where candidate.is_active
      and (in_flight.leased < $4::int or candidate.endpoint_id in (select endpoint_id from settled))
  ),
  -- Round robin over organizations: none fills a claim while another one waits. Whoever holds a lock is claiming, or
  -- changing the endpoint: next time.
  locked as (
    select endpoint.id from roomy join ${schema}.webhook_endpoints endpoint on endpoint.id = roomy.endpoint_id
    order by roomy.turn, random() limit ${ENDPOINTS}
    for no key update of endpoint skip locked
  )
  select set_config('quickquote.locked_endpoints', coalesce((select string_agg(id::text, ',') from locked), ''), true),
    (select endpoint_id from walk where steps = ${WALK}) as walked_to,
    exists (select from parked) or (select count(*) from roomy) > (select count(*) from locked)
      or exists (select from postponed where next_attempt_at <= $2::timestamptz) as is_more`
}

/**
 * Leases due deliveries of the locked endpoints, each up to its room, and reads what is needed to send them. It sees
 * what the statement before it settled.
 *
 * `$1` worker, `$2` now, `$3` limit, `$4` perEndpoint. The result has at least one row, for what is in every row: whether
 * there is more to claim right now, and when something is due next.
 */
export function claimStatement(schema: string): string {
  return `with endpoint as (
    select endpoint.*, count(*) over () as endpoints
    from unnest(string_to_array(current_setting('quickquote.locked_endpoints'), ',')::uuid[]) as locked (id)
    join ${schema}.webhook_endpoints endpoint using (id)
    where endpoint.is_enabled and num_nulls(endpoint.deleted_at) = 1
  ),
  -- Each gives its share of the claim, so that none fills it while another one waits.
  due as (
    select delivery.*, endpoint.organization_id, share.size < share.room as may_have_more
    from endpoint
    cross join lateral (
      select least(room, ceil($3::numeric / endpoints))::int as size, room from (
        select greatest(0, $4::int - count(*)) as room from ${schema}.deliveries
        where endpoint_id = endpoint.id and leased_by is not null
      ) in_flight
    ) share
    cross join lateral (
      select id, due_at from ${schema}.deliveries
      where ${WAITING} and endpoint_id = endpoint.id and due_at <= $2::timestamptz
      order by due_at limit share.size
    ) delivery
  ),
  -- Somebody is waiting for each of these, and there are few. An endpoint may be tested while it is disabled.
  test as (
    select id from ${schema}.deliveries delivery
    where is_test and leased_by is null
      and (select num_nulls(deleted_at) = 1 from ${schema}.webhook_endpoints where id = delivery.endpoint_id)
    order by due_at limit least($3::int, ${TESTS})
    for update of delivery skip locked
  ), chosen as (
    select id from (
      select id, due_at, row_number() over (partition by organization_id order by due_at) as turn from due
    ) turns
    order by turn, due_at limit $3::int - (select count(*) from test)
  ), leased_due as (
    update ${schema}.deliveries delivery set leased_by = $1, leased_at = $2::timestamptz, attempt = delivery.attempt + 1
    from chosen where delivery.id = chosen.id and num_nulls(delivery.leased_by, delivery.parked_at) = 2
    returning ${LEASED}
  ), leased_test as (
    update ${schema}.deliveries delivery set leased_by = $1, leased_at = $2::timestamptz, attempt = delivery.attempt + 1
    from test where delivery.id = test.id
    returning ${LEASED}
  ), leased as (
    select * from leased_due union all select * from leased_test
  ), round as (
    select (select count(*) from due) > (select count(*) from leased_due)
        or exists (select from due where may_have_more) as is_more,
      (select due_at from ${schema}.deliveries where ${WAITING_ANYWHERE} and due_at > $2::timestamptz
       order by due_at limit 1) as next_due_at
  )
  select round.is_more, round.next_due_at, delivery.*
  from round left join (
    select leased.id, leased.organization_id, leased.event_id, event.type as event_type,
      event.quotation_id, event.body, leased.attempt, leased.is_test, leased.endpoint_id, endpoint.url,
      endpoint.secret_key_id, endpoint.secret_ciphertext,
      case when endpoint.previous_secret_expires_at > $2::timestamptz
        then endpoint.previous_secret_key_id end as previous_secret_key_id,
      endpoint.previous_secret_ciphertext, endpoint.version
    from leased
    join ${schema}.webhook_endpoints endpoint on endpoint.id = leased.endpoint_id
    cross join lateral (
      select type, quotation_id, body from ${schema}.events
      where id = leased.event_id and created_at = leased.event_created_at limit 1
    ) event
  ) delivery on true`
}

/** Gives leases back whose attempt was never begun. `$1` worker, `$2` ids, `$3` their attempts. */
export function releaseStatement(schema: string): string {
  return `update ${schema}.deliveries delivery set leased_by = null, leased_at = null, attempt = lease.attempt - 1
    from unnest($2::uuid[], $3::smallint[]) as lease (id, attempt)
    where delivery.id = lease.id and delivery.leased_by = $1 and delivery.attempt = lease.attempt
    returning 1 as released`
}

/** Gives back what the worker does not know that it holds. `$1` worker, `$2` the ids that it knows of. */
export function releaseUnknownStatement(schema: string): string {
  return `update ${schema}.deliveries set leased_by = null, leased_at = null, attempt = attempt - 1
    where leased_by = $1 and id <> all ($2::uuid[])`
}

/** No endpoint comes before it. */
export const FIRST_UUID = '00000000-0000-0000-0000-000000000000'
