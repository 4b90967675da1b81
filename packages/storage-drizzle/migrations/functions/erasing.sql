-- Erasing

-- Erases a quotation from history, which other statements cannot change: see `quotations.erase`. Nothing of it is older than
-- "since". Its events are found by number, so the search ends with the last one. For a delivery being sent, the attempt is
-- recorded, with an unknown outcome.
--
-- The quotation's row of event numbers goes first. A resend of an event of the quotation holds it, so the deliveries created
-- until then are ended here, and nothing can be resent afterwards. A transaction that records an event waits, and commits
-- later.
create or replace function "quickquote".erase_history_of_quotation(organization uuid, quotation uuid, since timestamptz)
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
    where id = event.id;
    events := events + 1;

    -- Ids of deliveries begin with the id of their event.
    with ended as (
      delete from "quickquote".deliveries
      where id >= "quickquote".first_delivery_of(event.id)
        and id <= "quickquote".last_delivery_of(event.id) and event_id = event.id
      returning *
    ), recorded as (
      insert into "quickquote".delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
        event_sequence, quotation_id, attempt, status, is_test, check_kind, created_at)
      select gen_random_uuid(), id, organization_id, endpoint_id, event_id, event.type, event.sequence, quotation, attempt,
        'interrupted', is_test, check_kind, leased_at
      from ended where leased_by is not null
    )
    select count(*) into counted from ended;
    deliveries := deliveries + counted;

    update "quickquote".delivery_attempts set response_body = '[erased]', response_headers = null
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

-- Raised by statements that would add rows of an organization being erased: see src/organizations/not-erased.sql.ts.
create or replace function "quickquote".refuse_erased() returns boolean language plpgsql as $$
begin
  raise exception using errcode = 'QE001', message = 'the organization is being erased';
end
$$;

-- All deliveries of an endpoint. Three searches, because no index has all of them.
create or replace function "quickquote".deliveries_to(endpoint uuid) returns table (place tid) language sql stable as $$
  select ctid from "quickquote".deliveries where endpoint_id = endpoint and leased_by is null and parked_at is null
  union all
  select ctid from "quickquote".deliveries where endpoint_id = endpoint and leased_by is not null and parked_at is null
  union all
  select ctid from "quickquote".deliveries where endpoint_id = endpoint and parked_at is not null
$$;

-- Removes history of an organization being erased, up to a limit of rows, and of no other. Removing events ends their
-- deliveries; an event whose delivery is locked waits for the next call. If the audit log is kept, only actors and times
-- remain.
create or replace function "quickquote".erase_history_of_organization(organization uuid, of_table text, at_most integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  keeps boolean;
  removed integer := 0;
begin
  select keeps_audit_log into keeps from "quickquote".erased_organizations where organization_id = organization;
  if not found then
    return 0;
  elsif of_table = 'events' then
    with chosen as materialized (
      select id, created_at from "quickquote".events where organization_id = organization
      order by created_at limit at_most
    ), theirs as materialized (
      select chosen.id as event, delivery.place from chosen cross join lateral (
        select ctid as place from "quickquote".deliveries
        where id >= "quickquote".first_delivery_of(chosen.id) and id <= "quickquote".last_delivery_of(chosen.id)
          and event_id = chosen.id
      ) delivery
    ), locked as materialized (
      select ctid as place from "quickquote".deliveries where ctid = any (array(select place from theirs))
      for update skip locked
    ), ended as (
      delete from "quickquote".deliveries where ctid = any (array(select place from locked))
    ), gone as (
      delete from "quickquote".events event using chosen
      where event.id = chosen.id and event.created_at = chosen.created_at
        and chosen.id <> all (array(select event from theirs where place <> all (array(select place from locked))))
      returning 1
    )
    select count(*) into removed from gone;
  elsif of_table = 'delivery_attempts' then
    with chosen as materialized (
      select delivery_id, attempt, created_at from "quickquote".delivery_attempts where organization_id = organization
      order by created_at limit at_most
    ), gone as (
      delete from "quickquote".delivery_attempts attempt using chosen
      where attempt.delivery_id = chosen.delivery_id and attempt.attempt = chosen.attempt
        and attempt.created_at = chosen.created_at
      returning 1
    )
    select count(*) into removed from gone;
  elsif of_table = 'feed_floors' then
    delete from "quickquote".feed_floors where organization_id = organization;
    get diagnostics removed = row_count;
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
