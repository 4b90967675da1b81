-- The event feed
--
-- Transactions do not commit in the order in which they write, so a reader that follows a number assigned on writing would miss
-- events committed later. Therefore an organization's first event in a transaction takes a shared advisory lock whose key
-- contains a number of the sequence; only then do its events get their numbers. An open transaction thus holds a lock with a
-- lower number than all its events, and readers stop below it.

-- 24 bits for an organization. They depend on the sequence, because other SQL schemas of the database have their own numbers.
create or replace function "quickquote".feed_of(organization uuid) returns bigint language sql immutable as $$
  select hashtextextended(organization::text, '"quickquote".feed_positions'::regclass::oid::bigint) & 16777215
$$;

-- The position of an event being written. The key of the lock has 24 bits for the organization and 40 for the number. A setting
-- of the transaction lists its locks; rolling back to a savepoint reverts it together with the lock. CASE evaluates its
-- branches in order.
create or replace function "quickquote".next_feed_position(organization uuid) returns bigint language sql volatile as $$
  select case
    when strpos(
      coalesce(current_setting('quickquote.feed', true), ''),
      format(',%s/%s,', '"quickquote".feed_positions'::regclass::oid, "quickquote".feed_of(organization))
    ) > 0 then nextval('"quickquote".feed_positions')
    when pg_advisory_xact_lock_shared(
      ("quickquote".feed_of(organization) << 40) | (nextval('"quickquote".feed_positions') & 1099511627775)
    )::text is null then null
    when set_config(
      'quickquote.feed',
      coalesce(current_setting('quickquote.feed', true), '')
        || format(',%s/%s,', '"quickquote".feed_positions'::regclass::oid, "quickquote".feed_of(organization)),
      true
    ) is null then null
    else nextval('"quickquote".feed_positions')
  end
$$;

-- The locks of open transactions that have written events. A lock of the host may look alike; its transaction counts only if it
-- inserts events itself. An INSERT locks the table before it takes a position, so no writer is overlooked.
create or replace function "quickquote".feed_locks() returns table (key bigint, writer text, pid int) language sql stable as $$
  select (classid::bigint << 32) | objid::bigint, virtualtransaction, held.pid
  from pg_locks held
  where locktype = 'advisory' and objsubid = 1 and granted and mode = 'ShareLock'
    and database = (select oid from pg_database where datname = current_database())
    and exists (
      select from pg_locks
      where locktype = 'relation' and relation = '"quickquote".events'::regclass and granted and mode = 'RowExclusiveLock'
        and virtualtransaction = held.virtualtransaction
    )
$$;

-- The highest position of a stored event, if the sequence is behind it: rows were moved to another server without the sequence.
create or replace function "quickquote".feed_ahead() returns bigint language sql stable as $$
  select feed_position from (
    select feed_position from "quickquote".events where feed_position > 0 order by feed_position desc limit 1
  ) highest, "quickquote".feed_positions
  where feed_position > case when is_called then last_value else 0 end
$$;

-- Lets new positions follow the highest, and moves events behind it that were recorded since the rows were moved: they are
-- those that have a position of the sequence as it is now, although they are younger than the event with the highest. Readers
-- of other positions miss nothing, those of the moved ones get an expired cursor.
create or replace function "quickquote".repair_feed() returns table (events integer)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  newest bigint;
  highest bigint;
  highest_at timestamptz;
begin
  if "quickquote".feed_ahead() is null then return; end if;
  -- Events wait: their positions may already be taken.
  lock table only "quickquote".events in share row exclusive mode;
  highest := "quickquote".feed_ahead();
  if highest is null then return; end if;
  select case when is_called then last_value else 0 end into newest from "quickquote".feed_positions;
  select max(created_at) into highest_at from "quickquote".events where feed_position = highest;
  perform setval('"quickquote".feed_positions', highest);
  update "quickquote".events set feed_position = "quickquote".next_feed_position(organization_id)
  where feed_position > 0 and feed_position <= newest and created_at > highest_at;
  get diagnostics events = row_count;
  return next;
end
$$;

-- The position below which an organization's feed is final. Each statement sees all earlier commits, and their order matters:
-- first the assigned numbers, then the locks of open transactions, then the caller's reads.
create or replace function "quickquote".feed_bound(organization uuid) returns bigint language plpgsql volatile as $$
declare
  newest bigint;
  oldest_open bigint;
begin
  if pg_is_in_recovery() or current_setting('transaction_isolation') not like 'read %committed' then
    raise 'the event feed is read from the primary, in transactions that are "read committed"';
  end if;
  select case when is_called then last_value else 0 end into newest from "quickquote".feed_positions;
  -- Numbers wrap around, so they are compared within half of the circle; those above the newest do not matter yet.
  select min(newest - ((newest - key) & 1099511627775)) into oldest_open
  from "quickquote".feed_locks()
  where ((key >> 40) & 16777215) = "quickquote".feed_of(organization)
    and ((newest - key) & 1099511627775) < 549755813888;
  return least(newest, oldest_open - 1);
end
$$;

-- A page of the feed after an event (null: from the oldest one kept): bodies separated by commas, and the position where it
-- ended. Filtered and erased events are skipped, up to a limit per page. Expired: later events have been deleted. The settings:
-- as for `look_for_news`; without them each page of a grown table would be planned again.
create or replace function "quickquote".read_feed(
  organization uuid, after_position bigint, after_id uuid, only_types text[], only_source text,
  page_limit integer, examined_limit integer
) returns table (is_expired boolean, event uuid, at_position bigint, event_count integer, content text)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  bound constant bigint := "quickquote".feed_bound(organization);
  floor constant bigint := coalesce((select position from "quickquote".feed_floors where organization_id = organization), 0);
  -- The event that the page follows must still be there. It is read together with the page.
  follows constant bigint := case when after_position > floor then after_position else 0 end;
  is_kept boolean;
