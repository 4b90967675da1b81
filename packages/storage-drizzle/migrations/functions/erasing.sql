-- Erasing

-- Erases a quotation from history, which other statements cannot change: see `quotations.erase`. Nothing of it is older than
-- "since". Its events are found by number, so the search ends with the last one. For a delivery being sent, the attempt is
-- recorded, with an unknown outcome.
--
-- A transaction that records an event of the quotation now waits for its number, and commits later.
create function "quickquote".erase_history_of_quotation(organization uuid, quotation uuid, since timestamptz)
returns table (events integer, deliveries integer, attempts integer)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  last_number integer;
  event record;
  counted integer;
begin
  events := 0;
  deliveries := 0;
  attempts := 0;
  -- The order of a quotation that the host keeps; our own are deleted with their quotation.
  delete from "quickquote".pipeline_starts
  where quotation_id = quotation and (quote ->> 'organization_id')::uuid = organization;
  delete from "quickquote".idempotency_keys where organization_id = organization and quotation_id = quotation;
  delete from "quickquote".event_sequences where organization_id = organization and quotation_id = quotation
  returning last into last_number;
  if last_number is null then
    return next;
    return;
  end if;
  for event in
    select id, created_at, type, sequence from "quickquote".events
    where organization_id = organization and created_at >= since and quotation_id = quotation and sequence is not null
    order by created_at limit last_number
  loop
    update "quickquote".events set body = '[erased]', traceparent = null, tracestate = null
    where id = event.id and created_at = event.created_at;
    events := events + 1;

    -- Ids of deliveries begin with the id of their event.
    with ended as (
      delete from "quickquote".deliveries
      where id >= "quickquote".first_delivery_of(event.id)
        and id <= "quickquote".last_delivery_of(event.id) and event_id = event.id
      returning *
    ), recorded as (
      insert into "quickquote".delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
        event_sequence, quotation_id, attempt, status, is_test, created_at)
      select gen_random_uuid(), id, organization_id, endpoint_id, event_id, event.type, event.sequence, quotation, attempt,
        'interrupted', is_test, leased_at
      from ended where leased_by is not null
    )
    select count(*) into counted from ended;
    deliveries := deliveries + counted;

    update "quickquote".delivery_attempts set response_body = '[erased]'
    where delivery_id >= "quickquote".first_delivery_of(event.id)
      and delivery_id <= "quickquote".last_delivery_of(event.id) and event_id = event.id
      and created_at >= since and response_body <> '[erased]';
    get diagnostics counted = row_count;
    attempts := attempts + counted;
  end loop;
  return next;
end
$$;
revoke all on function "quickquote".erase_history_of_quotation(uuid, uuid, timestamptz) from public;

-- The class of the locks below: see pg_advisory_xact_lock(int, int).
create function "quickquote".erasing_lock() returns integer language sql stable as $$
  select '"quickquote".erasures'::regclass::oid::integer
$$;

-- Whether an organization is being erased. A transaction that asks before it adds rows then holds a lock until it ends, so that
-- the erasing can wait for it.
create function "quickquote".is_erasing(organization uuid) returns boolean language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared("quickquote".erasing_lock(), hashtext(organization::text));
  return exists (select from "quickquote".erasures where organization_id = organization);
end
$$;

-- Whether no open transaction has added rows of an organization. Events have a lock of the feed instead.
create function "quickquote".nobody_adds_to(organization uuid) returns boolean language sql volatile as $$
  select pg_try_advisory_xact_lock("quickquote".erasing_lock(), hashtext(organization::text)) and not exists (
    select from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint >> 8) & 16777215 = "quickquote".feed_of(organization)
  )
$$;

create function "quickquote".refuse_erasing() returns boolean language plpgsql as $$
begin
  raise exception using errcode = 'QE001', message = 'the organization is being erased';
end
$$;

create function "quickquote".refuse_row_of_erasing() returns trigger language plpgsql as $$
begin
  if "quickquote".is_erasing(new.organization_id) then
    perform "quickquote".refuse_erasing();
  end if;
  return new;
end
$$;
create function "quickquote".refuse_start_of_erasing() returns trigger language plpgsql as $$
begin
  if "quickquote".is_erasing((new.quote ->> 'organization_id')::uuid) then
    perform "quickquote".refuse_erasing();
  end if;
  return new;
end
$$;

