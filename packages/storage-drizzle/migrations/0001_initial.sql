-- The tables, then the functions, of one SQL schema. Every name is qualified with "quickquote"; migrate() replaces it when the
-- host chose another schema. What is here was never released: it is edited until it is, and from then on changed by the
-- migrations that follow it.
--
-- Times are kept to the millisecond, as JavaScript has them. Ids are uuids of version 7: they begin with the time.

-- API keys ------------------------------------------------------------------------------------------------------------------

-- The value of a key is nowhere: only its hash.
create table "quickquote".api_keys (
  id uuid primary key,
  organization_id uuid not null,
  owner_id text not null,
  name text not null,
  key_hash bytea not null unique,
  masked_key text not null,
  status text not null check (status in ('active', 'inactive', 'revoked')),
  expires_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
-- Keys are listed a page at a time, the newest first.
create index api_keys_newest on "quickquote".api_keys (organization_id, created_at desc, id desc);
-- Keys of an organization are counted before one is created: only those that may still work are looked at, however many were
-- revoked. No column of a use is in it, so that writing `last_used_at` stays an update in place.
create index api_keys_that_count on "quickquote".api_keys (organization_id, expires_at) include (owner_id)
  where status <> 'revoked';
-- Finds those that expire soon.
create index api_keys_by_expiry on "quickquote".api_keys (expires_at) where status = 'active';

-- Quotations ----------------------------------------------------------------------------------------------------------------

-- A host may keep quotations in tables of its own: then these five are empty.
create table "quickquote".quotations (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  description text not null,
  status text not null check (status in ('queued', 'running', 'completed', 'failed')),
  processed_step text not null,
  error_code text,
  source text not null check (source in ('ui', 'api_key')),
  -- No foreign key: to delete a key would read all quotations.
  api_key_id uuid,
  config_id uuid,
  requirements_text text,
  metadata jsonb,
  -- The trace of the request that started it: the two headers of W3C Trace Context.
  traceparent text,
  tracestate text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
  -- Updated with each report. No index has a column that most reports change, so there is a place for the row's next version
  -- on its own page.
) with (fillfactor = 80);
-- Lists the quotations of an organization, the newest first: ids begin with the time. Without a source, the lists of both are
-- merged.
create index quotations_of_organization on "quickquote".quotations (organization_id, source, id);
-- The same for those of which there are few, however many have completed. It finds the runs that nothing was heard of, too.
create index quotations_unfinished on "quickquote".quotations (organization_id, source, id)
  where status in ('queued', 'running');
create index quotations_failed on "quickquote".quotations (organization_id, source, id) where status = 'failed';

-- A step without a row is pending.
create table "quickquote".quotation_steps (
  quotation_id uuid not null references "quickquote".quotations (id) on delete cascade,
  step text not null,
  status text not null check (status in ('running', 'completed', 'failed')),
  error_code text,
  started_at timestamptz(3) not null,
  completed_at timestamptz(3),
  primary key (quotation_id, step)
);

-- The requirements files of a quotation, in the order in which they were sent.
create table "quickquote".quotation_files (
  id uuid primary key,
  quotation_id uuid not null references "quickquote".quotations (id) on delete cascade,
  position smallint not null,
  name text not null,
  type text not null check (type in ('docx', 'pdf', 'txt', 'md')),
  size bigint not null,
  unique (quotation_id, position)
);

create table "quickquote".proposals (
  id uuid primary key,
  organization_id uuid not null,
  quotation_id uuid not null unique references "quickquote".quotations (id) on delete cascade,
  name text not null,
  status text not null check (status in ('completed')),
  document_id uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- Starting a quotation ------------------------------------------------------------------------------------------------------

-- Files that belong to no quote: noted before their first byte is stored, struck off by the transaction that accepts the
-- quote. What stays here was given up, wherever its bytes are.
create table "quickquote".uploads (
  id uuid primary key,
  organization_id uuid not null,
  created_at timestamptz(3) not null,
  -- Set when the upload was given up: no quote takes it any more, and its bytes are on their way out.
  abandoned_at timestamptz(3)
);
create index uploads_by_age on "quickquote".uploads (created_at);
create index uploads_of_organization on "quickquote".uploads (organization_id);

-- The bytes of files, unless the host keeps them elsewhere.
create table "quickquote".file_chunks (
  file_id uuid not null,
  position integer not null,
  organization_id uuid not null,
  is_last boolean not null,
  bytes bytea not null,
  primary key (file_id, position)
);
-- docx and pdf are compressed already: trying again costs time and gains nothing.
alter table "quickquote".file_chunks alter column bytes set storage external;

-- Which request a client may repeat: see the Idempotency-Key header of the start. Kept for a day. The quotation may be one
-- that the host keeps, so there is no foreign key.
create table "quickquote".idempotency_keys (
  organization_id uuid not null,
  key text not null,
  request_hash bytea not null,
  quotation_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (organization_id, key)
);
create index idempotency_keys_by_age on "quickquote".idempotency_keys (created_at);

-- Orders to start a pipeline. A row leaves when the pipeline has taken the quote over.
create table "quickquote".pipeline_starts (
  quotation_id uuid primary key,
  -- The quote, when the host keeps the quotation.
  quote jsonb,
  attempt smallint not null default 0,
  due_at timestamptz(3) not null,
  leased_by uuid
) with (fillfactor = 80);
create index pipeline_starts_due on "quickquote".pipeline_starts (due_at) where leased_by is null;
create index pipeline_starts_leased on "quickquote".pipeline_starts (leased_by) where leased_by is not null;

-- Webhook endpoints ---------------------------------------------------------------------------------------------------------

create table "quickquote".webhook_endpoints (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  url text not null,
  description text,
  events text[] not null,
  trigger_mode text not null check (trigger_mode in ('headless_only', 'always')),
  -- 'quotation': each event waits for the one before it of the same quotation.
  ordering text not null default 'none' check (ordering in ('none', 'quotation')),
  is_enabled boolean not null,
  -- Why it is disabled; null while it is enabled.
  disabled_reason text check (disabled_reason in ('requested', 'failing')),
  secret_ciphertext bytea,
  secret_key_id text,
  secret_hint text not null,
  -- The signing secret before the last rotation, while its overlap lasts.
  previous_secret_ciphertext bytea,
  previous_secret_key_id text,
  previous_secret_expires_at timestamptz(3),
  -- Headers of its own, sent with each delivery: the names, and names and values encrypted like the secrets.
  header_names text[] not null default '{}',
  headers_ciphertext bytea,
  headers_key_id text,
  -- Grows with every change, so that workers know when what they cached is old.
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  -- An endpoint that was deleted never signs again: its secrets go with it.
  constraint webhook_endpoints_have_secrets
    check (deleted_at is not null or num_nulls(secret_ciphertext, secret_key_id) = 0),
  constraint webhook_endpoints_name_their_headers
    check (num_nulls(headers_ciphertext, headers_key_id) = case when header_names = '{}' then 2 else 0 end)
);
create index webhook_endpoints_of_organization on "quickquote".webhook_endpoints (organization_id, id)
  where deleted_at is null;

-- How the deliveries of an endpoint go. Written when that changes, not for each attempt.
create table "quickquote".endpoint_health (
  endpoint_id uuid primary key,
  last_success_at timestamptz(3),
  -- The first failure after the last success; null while it goes well.
  failing_since timestamptz(3)
) with (fillfactor = 70);
create index endpoint_health_failing on "quickquote".endpoint_health (failing_since) where failing_since is not null;

-- Warnings to the host, each written once, whichever worker sees its cause.
create table "quickquote".warnings (
  id uuid primary key,
  organization_id uuid not null,
  kind text not null check (kind in ('endpoint_failing', 'deliveries_exhausted', 'api_key_expiring')),
  -- The endpoint or the API key.
  subject_id uuid not null,
  -- The first failure; the first delivery that was given up; the expiry of the key.
  since timestamptz(3) not null,
  -- The last delivery that was given up.
  until timestamptz(3),
  -- Deliveries that were given up; days that the key had left.
  count integer,
  -- Which of several warnings: for an endpoint 1, then 2; for a key the days that it has left.
  stage smallint,
  -- Calls of the hook that were begun. The number of the one under way fences its lease.
  attempt smallint not null default 0,
  -- Null: the hook has taken it, or was called in vain for long enough.
  due_at timestamptz(3),
  created_at timestamptz(3) not null
);
create unique index warnings_once on "quickquote".warnings (subject_id, kind, since, stage) where stage is not null;
-- The hour whose deliveries are being counted: it ends when the hook is first called.
create unique index warnings_counting on "quickquote".warnings (subject_id)
  where kind = 'deliveries_exhausted' and attempt = 0;
create index warnings_due on "quickquote".warnings (due_at) where due_at is not null;

-- Events and their deliveries -----------------------------------------------------------------------------------------------

-- Append-only, a partition a day: retention drops whole days. `default` catches what no day was made for.
create table "quickquote".events (
  id uuid not null,
  organization_id uuid not null,
  type text not null,
  quotation_id uuid,
  -- The number of the event within its quotation, from 1.
  sequence integer,
  -- Which endpoints want it depends on it, so what an endpoint missed is found by it.
  generation_source text,
  -- What is sent, byte for byte.
  body text not null,
  -- A sample: sent to one endpoint, and nobody else's.
  is_test boolean not null default false,
  -- Its place in the feed of its organization: see "Functions of the event feed". Samples are in no feed.
  feed_position bigint,
  -- The trace that it belongs to: the two headers of W3C Trace Context.
  traceparent text,
  tracestate text,
  created_at timestamptz(3) not null,
  primary key (id, created_at)
) partition by range (created_at);
create table "quickquote".events_default partition of "quickquote".events default;
create index events_of_organization on "quickquote".events (organization_id, created_at);
create index events_feed on "quickquote".events (organization_id, feed_position) where feed_position is not null;

-- Places in the feeds of events, and the numbers of the locks that guard them. Its numbers grow one by one.
create sequence "quickquote".feed_positions cache 1;

-- The last place of each organization whose event is no longer kept.
create table "quickquote".feed_floors (
  organization_id uuid primary key,
  position bigint not null
);

-- The number of the last event of each quotation, wherever that is kept.
create table "quickquote".event_sequences (
  organization_id uuid not null,
  quotation_id uuid not null,
  last integer not null,
  primary key (organization_id, quotation_id)
) with (fillfactor = 80);

-- Unfinished deliveries only, and without payload: this table is the outbox, and it stays small. Vacuum never truncates
-- it: that would lock out the claims, and the space is needed again.
create table "quickquote".deliveries (
  id uuid primary key,
  organization_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  -- Finds the partition of the event.
  event_created_at timestamptz(3) not null,
  is_test boolean not null default false,
  -- Attempts that were begun. The number of the attempt under way fences its lease.
  attempt smallint not null default 0,
  -- 'infinity': it waits for another delivery of its quotation, and is due when that has ended.
  due_at timestamptz(3) not null,
  -- Its place among the deliveries of a quotation, where its endpoint wants these in order; else null.
  quotation_id uuid,
  sequence integer,
  leased_by uuid,
  leased_at timestamptz(3),
  -- Set when the endpoint was disabled or deleted meanwhile, and for a test from the start: no claim of what is due sees it.
  parked_at timestamptz(3)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false);
create index deliveries_due on "quickquote".deliveries (endpoint_id, due_at) where leased_by is null and parked_at is null;
-- "attempt >= 0" is always true. Only statements that say it use this index, so that a plan that was made while the table
-- was empty never reads all that is due to find what is due at one endpoint.
create index deliveries_due_first on "quickquote".deliveries (due_at)
  where leased_by is null and parked_at is null and attempt >= 0;
-- Tests are parked: a claim finds them here, and goes from one endpoint that is tested to the next.
create index deliveries_tests on "quickquote".deliveries (endpoint_id, due_at) where is_test and leased_by is null;
-- Finds the delivery of a quotation that others wait for. Only endpoints that want order have entries in it.
create index deliveries_in_order on "quickquote".deliveries (endpoint_id, quotation_id, sequence)
  where quotation_id is not null;
-- Counts what is under way to an endpoint. Recovery reads all of it: leased rows are few.
create index deliveries_in_flight on "quickquote".deliveries (endpoint_id) where leased_by is not null;

-- Every attempt that ended, however it did. Append-only, a partition a day like events.
create table "quickquote".delivery_attempts (
  id uuid not null,
  delivery_id uuid not null,
  attempt smallint not null,
  organization_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  event_sequence integer,
  quotation_id uuid,
  is_test boolean not null,
  status text not null check (status in ('succeeded', 'failed', 'exhausted', 'rejected', 'interrupted')),
  http_status smallint,
  error text,
  -- What members see of an answer, to find out what is wrong with it.
  response_body text,
  -- Headers of the endpoint's own that were sent, if any. Their values are nowhere.
  header_names text[],
  duration_ms integer,
  first_byte_ms integer,
  created_at timestamptz(3) not null,
  next_attempt_at timestamptz(3),
  -- Ids of deliveries begin with the time of their event, so this index grows at its end.
  primary key (delivery_id, attempt, created_at)
) partition by range (created_at);
create table "quickquote".delivery_attempts_default partition of "quickquote".delivery_attempts default;
create index delivery_attempts_of_organization on "quickquote".delivery_attempts (organization_id, created_at desc, id desc);
create index delivery_attempts_of_endpoint on "quickquote".delivery_attempts (endpoint_id, created_at desc, id desc);

-- Attempts of each endpoint by the hour (UTC) they were made in, tests left out: what charts read instead of the attempts
-- themselves. Hours that are over are counted once; see "Functions of hourly counts".
create table "quickquote".delivery_hours (
  endpoint_id uuid not null references "quickquote".webhook_endpoints on delete cascade,
  hour timestamptz(3) not null,
  delivered integer not null,
  failed integer not null,
  primary key (endpoint_id, hour)
);
create index delivery_hours_by_age on "quickquote".delivery_hours (hour);

-- One row: all hours before "until" are counted.
create table "quickquote".delivery_hours_counted (
  is_only boolean primary key default true check (is_only),
  until timestamptz(3) not null default '-infinity'
);
insert into "quickquote".delivery_hours_counted default values;

-- Orders to send an endpoint what it missed. A worker goes through the events in batches; each batch and the position after
-- it are one transaction.
create table "quickquote".replays (
  id uuid primary key,
  organization_id uuid not null,
  endpoint_id uuid not null,
  state text not null check (state in ('running', 'completed', 'stopped')),
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  status text not null check (status in ('missed', 'failed', 'all')),
  position_at timestamptz(3) not null,
  position_id uuid not null,
  total integer not null,
  examined integer not null default 0,
  resent integer not null default 0,
  -- The transactions that were writing events when the replay was ordered. What they write may happen to be older than what
  -- the replay has seen by then, so it waits for them.
  waits_for text[] not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index replays_running on "quickquote".replays (endpoint_id) where state = 'running';

-- Processes that hold leases. A row whose heartbeat is old belongs to a dead one.
create table "quickquote".workers (
  id uuid primary key,
  started_at timestamptz(3) not null default now(),
  heartbeat_at timestamptz(3) not null default now()
);

-- History -------------------------------------------------------------------------------------------------------------------

-- Who changed which key or endpoint. Append-only.
create table "quickquote".audit_log (
  id uuid primary key,
  organization_id uuid not null,
  -- Null for what the service did on its own.
  actor_id text,
  -- Where the change came from; null for what came of no request.
  client_address text,
  action text not null,
  resource_type text not null,
  resource_id uuid not null,
  resource_name text not null,
  changes jsonb not null,
  created_at timestamptz(3) not null
);
create index audit_log_of_organization on "quickquote".audit_log (organization_id, created_at desc, id desc);
create index audit_log_of_resource on "quickquote".audit_log (resource_id, created_at desc, id desc);

-- Organizations that are being erased. Of one that was, nothing but a hash of its id, times and counts are kept.
create table "quickquote".erasures (
  -- SHA-256.
  organization_hash bytea primary key,
  -- Null once it is erased.
  organization_id uuid unique,
  keeps_audit_log boolean not null,
  -- What is being emptied. Each phase is repeated until it has nothing left.
  phase text not null,
  -- Rows that were removed, by their table.
  removed jsonb not null default '{}',
  -- What only the host can erase.
  left_to_host jsonb not null default '[]',
  started_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  erased_at timestamptz(3)
);

-- Days for which history is kept whatever the runtime role asks for. The schema's owner changes it:
--   update "quickquote".retention_floor set event_days = 7;
-- The owner itself, who could drop the tables as well, is only held to two days.
create table "quickquote".retention_floor (
  is_only boolean primary key default true check (is_only),
  event_days integer not null default 30 check (event_days >= 2),
  audit_days integer not null default 400 check (audit_days >= 2)
);
insert into "quickquote".retention_floor default values;

-- Functions of quotations ---------------------------------------------------------------------------------------------------

-- Quotations that are ours take their orders, idempotency keys and the numbers of their events with them, which have no foreign
-- key.
create function "quickquote".forget_quotation() returns trigger language plpgsql as $$
begin
  delete from "quickquote".pipeline_starts where quotation_id = old.id;
  delete from "quickquote".idempotency_keys where organization_id = old.organization_id and quotation_id = old.id;
  delete from "quickquote".event_sequences where organization_id = old.organization_id and quotation_id = old.id;
  return null;
end
$$;
create trigger forget_quotation after delete on "quickquote".quotations
  for each row execute function "quickquote".forget_quotation();

-- Functions of the event feed -----------------------------------------------------------------------------------------------
--
-- Transactions commit in another order than they write, so a reader who goes by a number that is given while they write would
-- pass events that are committed later. Here the first event of an organization in a transaction takes a shared advisory
-- lock whose key holds a number of the sequence, and only then do its events get theirs: whoever has not committed yet holds
-- a lock with a smaller number than any of its events has, and readers stop below it.

-- The 24 bits of an organization. The sequence is among them, for other SQL schemas of the database have their own numbers.
create function "quickquote".feed_of(organization uuid) returns bigint language sql immutable as $$
  select hashtextextended(organization::text, '"quickquote".feed_positions'::regclass::oid::bigint) & 16777215
$$;

-- The place of an event that is being written. The key of the lock: 24 bits of the organization, 40 of the number. A setting of the
-- transaction keeps which locks it has; a rollback to a savepoint takes it back together with the lock. The branches of CASE
-- are evaluated in their order.
create function "quickquote".next_feed_position(organization uuid) returns bigint language sql volatile as $$
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

-- The place up to which the feed of an organization does not change any more. Each statement sees what was committed before it
-- began, and their order matters: the numbers that were given, then the locks of those who may still write, and what the
-- caller reads after that.
create function "quickquote".feed_bound(organization uuid) returns bigint language plpgsql volatile as $$
declare
  newest bigint;
  oldest_open bigint;
begin
  if pg_is_in_recovery() or current_setting('transaction_isolation') not like 'read %committed' then
    raise 'the event feed is read from the primary, in transactions that are "read committed"';
  end if;
  select case when is_called then last_value else 0 end into newest from "quickquote".feed_positions;
  -- Numbers are compared within half of their circle; those after the newest matter to nobody yet.
  select min(newest - ((newest - key) & 1099511627775)) into oldest_open
  from (
    select (classid::bigint << 32) | objid::bigint as key from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())
  ) lock
  where ((key >> 40) & 16777215) = "quickquote".feed_of(organization)
    and ((newest - key) & 1099511627775) < 549755813888;
  return least(newest, oldest_open - 1);
end
$$;

-- A page of the feed after an event (null: the oldest that is kept), and as the last row where it ended. Events that the filters
-- hide, or that were erased, are passed over, but at most so many for each page. "expired" alone: events after that one are gone.
create function "quickquote".read_feed(
  organization uuid, after_position bigint, after_id uuid, only_types text[], only_source text,
  page_limit integer, examined_limit integer
) returns table (kind text, event uuid, at_position bigint, content text) language plpgsql volatile as $$
declare
  bound constant bigint := "quickquote".feed_bound(organization);
  entry record;
  remaining integer := page_limit;
begin
  for entry in
    select floor.position as floor, kept.*
    from (
      select coalesce((select position from "quickquote".feed_floors where organization_id = organization), 0) as position
    ) floor
    left join lateral (
      select id, type, generation_source, feed_position, body from "quickquote".events
      where organization_id = organization and feed_position >= coalesce(after_position, floor.position)
        and feed_position <= greatest(bound, after_position)
      order by feed_position limit examined_limit + 1
    ) kept on true
  loop
    if at_position is null then
      at_position := coalesce(after_position, entry.floor);
      event := after_id;
      if at_position < entry.floor
        or at_position > entry.floor and (entry.feed_position is distinct from at_position or entry.id is distinct from event)
      then
        kind := 'expired';
        return next;
        return;
      end if;
    end if;
    if entry.feed_position > at_position then
      kind := 'event';
      at_position := entry.feed_position;
      event := entry.id;
      content := entry.body;
      if entry.body <> '[erased]' and (only_types is null or entry.type = any (only_types))
        and (only_source is null or entry.generation_source = only_source)
      then
        return next;
        remaining := remaining - 1;
      end if;
      exit when remaining = 0;
    end if;
  end loop;
  kind := 'end';
  content := null;
  return next;
end
$$;

-- The place of the newest event that a page could have, or of the newest that is no longer kept.
create function "quickquote".end_of_feed(organization uuid) returns table (event uuid, at_position bigint)
language plpgsql volatile as $$
declare
  bound constant bigint := "quickquote".feed_bound(organization);
begin
  return query
    (select id, feed_position from "quickquote".events
     where organization_id = organization and feed_position <= bound order by feed_position desc limit 1)
    union all
    select null::uuid, coalesce((select position from "quickquote".feed_floors where organization_id = organization), 0)
    limit 1;
end
$$;

-- Functions of hourly counts ------------------------------------------------------------------------------------------------

-- Counts the quarters of an hour that have been over for five minutes and are not counted yet, into the row of their hour.
-- Whoever finds another process at it leaves it to that one. What is recorded later than that is added by the trigger below.
create function "quickquote".count_delivery_hours() returns void language plpgsql
set enable_seqscan = off set jit = off
as $$
declare
  begins timestamptz;
  ends constant timestamptz := date_bin('15 minutes', now() - interval '5 minutes', timestamptz '2000-01-01 00:00+00');
begin
  select until into begins from "quickquote".delivery_hours_counted where until < ends for update skip locked;
  if not found then
    return;
  end if;
  -- A statement of its own sees all that was committed before the row was locked.
  insert into "quickquote".delivery_hours as counted (endpoint_id, hour, delivered, failed)
  select endpoint.id, attempt.hour, attempt.delivered, attempt.failed
  from "quickquote".webhook_endpoints endpoint cross join lateral (
    select date_trunc('hour', created_at, 'UTC') as hour, count(*) filter (where status = 'succeeded') as delivered,
      count(*) filter (where status <> 'succeeded') as failed
    from "quickquote".delivery_attempts
    where endpoint_id = endpoint.id and created_at >= begins and created_at < ends and not is_test
    group by 1
  ) attempt
  -- None that is erased meanwhile.
  for key share of endpoint
  on conflict (endpoint_id, hour) do update
    set delivered = counted.delivered + excluded.delivered, failed = counted.failed + excluded.failed;
  update "quickquote".delivery_hours_counted set until = ends;
end
$$;

-- An attempt that is recorded after its time was counted (the database was away meanwhile) is added to the count. The lock
-- makes it wait for whoever is counting, and has two of them wait for each other in one order.
create function "quickquote".count_late_attempt() returns trigger language plpgsql as $$
declare
  counted_until timestamptz;
begin
  select until into counted_until from "quickquote".delivery_hours_counted for update;
  if new.created_at < counted_until then
    insert into "quickquote".delivery_hours as counted (endpoint_id, hour, delivered, failed)
    values (new.endpoint_id, date_trunc('hour', new.created_at, 'UTC'),
      (new.status = 'succeeded')::int, (new.status <> 'succeeded')::int)
    on conflict (endpoint_id, hour) do update
      set delivered = counted.delivered + excluded.delivered, failed = counted.failed + excluded.failed;
  end if;
  return null;
end
$$;
-- An attempt that is recorded in time costs no more than the condition. What is younger than a minute when its transaction
-- begins has four more until it can be counted, and no such transaction takes so long.
create trigger count_late_attempt after insert on "quickquote".delivery_attempts
  for each row when (not new.is_test and new.created_at < now() - interval '1 minute')
  execute function "quickquote".count_late_attempt();

-- Functions of history ------------------------------------------------------------------------------------------------------
--
-- History has one way in, its parent tables, and the functions below are its only way out: API and workers may not change or
-- delete it, nor drop what is younger than the floor. The functions run with the rights of whoever owns the schema, so that the
-- role of API and workers needs none to change tables; they look names up nowhere else, and only a role that was granted it may
-- call them. Bounds of days are read as they are written, whatever the DateStyle and time zone of the session: an abbreviation
-- like IST is another zone on the way back.

-- The moment from which on nothing is removed, by the clock of the database: the beginning of a day (UTC).
create function "quickquote".history_floor(days integer) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select (date_trunc('day', now() at time zone 'utc')
    - case when pg_has_role(session_user, nspowner, 'member') then 2 else days end * interval '1 day') at time zone 'utc'
  from pg_namespace where oid = '"quickquote"'::regnamespace
$$;
revoke all on function "quickquote".history_floor(integer) from public;

-- Takes back what default privileges gave. Partitions are made with the rights of any table, so it is called again for them.
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
      and (relispartition or relname in ('events', 'delivery_attempts', 'audit_log', 'retention_floor', 'feed_floors', 'erasures'))
      and privilege_type in ('UPDATE', 'DELETE', 'TRUNCATE')
  loop
    -- What was erased is written down as it goes on, and stays.
    execute format('revoke %s on %s from %s',
      case when granted.relname = 'erasures' then 'delete, truncate' else 'update, delete, truncate' end,
      granted.relation, granted.role);
    if granted.relname = 'retention_floor' then
      execute format('revoke insert on %s from %s', granted.relation, granted.role);
    end if;
  end loop;
end
$$;
revoke all on function "quickquote".protect_history() from public;

-- Makes the day partitions (UTC) of today and the next six days where they are missing. Rows of such a day that went to the
-- default partition meanwhile are moved. It takes no arguments, so that whoever calls it decides nothing.
--
-- It waits for nobody: a long query (a backup) that reads the default partition would hold it up, and while it waited, the
-- claims of all workers would wait behind it. What cannot be made now is made the next time; there are days enough ahead.
create function "quickquote".make_partitions() returns void
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
revoke all on function "quickquote".make_partitions() from public;

-- Drops the oldest day of events or of attempts that ended at "before" or earlier, one for each call, so that no lock is
-- held for long. The answer is what became of it:
--
--   dropped  there may be another one
--   none     there is none
--   busy     another process is at it
--   in_use   a delivery needs an event of before "before"
--   blocked  a transaction uses the table; nobody was held up for longer than the lock timeout
--   kept     there is none but such as the floor keeps
--
-- A day cannot be detached concurrently, because there is a default partition: dropping locks the whole table, and while it
-- waits for that, everybody else waits behind it. It never waits for long, then. It is a function, so that the lock never
-- waits for a process that was paused.
--
-- Ids of deliveries begin with the time of their event: those of "kept_deliveries" and later need no event that is dropped.
-- Whoever makes or leases a delivery reads its event: under the lock nobody does, and all that did have committed.
create function "quickquote".drop_expired_day(of_table text, before timestamptz, kept_deliveries uuid) returns text
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
      -- Takes its time, so before everybody is locked out. Nobody writes to the day meanwhile.
      execute format('lock table %s in share mode', expired);
      execute format(
        'insert into "quickquote".feed_floors as floor (organization_id, position)
         select organization_id, max(feed_position) from %s where feed_position is not null group by organization_id
         on conflict (organization_id) do update set position = greatest(floor.position, excluded.position)', expired);
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
          where id >= (left(old.id::text, 15) || '000-0000-000000000000')::uuid
            and id <= (left(old.id::text, 15) || 'fff-ffff-ffffffffffff')::uuid and event_id = old.id
        )
        limit at_most for update skip locked
      ))
      returning organization_id, feed_position
    ), floor as (
      insert into "quickquote".feed_floors as floor (organization_id, position)
      select organization_id, max(feed_position) from gone where feed_position is not null group by organization_id
      on conflict (organization_id) do update set position = greatest(floor.position, excluded.position)
    )
    select count(*) into removed from gone;
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

