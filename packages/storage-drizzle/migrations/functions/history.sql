-- History
--
-- Rows of history are inserted through the parent tables, and removed only by the functions below: API and workers cannot
-- change or delete them, or drop anything younger than the floor. The functions run with the rights of the schema's owner, so
-- that the runtime role needs no right to change tables. Their search path is fixed, and only roles with a grant can call them.
-- Bounds of days are read in the format in which they are printed, whatever the session's DateStyle and time zone: an
-- abbreviation such as IST could be parsed as another zone.

-- Nothing from this moment on may be removed: the beginning of a day (UTC), by the database's clock.
create or replace function "quickquote".history_floor(days integer) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select (date_trunc('day', now() at time zone 'utc')
    - case when pg_has_role(session_user, nspowner, 'member') then 2 else days end * interval '1 day') at time zone 'utc'
  from pg_namespace where oid = '"quickquote"'::regnamespace
$$;
revoke all on function "quickquote".history_floor(integer) from public;

-- Revokes rights granted by default privileges. Called again for each partition, because partitions get the rights of any new
-- table.
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
      and (relispartition or relname in ('events', 'delivery_attempts', 'audit_log', 'retention_floor', 'feed_floors', 'erased_organizations'))
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

-- Creates missing day partitions (UTC) for today and the next six days, and moves their rows out of the default partition. It
-- has no arguments, so its callers control nothing.
--
-- It hardly waits for locks: while it waits for a long query on the default partition, such as a backup, it blocks the claims of
-- all workers. Partitions that cannot be created now are created by a later call, days before they are needed.
create or replace function "quickquote".make_partitions() returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set datestyle = 'ISO' set timezone = 'UTC'
set lock_timeout = '100ms'
as $$
declare
  -- If the job fails for days, the default partition takes the rows.
  days constant int := 7;
  parent text;
  day timestamp;
  partition text;
  since text;
  until text;