-- For statements that write rows of several organizations.
create function "quickquote".skip_row_of_erasing() returns trigger language plpgsql as $$
begin
  return case when not "quickquote".is_erasing(new.organization_id) then new end;
end
$$;

-- The triggers. Deliveries, attempts and the like derive from rows whose locks are waited for. The statement that records an
-- event checks by itself, at a tenth of the cost of a trigger: see src/deliveries/events.sql.ts.
create trigger refuse_erasing before insert on "quickquote".api_keys
  for each row execute function "quickquote".refuse_row_of_erasing();
create trigger refuse_erasing before insert on "quickquote".quotations
  for each row execute function "quickquote".refuse_row_of_erasing();
create trigger refuse_erasing before insert on "quickquote".pipeline_starts
  for each row when (new.quote is not null) execute function "quickquote".refuse_start_of_erasing();
create trigger refuse_erasing before insert on "quickquote".uploads
  for each row when (new.abandoned_at is null) execute function "quickquote".refuse_row_of_erasing();
create trigger refuse_erasing before insert on "quickquote".file_chunks
  for each row execute function "quickquote".refuse_row_of_erasing();
create trigger refuse_erasing before insert on "quickquote".webhook_endpoints
  for each row execute function "quickquote".refuse_row_of_erasing();
create trigger refuse_erasing before insert on "quickquote".events
  for each row when (new.feed_position is null) execute function "quickquote".refuse_row_of_erasing();
create trigger refuse_erasing before insert on "quickquote".replays
  for each row execute function "quickquote".refuse_row_of_erasing();
create trigger skip_erasing before insert on "quickquote".warnings
  for each row execute function "quickquote".skip_row_of_erasing();
create trigger refuse_erasing before insert on "quickquote".audit_log
  for each row execute function "quickquote".refuse_row_of_erasing();

-- Removes history of an organization being erased, up to a limit of rows, and of no other. Removing events ends their
-- deliveries. If the audit log is kept, only actors and times remain.
create function "quickquote".erase_history_of_organization(organization uuid, of_table text, at_most integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  keeps boolean;
  removed integer := 0;
begin
  select keeps_audit_log into keeps from "quickquote".erasures where organization_id = organization;
  if not found then
    return 0;
  elsif of_table = 'events' then
    with chosen as materialized (
      select id, created_at from "quickquote".events where organization_id = organization
      order by created_at limit at_most
    ), ended as (
      delete from "quickquote".deliveries where id = any (array(
        select delivery.id from chosen cross join lateral (
          select id from "quickquote".deliveries
          where id >= "quickquote".first_delivery_of(chosen.id)
            and id <= "quickquote".last_delivery_of(chosen.id) and event_id = chosen.id
        ) delivery
      ))
    ), gone as (
      delete from "quickquote".events event using chosen
      where event.id = chosen.id and event.created_at = chosen.created_at
      returning 1
    )
    select count(*) into removed from gone;
  elsif of_table = 'delivery_attempts' then
    with chosen as materialized (
      select attempt.* from "quickquote".webhook_endpoints endpoint cross join lateral (
        select delivery_id, attempt, created_at from "quickquote".delivery_attempts
        where endpoint_id = endpoint.id order by created_at desc limit at_most
      ) attempt
      where endpoint.organization_id = organization limit at_most
    ), gone as (
      delete from "quickquote".delivery_attempts attempt using chosen
      where attempt.delivery_id = chosen.delivery_id and attempt.attempt = chosen.attempt
        and attempt.created_at = chosen.created_at
      returning 1
    )
    select count(*) into removed from gone;
  elsif of_table = 'feed_floors' then
    delete from "quickquote".feed_floors where organization_id = organization;
  elsif of_table = 'audit_log' and keeps then
    update "quickquote".audit_log set resource_name = '[erased]', client_address = null, changes = '[]'
    where id = any (array(
      select id from "quickquote".audit_log
      where organization_id = organization
        and (resource_name <> '[erased]' or changes <> '[]' or client_address is not null)
      limit at_most
    ));
    get diagnostics removed = row_count;
  elsif of_table = 'audit_log' then
    delete from "quickquote".audit_log where id = any (array(
      select id from "quickquote".audit_log where organization_id = organization limit at_most
    ));
    get diagnostics removed = row_count;
  end if;
  return removed;
end
$$;
revoke all on function "quickquote".erase_history_of_organization(uuid, text, integer) from public;