-- Erases what history has of a quotation, which no other statement may change: see `quotations.erase`. Nothing in it is older
-- than "since". Its events are found by their number, so the search ends with the last of them. A delivery that is being
-- sent gets its attempt recorded, whose outcome nobody will know.
--
-- Whoever records an event of the quotation at the same time waits for its number, and is later.
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
  -- The order of a quotation that the host keeps: ours go with their quotation.
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
      where id >= (left(event.id::text, 15) || '000-0000-000000000000')::uuid
        and id <= (left(event.id::text, 15) || 'fff-ffff-ffffffffffff')::uuid and event_id = event.id
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
    where delivery_id >= (left(event.id::text, 15) || '000-0000-000000000000')::uuid
      and delivery_id <= (left(event.id::text, 15) || 'fff-ffff-ffffffffffff')::uuid and event_id = event.id
      and created_at >= since and response_body <> '[erased]';
    get diagnostics counted = row_count;
    attempts := attempts + counted;
  end loop;
  return next;
end
$$;
revoke all on function "quickquote".erase_history_of_quotation(uuid, uuid, timestamptz) from public;

-- Erasing organizations -----------------------------------------------------------------------------------------------------

-- The number of the locks below: see pg_advisory_xact_lock(int, int).
create function "quickquote".erasing_lock() returns integer language sql stable as $$
  select '"quickquote".erasures'::regclass::oid::integer