begin
  -- Aggregates see the rows in the order of the subquery; one of their own would sort them again.
  select string_agg(body, ',') filter (where feed_position <> follows),
    count(*) filter (where feed_position <> follows), (array_agg(id))[count(*)], max(feed_position),
    bool_or(feed_position = follows and id = after_id)
  into content, event_count, event, at_position, is_kept
  from (
    select id, feed_position, body
    from (
      select id, type, generation_source, feed_position, body from "quickquote".events
      where organization_id = organization and feed_position >= greatest(follows, floor + 1)
        and feed_position <= greatest(bound, follows)
      order by feed_position limit examined_limit + sign(follows)::integer
    ) examined
    where feed_position = follows
      or body <> '[erased]' and (only_types is null or type = any (only_types))
        and (only_source is null or generation_source = only_source)
    order by feed_position limit page_limit + sign(follows)::integer
  ) page;
  -- Beyond the sequence, later events may have lower positions: see `repair_feed`.
  is_expired := after_position < floor or follows > 0 and is_kept is not true
    or after_position > (select case when is_called then last_value else 0 end from "quickquote".feed_positions);

  -- The page ends with the last event examined.
  if event_count < page_limit then
    select id, feed_position into event, at_position
    from (
      select id, feed_position from "quickquote".events
      where organization_id = organization and feed_position > greatest(follows, floor) and feed_position <= bound
      order by feed_position limit examined_limit
    ) examined
    order by feed_position desc limit 1;
  end if;
  if at_position is null then
    at_position := coalesce(after_position, floor);
    event := after_id;
  end if;
  return next;
end
$$;

-- Where reading begins: after an event, or, if it is null, after the newest one a page could contain. While an open transaction
-- may still commit earlier events than the given one, reading begins before them. No row: the event is not in the feed.
create or replace function "quickquote".start_of_feed(organization uuid, after_event uuid) returns table (event uuid, at_position bigint)
language plpgsql volatile
set enable_bitmapscan = off set enable_sort = off
as $$
declare
  bound bigint := "quickquote".feed_bound(organization);
begin
  if after_event is not null then
    -- No index for the organization, or its whole feed is searched for the id.
    select least(bound, feed_position) into bound from "quickquote".events
    where id = after_event and organization_id is not distinct from organization and feed_position is not null;
    if not found then
      return;
    end if;
  end if;
  return query
    (select id, feed_position from "quickquote".events
     where organization_id = organization and feed_position <= bound order by feed_position desc limit 1)
    union all
    select null::uuid, coalesce((select position from "quickquote".feed_floors where organization_id = organization), 0)
    limit 1;
end
$$;

-- Looks for readers, by their numbers in the order of the arrays, that a page has events for. The first row has no reader but
-- the position below which everything was looked at: a reader who is not found need not look below it again.
--
-- Many wait, most for organizations in which nothing happens, so the newest events are read once for all readers. A reader who
-- is far behind them costs a search in the index of each day. The settings leave the planner no other way, whatever it knew
-- about the tables when it made the plan.
create or replace function "quickquote".look_for_news(organizations uuid[], positions bigint[])
returns table (reader bigint, looked_up_to bigint)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_nestloop = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  -- Without an organization, the newest position: see there for the order of these statements.
  newest constant bigint := "quickquote".feed_bound(null);
  far_behind constant bigint := newest - 10000;
  open_feeds bigint[];
  open_since bigint[];
  oldest_near bigint;
begin
  select array_agg(feed), array_agg(oldest) into open_feeds, open_since
  from (
    select (key >> 40) & 16777215 as feed, min(newest - ((newest - key) & 1099511627775)) as oldest
    from "quickquote".feed_locks() where ((newest - key) & 1099511627775) < 549755813888 group by 1
  ) held;
  return query select null::bigint, least(newest, (select min(oldest) - 1 from unnest(open_since) as held (oldest)));

  select min(seen) into oldest_near from unnest(positions) as waiting (seen) where seen >= far_behind;
  return query
    with news as materialized (
      select organization_id, feed_position from "quickquote".events
      where feed_position > 0 and feed_position > oldest_near and feed_position <= newest
        -- Held up by an open transaction, it is not in a page yet.
        and (num_nulls(open_feeds) = 1 or not exists (
          select from unnest(open_feeds, open_since) as held (feed, oldest)
          where feed = "quickquote".feed_of(organization_id) and feed_position >= oldest
        ))
      order by feed_position
    ), latest as (
      select organization_id, max(feed_position) as feed_position from news group by organization_id
    )
    select waiting.reader, null::bigint
    from latest join unnest(organizations, positions) with ordinality as waiting (organization, seen, reader)
      on organization = organization_id and latest.feed_position > seen
    where seen >= far_behind;

  return query
    select unnest(readers), null::bigint
    from (
      select organization, seen, array_agg(waiting.reader) as readers
      from unnest(organizations, positions) with ordinality as waiting (organization, seen, reader)
      where seen < far_behind group by organization, seen
    ) waiting
    cross join lateral (
      select feed_position from "quickquote".events
      where organization_id = organization and feed_position > seen order by feed_position limit 1
    ) next
    where feed_position <= "quickquote".feed_bound(organization);
end
$$;
