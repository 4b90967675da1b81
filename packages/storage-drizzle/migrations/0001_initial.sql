-- The tables of one SQL schema, then its functions. Every name is qualified with "quickquote", which migrate() replaces if the
-- host chose another schema. This migration may be edited until the first release; later changes need new migrations.
--
-- Times have milliseconds, as in JavaScript. Ids are version 7 uuids, which begin with the time.

-- API keys ------------------------------------------------------------------------------------------------------------------

-- Only the hash of a key is stored.
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
-- Lists keys page by page, newest first.
create index api_keys_newest on "quickquote".api_keys (organization_id, created_at desc, id desc);
-- Counts an organization's keys before another is created, without reading revoked ones. It has no column that changes when a
-- key is used, so that updates of `last_used_at` stay in place.
create index api_keys_that_count on "quickquote".api_keys (organization_id, expires_at) include (owner_id)
  where status <> 'revoked';
-- Finds keys that expire soon.
create index api_keys_by_expiry on "quickquote".api_keys (expires_at) where status = 'active';

-- Quotations ----------------------------------------------------------------------------------------------------------------

-- If the host keeps quotations in its own tables, these five are empty.
create table "quickquote".quotations (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  description text not null,
  status text not null check (status in ('queued', 'running', 'completed', 'failed')),
  processed_step text not null,
  error_code text,
  source text not null check (source in ('ui', 'api_key')),
  -- No foreign key: deleting a key would scan all quotations.
  api_key_id uuid,
  config_id uuid,
  requirements_text text,
  metadata jsonb,
  -- The trace of the request that started it: the two W3C Trace Context headers.
  traceparent text,
  tracestate text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
  -- Every report updates the row. Most change no indexed column, so the free space lets the new version stay on the same page.
) with (fillfactor = 80);
-- Lists an organization's quotations, newest first, because ids begin with the time. Without a source, both lists are merged.
create index quotations_of_organization on "quickquote".quotations (organization_id, source, id);
-- The same for rare statuses, however many quotations have completed. Also finds runs that report nothing.
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

-- The requirements files of a quotation, in the order of the request.
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

-- Files that belong to no quote yet: recorded before their first byte is stored, and removed by the transaction that accepts
-- the quote. Rows that stay are abandoned uploads, wherever their bytes are.
create table "quickquote".uploads (
  id uuid primary key,
  organization_id uuid not null,
  created_at timestamptz(3) not null,
  -- Set when the upload is abandoned: no quote can take it any more, and its bytes are being deleted.
  abandoned_at timestamptz(3)
);
create index uploads_by_age on "quickquote".uploads (created_at);
create index uploads_of_organization on "quickquote".uploads (organization_id);

-- The bytes of files, unless the host stores them elsewhere.
create table "quickquote".file_chunks (
  file_id uuid not null,
  position integer not null,
  organization_id uuid not null,
  is_last boolean not null,
  bytes bytea not null,
  primary key (file_id, position)
);
-- docx and pdf files are compressed already.
alter table "quickquote".file_chunks alter column bytes set storage external;

-- Requests that a client may repeat with the same Idempotency-Key header. Kept for a day. No foreign key, because the host may
-- keep the quotation.
create table "quickquote".idempotency_keys (
  organization_id uuid not null,
  key text not null,
  request_hash bytea not null,
  quotation_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (organization_id, key)
);
create index idempotency_keys_by_age on "quickquote".idempotency_keys (created_at);

-- Orders to start a pipeline, removed once the pipeline has accepted the quote.
create table "quickquote".pipeline_starts (
  quotation_id uuid primary key,
  -- The quote, if the host keeps the quotation.
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
  -- 'quotation': each event waits for the previous one of its quotation.
  ordering text not null default 'none' check (ordering in ('none', 'quotation')),
  is_enabled boolean not null,
  -- Why it is disabled; null while it is enabled.
  disabled_reason text check (disabled_reason in ('requested', 'failing')),
  secret_ciphertext bytea,
  secret_key_id text,
  secret_hint text not null,
  -- The signing secret before the last rotation, during the overlap.
  previous_secret_ciphertext bytea,
  previous_secret_key_id text,
  previous_secret_expires_at timestamptz(3),
  -- The endpoint's own headers, sent with each delivery: their names, and names and values encrypted like the secrets.
  header_names text[] not null default '{}',
  headers_ciphertext bytea,
  headers_key_id text,
  -- Grows with every change, so that workers know when their cached copy is stale.
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  -- A deleted endpoint never signs again, so its secrets are deleted.
  constraint webhook_endpoints_have_secrets
    check (deleted_at is not null or num_nulls(secret_ciphertext, secret_key_id) = 0),
  constraint webhook_endpoints_name_their_headers
    check (num_nulls(headers_ciphertext, headers_key_id) = case when header_names = '{}' then 2 else 0 end)
);
create index webhook_endpoints_of_organization on "quickquote".webhook_endpoints (organization_id, id)
  where deleted_at is null;