$$;

-- Whether an organization is being erased. Who asks, and then adds something of it, holds a lock until the end of its
-- transaction, so that erasing can wait for those who came before it.
create function "quickquote".is_erasing(organization uuid) returns boolean language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared("quickquote".erasing_lock(), hashtext(organization::text));
  return exists (select from "quickquote".erasures where organization_id = organization);
end
$$;

-- Whether nobody has added something of an organization in a transaction that is still open. Its events have a lock of the
-- feed instead.
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

-- For what is written in one statement for several organizations.
create function "quickquote".skip_row_of_erasing() returns trigger language plpgsql as $$
begin
  return case when not "quickquote".is_erasing(new.organization_id) then new end;
end
$$;

-- The ways in. Deliveries, attempts and the like are made of what is there already, whose lock is waited for. The statement that
-- records an event looks itself, which costs a tenth of a trigger: see src/deliveries/events.sql.ts.
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

-- Removes at most so many rows of history of an organization that is being erased, and of no other. With its events their
-- deliveries end. An audit log that is kept loses everything but who and when.
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
          where id >= (left(chosen.id::text, 15) || '000-0000-000000000000')::uuid
            and id <= (left(chosen.id::text, 15) || 'fff-ffff-ffffffffffff')::uuid and event_id = chosen.id
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