begin
  -- Another process is creating partitions, or migrating.
  if not (
    select pg_try_advisory_xact_lock(hashtextextended(nspname || ' maintenance', 0))
    from pg_namespace where oid = '"quickquote"'::regnamespace
  ) then
    return;
  end if;

  foreach parent in array array['"quickquote".events', '"quickquote".delivery_attempts'] loop
    for ahead in 0 .. days - 1 loop
      day := date_trunc('day', now() at time zone 'utc') + ahead * interval '1 day';
      partition := parent || to_char(day, '_YYYY_MM_DD');
      continue when to_regclass(partition) is not null;
      since := quote_literal(to_char(day, 'YYYY-MM-DD"T00:00:00Z"'));
      until := quote_literal(to_char(day + interval '1 day', 'YYYY-MM-DD"T00:00:00Z"'));

      begin
        -- Inserts of today wait before they choose a partition: one that has chosen the default partition fails once that day is
        -- attached.
        if ahead = 0 then
          execute format('lock table only %s in share row exclusive mode', parent);
        end if;
        -- Attached, because creating it as a partition would block all readers and writers of the table. The default partition
        -- is locked against writes between the move and the attachment, which would fail if it held a row of that day.
        execute format('lock table %s_default in access exclusive mode', parent);
        execute format('create table %s (like %s including all)', partition, parent);
        execute format(
          'with moved as (delete from %s_default where created_at >= %s and created_at < %s returning *)
           insert into %s select * from moved', parent, since, until, partition);
        execute format('alter table %s attach partition %s for values from (%s) to (%s)', parent, partition, since, until);
        perform "quickquote".protect_history();
      exception when lock_not_available then
        return;
      end;
    end loop;
  end loop;
end
$$;
revoke all on function "quickquote".make_partitions() from public;

-- The events of an organization up to a position are no longer kept.
create or replace function "quickquote".raise_feed_floor(organization uuid, last bigint) returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  insert into "quickquote".feed_floors as floor (organization_id, position) values (organization, last)
  on conflict (organization_id) do update set position = greatest(floor.position, excluded.position)
$$;
revoke all on function "quickquote".raise_feed_floor(uuid, bigint) from public;

-- Drops the oldest day of events or attempts that ended at or before "before". One per call, so that locks are short. Returns:
--
--   dropped  there may be more
--   none     there is none
--   busy     another process is dropping it
--   in_use   a delivery needs an event older than "before"
--   blocked  a transaction uses the table; others waited no longer than the lock timeout
--   kept     the floor protects the rest
--
-- A default partition rules out detaching concurrently: dropping locks the whole table, and everyone else queues behind a
-- waiting lock. So it gives up quickly. As a function it cannot leave the lock waiting for a paused process.
--
-- Ids of deliveries begin with the time of their event: "kept_deliveries" and later ones do not need a dropped event. Creating
-- or leasing a delivery reads its event; under the lock nobody does, and everyone who did has committed.
create or replace function "quickquote".drop_expired_day(of_table text, before timestamptz, kept_deliveries uuid) returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set datestyle = 'ISO' set timezone = 'UTC'
set lock_timeout = '100ms'
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  allowed timestamptz;
  expired regclass;
  day_ended_at timestamptz;
begin
  if not (
    select pg_try_advisory_xact_lock(hashtextextended(nspname || ' maintenance', 0))
    from pg_namespace where oid = '"quickquote"'::regnamespace
  ) then
    return 'busy';
  end if;

  select day.oid, ended_at into expired, day_ended_at
  from pg_class parent
  join pg_inherits on inhparent = parent.oid
  join pg_class day on day.oid = inhrelid
  cross join lateral (
    select (regexp_match(pg_get_expr(day.relpartbound, day.oid), $bound$TO \('(.+)'\)$bound$))[1]::timestamptz as ended_at
  ) bound
  where parent.relnamespace = '"quickquote"'::regnamespace and parent.relkind = 'p' and parent.relname = of_table
    and ended_at <= before
  order by ended_at limit 1;
  if expired is null then
    return 'none';
  end if;
  select "quickquote".history_floor(event_days) into allowed from "quickquote".retention_floor;
  -- Without a floor nothing is dropped.
  if day_ended_at <= allowed then
    null;
  else
    return 'kept';
  end if;

  begin
    if of_table = 'events' then
      -- Slow, so done before taking the exclusive lock. Nobody writes to that day any more.
      execute format('lock table %s in share mode', expired);
      execute format(
        'select "quickquote".raise_feed_floor(organization_id, max(feed_position)) from %s
         where feed_position is not null group by organization_id', expired);
      lock table only "quickquote".events in access exclusive mode;
      if exists (
        select from "quickquote".deliveries where id < kept_deliveries and event_created_at < before
      ) then
        raise object_in_use;
      end if;
    end if;
    execute format('drop table %s', expired);
  exception
    when lock_not_available then
      return 'blocked';
    when object_in_use then
      return 'in_use';
  end;
  return 'dropped';
end
$$;
revoke all on function "quickquote".drop_expired_day(text, timestamptz, uuid) from public;

-- The default partition cannot be dropped, so its old rows are deleted, up to a limit per call. Events that a delivery needs
-- stay; ids of deliveries begin with the id of their event.
create or replace function "quickquote".remove_expired_rows(of_table text, before timestamptz, at_most integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  ends_at timestamptz;
  removed integer := 0;
begin
  select least(before, "quickquote".history_floor(event_days)) into ends_at from "quickquote".retention_floor;
  if of_table = 'delivery_attempts' then
    delete from "quickquote".delivery_hours where hour < ends_at;
    delete from "quickquote".delivery_attempts_default where ctid = any (array(
      select ctid from "quickquote".delivery_attempts_default
      where created_at < ends_at limit at_most for update skip locked
    ));
    get diagnostics removed = row_count;
  elsif of_table = 'events' then
    with gone as (
      delete from "quickquote".events_default where ctid = any (array(
        select ctid from "quickquote".events_default old
        where created_at < ends_at and not exists (
          select from "quickquote".deliveries
          where id >= "quickquote".first_delivery_of(old.id)
            and id <= "quickquote".last_delivery_of(old.id) and event_id = old.id
        )
        limit at_most for update skip locked
      ))
      returning organization_id, feed_position
    ), floors as materialized (
      select "quickquote".raise_feed_floor(organization_id, max(feed_position)) from gone
      where feed_position is not null group by organization_id
    )
    select (select count(*) from gone), (select count(*) from floors) into removed;
  end if;
  return removed;
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