-- Whether an endpoint's deliveries succeed. Written when that changes, not for each attempt.
create table "quickquote".endpoint_health (
  endpoint_id uuid primary key,
  last_success_at timestamptz(3),
  -- The first failure since the last success; null after a success.
  failing_since timestamptz(3)
) with (fillfactor = 70);
create index endpoint_health_failing on "quickquote".endpoint_health (failing_since) where failing_since is not null;

-- Warnings to the host, each recorded once, whichever worker finds the reason.
create table "quickquote".warnings (
  id uuid primary key,
  organization_id uuid not null,
  kind text not null check (kind in ('endpoint_failing', 'deliveries_exhausted', 'api_key_expiring')),
  -- The endpoint or the API key.
  subject_id uuid not null,
  -- The first failure, the first exhausted delivery, or the expiry of the key.
  since timestamptz(3) not null,
  -- The last exhausted delivery.
  until timestamptz(3),
  -- The number of exhausted deliveries, or of days until the key expires.
  count integer,
  -- Which of several warnings: 1 or 2 for an endpoint, the days left for a key.
  stage smallint,
  -- Calls of the hook so far. The number of the call in progress fences its lease.
  attempt smallint not null default 0,
  -- Null: the hook accepted the warning, or there are no more attempts.
  due_at timestamptz(3),
  created_at timestamptz(3) not null
);
create unique index warnings_once on "quickquote".warnings (subject_id, kind, since, stage) where stage is not null;
-- The hour in which deliveries are being counted. It ends with the first call of the hook.
create unique index warnings_counting on "quickquote".warnings (subject_id)
  where kind = 'deliveries_exhausted' and attempt = 0;
create index warnings_due on "quickquote".warnings (due_at) where due_at is not null;

-- Events and their deliveries -----------------------------------------------------------------------------------------------

-- Append-only, with one partition per day, because retention drops whole days. `default` takes rows for which no day was
-- created.
create table "quickquote".events (
  id uuid not null,
  organization_id uuid not null,
  type text not null,
  quotation_id uuid,
  -- The number of the event in its quotation, from 1.
  sequence integer,
  -- Endpoints select events by it, so replays need it.
  generation_source text,
  -- The payload, byte for byte.
  body text not null,
  -- A sample, sent to one endpoint only.
  is_test boolean not null default false,
  -- Its position in the organization's feed: see "Functions of the event feed". Samples have none.
  feed_position bigint,
  -- The trace of the event: the two W3C Trace Context headers.
  traceparent text,
  tracestate text,
  created_at timestamptz(3) not null,
  primary key (id, created_at)
) partition by range (created_at);
create table "quickquote".events_default partition of "quickquote".events default;
create index events_of_organization on "quickquote".events (organization_id, created_at);
create index events_feed on "quickquote".events (organization_id, feed_position) where feed_position is not null;

-- Positions in event feeds, and the numbers of the locks that guard them. Must grow one by one.
create sequence "quickquote".feed_positions cache 1;

-- For each organization, the position of the last event that is no longer kept.
create table "quickquote".feed_floors (
  organization_id uuid primary key,
  position bigint not null
);

-- The number of the last event of each quotation, including quotations kept by the host.
create table "quickquote".event_sequences (
  organization_id uuid not null,
  quotation_id uuid not null,
  last integer not null,
  primary key (organization_id, quotation_id)
) with (fillfactor = 80);

-- The outbox: unfinished deliveries only, without payload, so it stays small. Vacuum must not truncate it: that would block
-- claims, and the space is soon needed again.
create table "quickquote".deliveries (
  id uuid primary key,
  organization_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  -- Finds the partition of the event.
  event_created_at timestamptz(3) not null,
  is_test boolean not null default false,
  -- Attempts so far. The number of the attempt in flight fences its lease.
  attempt smallint not null default 0,
  -- 'infinity': waits for an earlier delivery of its quotation.
  due_at timestamptz(3) not null,
  -- Its position in the quotation, if the endpoint wants events in order; otherwise null.
  quotation_id uuid,
  sequence integer,
  leased_by uuid,
  leased_at timestamptz(3),
  -- Set once the endpoint is disabled or deleted, and always for tests. Claims of due deliveries skip it.
  parked_at timestamptz(3)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false);
