-- History
--
-- Rows of history are inserted through the parent tables, and removed only by the functions below: API and workers cannot
-- change or delete them, or remove anything younger than the floor. The functions run with the rights of the schema's owner.
-- Their search path is fixed, and only roles with a grant can call them.

-- Nothing from this moment on may be removed: the beginning of a day (UTC), by the database's clock.
create or replace function "quickquote".history_floor(days integer) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select (date_trunc('day', now() at time zone 'utc')
    - case when pg_has_role(session_user, nspowner, 'member') then 2 else days end * interval '1 day') at time zone 'utc'
  from pg_namespace where oid = '"quickquote"'::regnamespace
$$;
revoke all on function "quickquote".history_floor(integer) from public;

-- Revokes rights granted by default privileges.
create or replace function "quickquote".protect_history() returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  granted record;
begin
  for granted in
    select distinct relation.oid::regclass as relation, relname,
      case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end as role
    from pg_class relation cross join aclexplode(relacl) acl
    where relnamespace = '"quickquote"'::regnamespace and grantee <> relowner
      and relname in ('events', 'delivery_attempts', 'audit_log', 'retention_floor', 'feed_floors', 'erased_organizations')
      and privilege_type in ('UPDATE', 'DELETE', 'TRUNCATE')
  loop
    -- Erasures are recorded, and the record is permanent.
    execute format('revoke %s on %s from %s',
      case when granted.relname = 'erased_organizations' then 'delete, truncate' else 'update, delete, truncate' end,
      granted.relation, granted.role);
    if granted.relname = 'retention_floor' then
      execute format('revoke insert on %s from %s', granted.relation, granted.role);
    end if;
  end loop;
end
$$;
revoke all on function "quickquote".protect_history() from public;

-- The events of an organization up to a position are no longer kept.
create or replace function "quickquote".raise_feed_floor(organization uuid, last bigint) returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  insert into "quickquote".feed_floors as floor (organization_id, position) values (organization, last)
  on conflict (organization_id) do update set position = greatest(floor.position, excluded.position)
$$;
revoke all on function "quickquote".raise_feed_floor(uuid, bigint) from public;

-- Whether an event is still there. If it is, retention leaves it alone until the transaction ends: a new delivery needs it. A
-- role without the right to change history cannot lock it otherwise.
create or replace function "quickquote".keep_event(event uuid) returns boolean
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  select exists (select from "quickquote".events where id = event for key share)
$$;
revoke all on function "quickquote".keep_event(uuid) from public;

-- Removes the oldest rows of "events" or "delivery_attempts", up to a limit, so that no transaction is long. Events that a
-- delivery needs stay; ids of deliveries begin with the id of their event. Returns how many were removed (null: another process
-- is at it), and, once none is left, whether the floor protects some.
create or replace function "quickquote".remove_expired_rows(
  of_table text, before timestamptz, at_most integer, out removed integer, out is_kept boolean
)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  allowed timestamptz;
  ends_at timestamptz;
begin
  if not (
    select pg_try_advisory_xact_lock(hashtextextended(nspname || ' maintenance', 0))
    from pg_namespace where oid = '"quickquote"'::regnamespace
  ) then
    return;
  end if;
  -- Without a floor nothing is removed.
  select "quickquote".history_floor(event_days) into allowed from "quickquote".retention_floor;
  ends_at := case when allowed is not null then least(before, allowed) end;
  removed := 0;
  if of_table = 'delivery_attempts' then
    delete from "quickquote".delivery_hours where hour < ends_at;
    delete from "quickquote".delivery_attempts where ctid = any (array(
      select ctid from "quickquote".delivery_attempts
      where created_at < ends_at and attempt >= 0 order by created_at limit at_most for update skip locked
    ));
    get diagnostics removed = row_count;
    is_kept := removed < at_most and exists (
      select from "quickquote".delivery_attempts
      where created_at < before and created_at >= coalesce(allowed, '-infinity') and attempt >= 0
    );
  elsif of_table = 'events' then
    with gone as (
      delete from "quickquote".events where ctid = any (array(
        select ctid from "quickquote".events old
        where created_at < ends_at and type >= '' and not exists (
          select from "quickquote".deliveries
          where id >= "quickquote".first_delivery_of(old.id)
            and id <= "quickquote".last_delivery_of(old.id) and event_id = old.id
        )
        order by created_at limit at_most for update skip locked
      ))
      returning organization_id, feed_position
    ), floors as materialized (
      select "quickquote".raise_feed_floor(organization_id, max(feed_position)) from gone
      where feed_position is not null group by organization_id
    )
    select (select count(*) from gone), (select count(*) from floors) into removed;
    is_kept := removed < at_most and exists (
      select from "quickquote".events
      where created_at < before and created_at >= coalesce(allowed, '-infinity') and type >= ''
    );
  end if;
end
$$;
revoke all on function "quickquote".remove_expired_rows(text, timestamptz, integer) from public;

-- Removes the oldest entries of the audit log, up to a limit. No row older than "before" has an id from "kept" on.
create or replace function "quickquote".remove_audit_entries(before timestamptz, kept uuid, at_most integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  ends_at timestamptz;
  removed integer;
begin
  select least(before, "quickquote".history_floor(audit_days)) into ends_at from "quickquote".retention_floor;
  delete from "quickquote".audit_log where id = any (array(
    select id from "quickquote".audit_log where id < kept and created_at < ends_at
    order by id limit at_most for update skip locked
  ));
  get diagnostics removed = row_count;
  return removed;
end
$$;
revoke all on function "quickquote".remove_audit_entries(timestamptz, uuid, integer) from public;

select "quickquote".protect_history();
