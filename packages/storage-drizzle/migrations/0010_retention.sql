-- Drops the oldest day of events or of attempts that ended at "before" or earlier, one for each call, so that no lock is
-- held for long. The answer is what became of it:
--
--   dropped  there may be another one
--   none     there is none
--   busy     another process is at it
--   in_use   a delivery needs an event of before "before"
--   blocked  a transaction uses the table; nobody was held up for longer than the lock timeout
--
-- A day cannot be detached concurrently, because there is a default partition: dropping locks the whole table, and while it
-- waits for that, everybody else waits behind it. It never waits for long, then. It is a function, so that the lock never
-- waits for a process that was paused, and runs with the rights of whoever owns the tables.
--
-- Ids of deliveries begin with the time of their event: those of "kept_deliveries" and later need no event that is dropped.
-- Whoever makes or leases a delivery reads its event: under the lock nobody does, and all that did have committed.
create function "quickquote".drop_expired_day(of_table text, before timestamptz, kept_deliveries uuid) returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  expired regclass;
begin
  if not (
    select pg_try_advisory_xact_lock(hashtextextended(nspname || ' maintenance', 0))
    from pg_namespace where oid = '"quickquote"'::regnamespace
  ) then
    return 'busy';
  end if;

  select day.oid into expired
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
revoke all on function "quickquote".drop_expired_day(text, timestamptz, uuid) from public;

-- The transactions that were writing events when the replay was ordered. What they write may happen to be older than what
-- the replay has seen by then, so it waits for them.
alter table "quickquote".replays add column waits_for text[] not null default '{}';

-- As before, but it waits for nobody: a long query (a backup) that reads the default partition would hold it up, and while
-- it waited, the claims of all workers would wait behind it. What cannot be made now is made the next time; there are days
-- enough ahead.
create or replace function "quickquote".make_partitions() returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
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
      exception when lock_not_available then
        return;
      end;
    end loop;
  end loop;
end
$$;
