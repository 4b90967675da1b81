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