create index deliveries_due on "quickquote".deliveries (endpoint_id, due_at) where leased_by is null and parked_at is null;
-- "attempt >= 0" is always true. Only statements with that condition use this index; otherwise, a plan made while the table was
-- empty would read everything due to find what one endpoint has.
create index deliveries_due_first on "quickquote".deliveries (due_at)
  where leased_by is null and parked_at is null and attempt >= 0;
-- Tests are parked. A claim walks from one tested endpoint to the next in this index.
create index deliveries_tests on "quickquote".deliveries (endpoint_id, due_at) where is_test and leased_by is null;
-- Finds the delivery of a quotation that others wait for. Only endpoints that want order have entries.
create index deliveries_in_order on "quickquote".deliveries (endpoint_id, quotation_id, sequence)
  where quotation_id is not null;
-- Counts deliveries in flight to an endpoint. By worker, because a worker passes over its own: it knows them, and while vacuum is
-- blocked, most entries are of its ended leases. Recovery reads all of it: leased rows are few.
create index deliveries_in_flight on "quickquote".deliveries (endpoint_id, leased_by) where leased_by is not null;

-- Every finished attempt, whatever its outcome. Append-only, with one partition per day, like events.
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
  -- The part of the response that members see, for debugging.
  response_body text,
  -- The names of the endpoint's own headers that were sent, if any. Values are not stored.
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
create index delivery_attempts_failed on "quickquote".delivery_attempts (organization_id, created_at desc, id desc)
  where status <> 'succeeded';
create index delivery_attempts_of_endpoint on "quickquote".delivery_attempts (endpoint_id, created_at desc, id desc);

-- Attempts of each endpoint by hour (UTC), without tests. Charts read them instead of the attempts. Each past hour is counted
-- once: see "Functions of hourly counts".
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

-- Orders to send an endpoint the events it missed. A worker processes the events in batches; one transaction per batch stores
-- the new position, too.
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
  -- The transactions that were writing events when the replay was ordered. Their events may be older than the replay's
  -- position, so it waits for them.
  waits_for text[] not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index replays_running on "quickquote".replays (endpoint_id) where state = 'running';

-- Processes that hold leases. A row with an old heartbeat belongs to a dead worker.
create table "quickquote".workers (
  id uuid primary key,
  started_at timestamptz(3) not null default now(),
  heartbeat_at timestamptz(3) not null default now()
);

-- History -------------------------------------------------------------------------------------------------------------------

