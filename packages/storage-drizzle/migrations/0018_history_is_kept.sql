-- What the role of API and workers may not do to history: change or delete it, or drop what is younger than the floor below.
-- Locks no table for longer than a moment: nothing is read or rewritten.

-- Days for which history is kept whatever the runtime role asks for. The schema's owner changes it:
--   update "quickquote".retention_floor set event_days = 7;
-- The owner itself, who could drop the tables as well, is only held to two days.
create table "quickquote".retention_floor (
  is_only boolean primary key default true check (is_only),
  event_days integer not null default 30 check (event_days >= 2),
  audit_days integer not null default 400 check (audit_days >= 2)
);
insert into "quickquote".retention_floor default values;

-- The moment from which on nothing is removed, by the clock of the database: the beginning of a day (UTC).
create function "quickquote".history_floor(days integer) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select (date_trunc('day', now() at time zone 'utc')
    - case when pg_has_role(session_user, nspowner, 'member') then 2 else days end * interval '1 day') at time zone 'utc'
  from pg_namespace where oid = '"quickquote"'::regnamespace
$$;
revoke all on function "quickquote".history_floor(integer) from public;

-- History has one way in, its parent table, and the functions below are its only way out. Partitions are made with the
-- rights of any table, so this is called again for them.
create function "quickquote".protect_history() returns void
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
      and (relispartition or relname in ('events', 'delivery_attempts', 'audit_log', 'retention_floor'))
      and privilege_type in ('UPDATE', 'DELETE', 'TRUNCATE')
  loop
    execute format('revoke update, delete, truncate on %s from %s', granted.relation, granted.role);
    if granted.relname = 'retention_floor' then
      execute format('revoke insert on %s from %s', granted.relation, granted.role);
    end if;
  end loop;
end
$$;
revoke all on function "quickquote".protect_history() from public;

-- As before, with the floor; and bounds of days are read as they are written, whatever the DateStyle and time zone of the
-- session: an abbreviation like IST is another zone on the way back.
--
--   dropped  there may be another one
--   none     there is none
--   busy     another process is at it
--   in_use   a delivery needs an event of before "before"
--   blocked  a transaction uses the table; nobody was held up for longer than the lock timeout
--   kept     there is none but such as the floor keeps
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
      lock table only "quickquote".events in access exclusive mode;
      if exists (
        select from "quickquote".deliveries where id < kept_deliveries and event_created_at < before
      ) then
        return 'in_use';
      end if;
    end if;
    execute format('drop table %s', expired);
  exception when lock_not_available then
    return 'blocked';
  end;
  return 'dropped';
end
$$;

-- A default partition cannot be dropped: what is old in it is removed by rows, at most so many for each call. An event that a
-- delivery needs stays; ids of deliveries begin with the id of their event.
create function "quickquote".remove_expired_rows(of_table text, before timestamptz, at_most integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  ends_at timestamptz;
  removed integer := 0;
begin
  select least(before, "quickquote".history_floor(event_days)) into ends_at from "quickquote".retention_floor;
  if of_table = 'delivery_attempts' then
    delete from "quickquote".delivery_attempts_default where ctid = any (array(
      select ctid from "quickquote".delivery_attempts_default
      where created_at < ends_at limit at_most for update skip locked
    ));
    get diagnostics removed = row_count;
  elsif of_table = 'events' then
    delete from "quickquote".events_default where ctid = any (array(
      select ctid from "quickquote".events_default old
      where created_at < ends_at and not exists (
        select from "quickquote".deliveries
        where id >= (left(old.id::text, 15) || '000-0000-000000000000')::uuid
          and id <= (left(old.id::text, 15) || 'fff-ffff-ffffffffffff')::uuid and event_id = old.id
      )
      limit at_most for update skip locked
    ));
    get diagnostics removed = row_count;
  end if;
  return removed;
end
$$;
revoke all on function "quickquote".remove_expired_rows(text, timestamptz, integer) from public;

-- Removes the oldest entries of the audit log, at most so many. No row of before "before" has the id "kept" or a later one.
create function "quickquote".remove_audit_entries(before timestamptz, kept uuid, at_most integer) returns integer
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

-- As before; a new partition has no more rights than its parent.
create or replace function "quickquote".make_partitions() returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set datestyle = 'ISO' set timezone = 'UTC'
set lock_timeout = '100ms'
as $$
declare
  -- A job that fails for days in a row loses nothing: then the default partition takes over.
  days constant int := 7;
  parent text;
  day timestamp;
  partition text;
  since text;
  until text;
begin
  -- Another process is at it, then.
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
        -- Attached, not created as a partition: that would lock out all readers and writers of the whole table. Nobody may
        -- write to the default partition between the move and the attachment, which fails when a row of the day is in there.
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

select "quickquote".protect_history();