select "quickquote".protect_history();

-- The round of a worker -----------------------------------------------------------------------------------------------------

-- One round of a worker: ends the attempts of a batch, and leases due deliveries. See src/deliveries/deliveries.ts. Its steps,
-- each a statement that runs only where there is something for it to do:
--
--   1. settle: ends what was sent, and records the attempts
--   2. look: whose deliveries are due; behind a long backlog, walk over the endpoints
--   3. choose endpoints, and lock them: no other worker claims of these until the commit
--   4. in order: what has ended makes the next of its quotation due
--   5. pick deliveries, as many as their endpoint and organization have room for
--   6. lease them, and return them
--
-- It is a function for three reasons. It is one call, and a transaction of its own: whatever happens to the worker's
-- process in the middle of it, no lock stays behind. Its statements each see what was committed before they began, so
-- that a count after the locks is exact. And it brings the settings that it is planned with: it lives on
-- its indexes alone. Its plans are kept, and may have been made while the tables were empty; a plan that read whole
-- tables then would go on doing so when they are full. For the same reason rows are looked up one by one, in laterals with
-- a limit, and changed by their ctid: then there is one index for each search, and no join that could be turned around.
--
-- settled_attempts: the batch, an array of objects. walk_after: the endpoint after which a walk begins. must_walk: the round
-- before has not found enough. due_after: nothing is claimed that was due before that; the entries of deliveries that are gone
-- stay in the indexes while a long transaction keeps them from being removed, and would be read each time. organizations,
-- places: who has how many deliveries under way at this worker already; who is not in it has none, or few.
-- ended_endpoints, ended_quotations: where a delivery that others may wait for has ended. answering: endpoints that want
-- order, and to which something was delivered.
--
-- The first row of the result has the round alone, as JSON: where a walk was cut short, whether the oldest deliveries are more
-- than were looked at and which is the first of them, whether there is more to claim right now, when something is due
-- next, and the endpoints of what was leased. That is what the other rows are: few columns, since there are many of them.
create function "quickquote".delivery_round(
  worker_id uuid, at timestamptz, claim_limit int, per_endpoint int, walk_after uuid, must_walk boolean,
  due_after timestamptz, settled_attempts json, organizations uuid[], places int[],
  ended_endpoints uuid[], ended_quotations uuid[], answering uuid[]
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
  -- The oldest due deliveries that are looked at. When there are no more, they tell all endpoints that have some.
  look_ahead constant int := 50 + claim_limit;
  -- When there are more, so many endpoints are walked through at times, from where the last walk ended.
  walk_steps constant int := 200;
  walk_share constant float := 0.125;
  -- More than this of a claim is not one organization's while others may wait.
  fair_share constant int := greatest(1, claim_limit / 8);
  -- No organization has more than so many times the places that are left free: one alone takes four fifths of a worker, two
  -- whose endpoints hang leave a ninth of it to the others.
  most_of_free constant int := 4;
  full_organizations constant uuid[] := array(
    select id from unnest(organizations, places) as taken (id, taken) where taken >= most_of_free * claim_limit
  );
  -- Endpoints of a backlog that are claimed of at once: one for each delivery when few are wanted, later one for four.
  claimed_endpoints constant int := greatest(least(claim_limit, 16), claim_limit / 4);
  -- What is parked in one round of the deliveries of endpoints that were disabled or deleted.
  parked_at_once constant int := 500;
  -- The same of deliveries that wait for others of their quotation.
  held_back_at_once constant int := 500;
  tests_at_once constant int := 8;
  -- The endpoints that have something due, with their organizations and how much of it was seen.
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
  -- Endpoints of ended deliveries that nobody is claiming of now.
  in_turn uuid[];
  due_rows tid[] := '{}';
  test_rows tid[] := '{}';
  is_more boolean := false;
begin
  -- 1. Settle.
  if settled_attempts::text <> '[]' then
    with settled as (
      select * from json_to_recordset(settled_attempts) as settled (id uuid, delivery_id uuid, attempt smallint, status text,
        http_status smallint, error text, duration_ms int, created_at timestamptz, next_attempt_at timestamptz,
        event_type text, event_sequence int, quotation_id uuid, response_body text, first_byte_ms int,
        header_names text[])
    ),
    -- The fence: an outcome counts only while its worker still holds the lease of that very attempt. It is checked again by
    -- what ends the lease, which waits for whoever is changing the row. "is not distinct from" keeps the index of leased
    -- deliveries out of this.
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
    -- What was given up is counted for a warning of the endpoint, which is due an hour after the first.
    given_up as (
      insert into "quickquote".warnings as warning (id, organization_id, kind, subject_id, since, until, count, due_at, created_at)
      select gen_random_uuid(), organization_id, 'deliveries_exhausted', endpoint_id, at, at, count(*), at + interval '1 hour', at
      from recorded where status = 'exhausted' and not is_test
      group by organization_id, endpoint_id order by endpoint_id
      on conflict (subject_id) where kind = 'deliveries_exhausted' and attempt = 0
        do update set count = warning.count + excluded.count, until = greatest(warning.until, excluded.until)
    ),
    -- How it goes with each endpoint, written only when that changes, and once a minute while it goes well. In their order,
    -- so that no two statements wait for each other.
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
    -- Usually these are all the due deliveries that there are.
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

  -- Otherwise the rest may hide behind the backlog of one endpoint or organization. Then a walk goes over all endpoints:
  -- when the oldest deliveries cannot fill the claim in fair shares, or did not in the round before, and else in one
  -- round of eight, for those who wait behind them.
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
  -- One index entry is read for each endpoint, whatever its backlog.
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
  -- Round robin over organizations: none fills a claim while another one waits. Endpoints are looked at one after the other
  -- until there are enough of them. Those without room take nobody's place; that is a guess until they are locked. Whoever
  -- holds a lock is claiming, or changing the endpoint: next time. ">= 0" is always so: it keeps an endpoint from being locked
  -- before its room is known.
  if waiting_endpoints <> '{}' then
    select coalesce(array_agg(endpoint_id) filter (where is_active), '{}'),
      coalesce(array_agg(endpoint_id) filter (where not is_active), '{}'),
      coalesce(array_agg(endpoint_id) filter (where is_active and ordering <> 'none'), '{}'),
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
        select count(*) as leased from (
          select from "quickquote".deliveries
          where endpoint_id = candidate.endpoint_id and leased_by is not null limit per_endpoint
        ) leased
      ) in_flight
      left join lateral (
        select is_enabled and deleted_at is null as is_active, ordering from "quickquote".webhook_endpoints
        where id = candidate.endpoint_id and in_flight.leased >= 0 limit 1 for no key update skip locked
      ) endpoint on true
      where in_flight.leased < per_endpoint
      limit chosen_endpoints
    ) chosen
    into locked_endpoints, inactive_endpoints, ordered_endpoints, is_more;
  end if;

  -- Deliveries of an endpoint that was disabled or deleted leave the indexes that claims read.
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

  -- Somebody is waiting for each test, so they go first: a few of a round, in turns of the organizations, and of endpoints that
  -- have room. An endpoint may be tested while it is disabled.
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
    select coalesce(array_agg(endpoint_id) filter (where is_there), '{}'), is_more or count(*) > count(is_there)
    from (
      select test.endpoint_id, endpoint.is_there
      from (
        select endpoint_id, row_number() over (partition by organization_id order by random()) as turn from test
        where organization_id <> all (full_organizations)
        order by turn, random()
      ) test
      cross join lateral (
        select count(*) as leased from (
          select from "quickquote".deliveries
          where endpoint_id = test.endpoint_id and leased_by is not null limit per_endpoint
        ) leased
      ) in_flight
      left join lateral (
        select num_nulls(deleted_at) = 1 as is_there from "quickquote".webhook_endpoints
        where id = test.endpoint_id and in_flight.leased >= 0 limit 1 for no key update skip locked
      ) endpoint on true
      where in_flight.leased < per_endpoint
      limit tests_at_once
    ) tested
    into tested_endpoints, is_more;
  end if;

  -- 4. In order.
  --
  -- Where order is wanted, what comes next in a quotation is due when what it waited for has ended. Whoever claims of the
  -- endpoint at this moment may be holding back another one: then the next round tries again.
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
  -- An endpoint that answers again need not be waited for: what holds others back is tried at once.
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
  -- What others claimed of these endpoints was committed before they could be locked, so it is counted from here on, and
  -- nobody claims of them now: per_endpoint holds exactly, over all workers.
  if tested_endpoints <> '{}' then
    test_rows := array(
      select delivery.row_id
      from unnest(tested_endpoints) as tested (id) cross join lateral (
        select greatest(0, per_endpoint - count(*)) as room from "quickquote".deliveries
        where endpoint_id = tested.id and leased_by is not null
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
    -- Each gives its share of the claim, so that none fills it while another one waits.
    due as (
      select delivery.row_id, delivery.due_at, endpoint.organization_id, endpoint.places_taken,
        share.size < share.room as may_have_more
      from endpoint
      cross join lateral (
        select least(room, ceil(claim_limit::numeric / endpoints))::int as size, room from (
          select greatest(0, per_endpoint - count(*) - (
              select count(*) from "quickquote".deliveries where ctid = any (test_rows) and endpoint_id = endpoint.id
            )) as room
          from "quickquote".deliveries where endpoint_id = endpoint.id and leased_by is not null
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
    -- In turns, as long as an organization leaves enough places to those who come later.
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
  -- What has to wait for another delivery leaves the way of what need not.
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
end
$$;