-- Changes of keys and endpoints, with their actors. Append-only.
create table "quickquote".audit_log (
  id uuid primary key,
  organization_id uuid not null,
  -- Null for changes by the service itself.
  actor_id text,
  -- The address of the request; null without one.
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

-- Organizations being erased. Afterwards only the hash of the id, times and counts remain.
create table "quickquote".erasures (
  -- SHA-256.
  organization_hash bytea primary key,
  -- Null once it is erased.
  organization_id uuid unique,
  keeps_audit_log boolean not null,
  -- The data being erased. Each phase is repeated until nothing is left.
  phase text not null,
  -- The number of removed rows by table.
  removed jsonb not null default '{}',
  -- Data that only the host can erase.
  left_to_host jsonb not null default '[]',
  started_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  erased_at timestamptz(3)
);

-- The minimum retention of history in days, enforced against the runtime role. The schema's owner changes it:
--   update "quickquote".retention_floor set event_days = 7;
-- For the owner, who could drop the tables anyway, the minimum is two days.
create table "quickquote".retention_floor (
  is_only boolean primary key default true check (is_only),
  event_days integer not null default 30 check (event_days >= 2),
  audit_days integer not null default 400 check (audit_days >= 2)
);
insert into "quickquote".retention_floor default values;

-- Functions of quotations ---------------------------------------------------------------------------------------------------

-- Deleting a quotation also deletes its orders, idempotency keys and event numbers, which have no foreign key.
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
-- Transactions do not commit in the order in which they write, so a reader that follows a number assigned on writing would miss
-- events committed later. Therefore an organization's first event in a transaction takes a shared advisory lock whose key
-- contains a number of the sequence; only then do its events get their numbers. An open transaction thus holds a lock with a
-- lower number than all its events, and readers stop below it.

-- 24 bits for an organization. They depend on the sequence, because other SQL schemas of the database have their own numbers.
create function "quickquote".feed_of(organization uuid) returns bigint language sql immutable as $$
  select hashtextextended(organization::text, '"quickquote".feed_positions'::regclass::oid::bigint) & 16777215
$$;

-- The position of an event being written. The key of the lock has 24 bits for the organization and 40 for the number. A setting
-- of the transaction lists its locks; rolling back to a savepoint reverts it together with the lock. CASE evaluates its
-- branches in order.
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

-- The position below which an organization's feed is final. Each statement sees all earlier commits, and their order matters:
-- first the assigned numbers, then the locks of open transactions, then the caller's reads.
create function "quickquote".feed_bound(organization uuid) returns bigint language plpgsql volatile as $$
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

-- A page of the feed after an event (null: from the oldest one kept): bodies separated by commas, and the position where it ended.
-- Filtered and erased events are skipped, up to a limit per page. Expired: later events have been deleted.
create function "quickquote".read_feed(
  organization uuid, after_position bigint, after_id uuid, only_types text[], only_source text,
  page_limit integer, examined_limit integer
) returns table (is_expired boolean, event uuid, at_position bigint, event_count integer, content text)
language plpgsql volatile as $$
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
  is_expired := after_position < floor or follows > 0 and is_kept is not true;

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

-- The position of the newest event a page could contain, or of the newest deleted one.
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

-- Counts every quarter of an hour that ended at least five minutes ago into the row of its hour. Does nothing while another
-- process counts. The trigger below adds attempts that are recorded later.
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
  -- A separate statement, to see everything committed before the row was locked.
  insert into "quickquote".delivery_hours as counted (endpoint_id, hour, delivered, failed)
  select endpoint.id, attempt.hour, attempt.delivered, attempt.failed
  from "quickquote".webhook_endpoints endpoint cross join lateral (
    select date_trunc('hour', created_at, 'UTC') as hour, count(*) filter (where status = 'succeeded') as delivered,
      count(*) filter (where status <> 'succeeded') as failed
    from "quickquote".delivery_attempts
    where endpoint_id = endpoint.id and created_at >= begins and created_at < ends and not is_test
    group by 1
  ) attempt
  -- Skips organizations being erased.
  for key share of endpoint
  on conflict (endpoint_id, hour) do update
    set delivered = counted.delivered + excluded.delivered, failed = counted.failed + excluded.failed;
  update "quickquote".delivery_hours_counted set until = ends;
end
$$;

-- Adds an attempt to its hour if it is recorded after that hour was counted, for example after a database outage. The lock
-- makes it wait for a process that is counting, and the order avoids deadlocks.
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
-- An attempt recorded in time only costs this condition. If it is less than a minute old when its transaction begins, four
-- minutes remain before it can be counted, and no such transaction takes that long.
create trigger count_late_attempt after insert on "quickquote".delivery_attempts
  for each row when (not new.is_test and new.created_at < now() - interval '1 minute')
  execute function "quickquote".count_late_attempt();

-- Functions of history ------------------------------------------------------------------------------------------------------
--
-- Rows of history are inserted through the parent tables, and removed only by the functions below: API and workers cannot
-- change or delete them, or drop anything younger than the floor. The functions run with the rights of the schema's owner, so
-- that the runtime role needs no right to change tables. Their search path is fixed, and only roles with a grant can call them.
-- Bounds of days are read in the format in which they are printed, whatever the session's DateStyle and time zone: an
-- abbreviation such as IST could be parsed as another zone.

-- Nothing from this moment on may be removed: the beginning of a day (UTC), by the database's clock.
create function "quickquote".history_floor(days integer) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select (date_trunc('day', now() at time zone 'utc')
    - case when pg_has_role(session_user, nspowner, 'member') then 2 else days end * interval '1 day') at time zone 'utc'
  from pg_namespace where oid = '"quickquote"'::regnamespace
$$;
revoke all on function "quickquote".history_floor(integer) from public;

-- Revokes rights granted by default privileges. Called again for each partition, because partitions get the rights of any new
-- table.
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
    -- Erasures are recorded, and the record is permanent.
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

-- Creates missing day partitions (UTC) for today and the next six days, and moves their rows out of the default partition. It
-- has no arguments, so its callers control nothing.
--
-- It hardly waits for locks: while it waits for a long query on the default partition, such as a backup, it blocks the claims of
-- all workers. Partitions that cannot be created now are created by a later call, days before they are needed.
create function "quickquote".make_partitions() returns void
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
      -- Slow, so done before taking the exclusive lock. Nobody writes to that day any more.
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

-- The default partition cannot be dropped, so its old rows are deleted, up to a limit per call. Events that a delivery needs
-- stay; ids of deliveries begin with the id of their event.
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

-- Removes the oldest entries of the audit log, up to a limit. No row older than "before" has an id from "kept" on.
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

-- The leases on deliveries to an endpoint; those of `worker` are passed over, unless it is null.
create function "quickquote".leases_of_others(endpoint uuid, worker uuid) returns table (holder uuid)
language sql stable as $$
  select leased_by from "quickquote".deliveries
  where endpoint_id = endpoint and leased_by < coalesce(worker, '00000000-0000-0000-0000-000000000000')
  union all
  select leased_by from "quickquote".deliveries
  where endpoint_id = endpoint and leased_by > coalesce(worker, '00000000-0000-0000-0000-000000000000')
$$;

-- One round of a worker: ends the attempts of a batch, and leases due deliveries. See src/deliveries/deliveries.ts. Its steps
-- are statements that only run if needed:
--
--   1. settle: record the attempts of a batch, and end or reschedule their deliveries
--   2. look: find endpoints with due deliveries; behind a long backlog, walk over all endpoints
--   3. choose endpoints and lock them, so that no other worker claims from them until the commit
--   4. in order: make the deliveries due that waited for the ended ones
--   5. pick deliveries for which endpoint and organization have room
--   6. lease and return them
--
-- It is a function for three reasons. It is one call and one transaction, so a worker that dies leaves no lock behind. Each
-- statement sees everything committed before it, so a count after locking is exact. And it has its own planner settings,
-- because it must use indexes only: plans are cached, and one made while the tables were empty would keep scanning whole tables
-- when they are full. For the same reason, rows are looked up one by one, in laterals with a limit, and updated by ctid: each
-- search has one possible index, and no join can be reordered.
--
-- settled_attempts        the batch, an array of objects
-- walk_after              the endpoint after which a walk begins
-- must_walk               the previous round did not find enough
-- due_after               skips older due times: while a long transaction holds up vacuum, the index keeps entries of removed
--                         deliveries, and every round would read them
-- organizations, places   the deliveries in flight at this worker; organizations that are missing have few or none
-- own_leases              the number of this worker's leases by endpoint, without those of the batch; null: it is not certain of
--                         them, so they are counted like those of others
-- ended_endpoints, ended_quotations   of ended deliveries that others may wait for
-- answering               endpoints that want order, and that accepted a delivery
--
-- The first row contains only the round, as JSON: where a walk stopped, whether more deliveries were due than examined, the
-- oldest due time, whether more can be claimed now, the next due time, and the endpoints of the leased deliveries. The other
-- rows are those deliveries, with few columns because they are many.
create function "quickquote".delivery_round(
  worker_id uuid, at timestamptz, claim_limit int, per_endpoint int, walk_after uuid, must_walk boolean,
  due_after timestamptz, settled_attempts json, organizations uuid[], places int[],
  ended_endpoints uuid[], ended_quotations uuid[], answering uuid[], own_leases jsonb
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
  -- The number of oldest due deliveries examined. If there are no more, they include every endpoint with due deliveries.
  look_ahead constant int := 50 + claim_limit;
  -- If there are more, the number of endpoints that a walk visits, from where the last one ended.
  walk_steps constant int := 200;
  walk_share constant float := 0.125;
  -- No organization gets more than this share of a claim while others may wait.
  fair_share constant int := greatest(1, claim_limit / 8);
  -- No organization has more than this multiple of the free places: one alone gets four fifths of a worker; two whose endpoints
  -- hang leave a ninth to the others.
  most_of_free constant int := 4;
  full_organizations constant uuid[] := array(
    select id from unnest(organizations, places) as taken (id, taken) where taken >= most_of_free * claim_limit
  );
  -- The number of backlogged endpoints per claim: one per delivery for small claims, one per four deliveries for larger ones.
  claimed_endpoints constant int := greatest(least(claim_limit, 16), claim_limit / 4);
  -- Deliveries of disabled or deleted endpoints parked per round.
  parked_at_once constant int := 500;
  -- Deliveries held back per round, because they wait for others of their quotation.
  held_back_at_once constant int := 500;
  tests_at_once constant int := 8;
  known_worker constant uuid := case when own_leases is not null then worker_id end;
  -- Endpoints with due deliveries, their organizations, and the number of due deliveries seen.
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
  -- Endpoints with ended deliveries that no other worker is claiming from.
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
    -- The fence: an outcome counts only if its worker still holds the lease of that attempt. The statement that ends the lease
    -- checks again, and waits for concurrent changes of the row. "is not distinct from" prevents use of the index of leased
    -- deliveries.
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
    -- Counts exhausted deliveries for a warning to the host, due an hour after the first.
    given_up as (
      insert into "quickquote".warnings as warning (id, organization_id, kind, subject_id, since, until, count, due_at, created_at)
      select gen_random_uuid(), organization_id, 'deliveries_exhausted', endpoint_id, at, at, count(*), at + interval '1 hour', at
      from recorded where status = 'exhausted' and not is_test
      group by organization_id, endpoint_id order by endpoint_id
      on conflict (subject_id) where kind = 'deliveries_exhausted' and attempt = 0
        do update set count = warning.count + excluded.count, until = greatest(warning.until, excluded.until)
    ),
    -- Updates the health of endpoints only when it changes, or once a minute while deliveries succeed. Ordered, to avoid
    -- deadlocks.
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
    -- Usually all due deliveries.
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

  -- Otherwise other endpoints may be hidden behind the backlog of one endpoint or organization. A walk over all endpoints finds
  -- them: if the oldest deliveries cannot fill the claim in fair shares, or did not in the previous round; otherwise in one of
  -- eight rounds.
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
  -- Reads one index entry per endpoint, whatever its backlog.
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
  -- Round robin over organizations, so that none fills a claim while another waits. Examines endpoints one by one until there
  -- are enough. Endpoints without room are skipped; their count is an estimate until they are locked. A locked endpoint is
  -- being claimed from or changed, so it waits for the next round. ">= 0" is always true: it computes the room before the
  -- endpoint is locked.
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
        select coalesce((own_leases ->> candidate.endpoint_id::text)::int, 0) + count(*) as leased from (
          select from "quickquote".leases_of_others(candidate.endpoint_id, known_worker) limit per_endpoint
        ) others
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

  -- Removes deliveries of disabled or deleted endpoints from the indexes that claims read.
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

  -- Members wait for tests, so these go first: a few per round, round robin over organizations, from endpoints with room.
  -- Disabled endpoints can be tested.
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
        select coalesce((own_leases ->> test.endpoint_id::text)::int, 0) + count(*) as leased from (
          select from "quickquote".leases_of_others(test.endpoint_id, known_worker) limit per_endpoint
        ) others
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
  -- For endpoints that want order, the next delivery of a quotation becomes due once the previous one has ended. If another
  -- worker is claiming from the endpoint, it may be holding back another delivery, so the next round tries again.
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
  -- An endpoint that responds again needs no back-off: deliveries that block others are retried immediately.
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
  -- Claims by other workers were committed before these endpoints could be locked, and none can follow now, so the counts from
  -- here on are exact: per_endpoint holds across all workers.
  if tested_endpoints <> '{}' then
    test_rows := array(
      select delivery.row_id
      from unnest(tested_endpoints) as tested (id) cross join lateral (
        select greatest(0, per_endpoint - coalesce((own_leases ->> tested.id::text)::int, 0) - count(*)) as room
        from "quickquote".leases_of_others(tested.id, known_worker)
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
    -- Each endpoint contributes its share of the claim, so that none fills it while another waits.
    due as (
      select delivery.row_id, delivery.due_at, endpoint.organization_id, endpoint.places_taken,
        share.size < share.room as may_have_more
      from endpoint
      cross join lateral (
        select least(room, ceil(claim_limit::numeric / endpoints))::int as size, room from (
          select greatest(0, per_endpoint - coalesce((own_leases ->> endpoint.id::text)::int, 0) - count(*) - (
              select count(*) from "quickquote".deliveries where ctid = any (test_rows) and endpoint_id = endpoint.id
            )) as room
          from "quickquote".leases_of_others(endpoint.id, known_worker)
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
    -- In turns, as long as the organization leaves enough places for others.
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
  -- Hides deliveries that must wait for others from claims.
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
