-- The tables of one SQL schema; the functions are in `functions/`. `migrate()` replaces "quickquote", with which every
-- name is qualified, if the host chose another schema. This migration may be edited until the first release; later changes need
-- new migrations.
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
  updated_at timestamptz(3) not null,
  -- The key that a roll created in its place.
  replaced_by uuid
);
-- Lists keys page by page, newest first.
create index api_keys_newest on "quickquote".api_keys (organization_id, created_at desc, id desc);
-- Counts an organization's keys before another is created, without reading revoked and rolled ones. It has no column that changes when a
-- key is used, so that updates of `last_used_at` stay in place.
create index api_keys_that_count on "quickquote".api_keys (organization_id, expires_at) include (owner_id)
  where status <> 'revoked' and replaced_by is null;
-- Finds keys that expire soon.
create index api_keys_by_expiry on "quickquote".api_keys (expires_at) where status = 'active';

-- Requests with each key by day (UTC), and the newest ones of each key.
create table "quickquote".api_key_days (
  api_key_id uuid not null references "quickquote".api_keys (id) on delete cascade,
  day date not null,
  status_2xx integer not null,
  status_3xx integer not null,
  status_4xx integer not null,
  status_5xx integer not null,
  primary key (api_key_id, day)
);
create index api_key_days_by_day on "quickquote".api_key_days (day);
create table "quickquote".api_key_requests (
  id uuid primary key,
  api_key_id uuid not null references "quickquote".api_keys (id) on delete cascade,
  -- Of the newest of these.
  at timestamptz(3) not null,
  requests jsonb not null
);
create index api_key_requests_newest on "quickquote".api_key_requests (api_key_id, at desc, id desc);

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
  -- The partner's own ID; not unique.
  external_id text,
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
create index quotations_by_external_id on "quickquote".quotations (organization_id, external_id, source, id)
  where external_id is not null;

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
  -- Set once all bytes have arrived.
  received_at timestamptz(3),
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

-- Orders to start a pipeline, removed once the pipeline has accepted the quote; and orders to cancel it, after a start.
create table "quickquote".pipeline_starts (
  quotation_id uuid primary key,
  -- The quote, if the host keeps the quotation.
  quote jsonb,
  -- From its first lease on, a quote may be known to the pipeline. A cancelled one is first of all waiting for the start in
  -- progress to end; its next lease is to cancel it.
  state text not null default 'accepted' check (state in ('accepted', 'handed_over', 'cancelled', 'cancelling')),
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
  -- Earlier signing secrets that also sign until their own "expires_at", newest first:
  -- [{ "key_id", "ciphertext" (in hex), "secret_hint", "expires_at" }].
  previous_secrets jsonb not null default '[]',
  -- The endpoint's own headers, sent with each delivery: their names, and names and values encrypted like the secrets.
  header_names text[] not null default '{}',
  headers_ciphertext bytea,
  headers_key_id text,
  -- Grows with every change, so that workers know when their cached copy is stale.
  version integer not null default 1,
  -- Grows when it is enabled and when its order changes. Waiting deliveries of an earlier generation follow in batches: see
  -- `functions/catching-up.sql`. Those from before "parks_before" are parked.
  generation integer not null default 0,
  parks_before integer not null default 0,
  -- Nothing is claimed before it has reached "generation".
  caught_up_to integer not null default 0,
  -- Meanwhile: where the next batch begins, by due time.
  caught_up_until timestamptz(3) not null default '-infinity',
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
create index webhook_endpoints_catching_up on "quickquote".webhook_endpoints (id) where caught_up_to < generation;

-- The URLs that an endpoint had before, without their queries, each with the last version of the endpoint that had it: attempts
-- keep the version to which they were sent.
create table "quickquote".endpoint_urls (
  endpoint_id uuid not null references "quickquote".webhook_endpoints on delete cascade,
  last_version integer not null,
  url text not null,
  primary key (endpoint_id, last_version)
);

-- For each encryption key that has encrypted something, a value derived from it: a process with another key under the same id is
-- noticed. See `functions/keys.sql`.
create table "quickquote".encryption_keys (
  id text primary key,
  check_value bytea not null
);

-- Whether an endpoint's deliveries succeed. Written when that changes, not for each attempt.
create table "quickquote".endpoint_health (
  endpoint_id uuid primary key,
  last_success_at timestamptz(3),
  -- The first failure since the last success; null after a success.
  failing_since timestamptz(3),
  -- A receiver asked for a pause until then (429, or 503 with Retry-After). It ends with the first delivery that begins later.
  paused_until timestamptz(3)
) with (fillfactor = 70);
create index endpoint_health_failing on "quickquote".endpoint_health (failing_since) where failing_since is not null;
create index endpoint_health_paused on "quickquote".endpoint_health (paused_until) where paused_until is not null;

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

-- Append-only. Retention removes the oldest rows in small batches, and vacuum makes room for new ones before much of it is empty.
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
  -- Its position in the organization's feed: see `functions/feed.sql`. Samples have none.
  feed_position bigint,
  -- The trace of the event: the two W3C Trace Context headers.
  traceparent text,
  tracestate text,
  created_at timestamptz(3) not null,
  primary key (id)
) with (autovacuum_vacuum_scale_factor = 0.05);
-- Finds expired events. "type >= ''" is always true, and only statements with that condition use this index: to a plan that
-- does not know the organizations, it would look like a way to the events of one.
create index events_oldest on "quickquote".events (created_at) where type >= '';
create index events_of_organization on "quickquote".events (organization_id, created_at);
-- Finds the attempts of a quotation: ids of deliveries begin with the time of their event.
create index events_of_quotation on "quickquote".events (organization_id, quotation_id) where quotation_id is not null;
create index events_feed on "quickquote".events (organization_id, feed_position) where feed_position is not null;
-- Finds the newest events of all organizations, for the requests that wait for some. Only statements with the condition
-- "feed_position > 0", which is true of all, use this index: it would be a slow way to the events of one organization.
create index events_newest on "quickquote".events (feed_position) where feed_position > 0;

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
  -- With it, retention finds deliveries of expired events.
  event_created_at timestamptz(3) not null,
  is_test boolean not null default false,
  -- Set for deliveries of a receiver check: how they are signed.
  check_kind text check (check_kind in ('genuine', 'forged', 'old', 'repeated', 'previous_secret')),
  -- Attempts so far. The number of the attempt in flight fences its lease.
  attempt smallint not null default 0,
  -- That of its endpoint when it was written, or caught up.
  generation integer not null default 0,
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
-- Finds the rest of what an endpoint has, see `deliveries_to`.
create index deliveries_parked on "quickquote".deliveries (endpoint_id) where parked_at is not null;
-- Finds the delivery of a quotation that others wait for. Only endpoints that want order have entries.
create index deliveries_in_order on "quickquote".deliveries (endpoint_id, quotation_id, sequence)
  where quotation_id is not null;
-- Counts deliveries in flight to an endpoint. By worker, because a worker passes over its own: it knows them, and while vacuum is
-- blocked, most entries are of its ended leases. Recovery reads all of it: leased rows are few.
create index deliveries_in_flight on "quickquote".deliveries (endpoint_id, leased_by) where leased_by is not null;

-- Every finished attempt, whatever its outcome. Append-only, like events.
create table "quickquote".delivery_attempts (
  id uuid not null,
  delivery_id uuid not null,
  attempt smallint not null,
  organization_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  event_sequence integer,
  -- The version of the endpoint, and so its URL. Null if the attempt was interrupted.
  endpoint_version integer,
  quotation_id uuid,
  is_test boolean not null,
  check_kind text,
  status text not null check (status in ('succeeded', 'failed', 'exhausted', 'rejected', 'interrupted')),
  http_status smallint,
  error text,
  -- The part of the response that members see, for debugging.
  response_body text,
  -- Some of a response that was no success.
  response_headers jsonb,
  -- The names of the endpoint's own headers that were sent, if any. Values are not stored.
  header_names text[],
  duration_ms integer,
  first_byte_ms integer,
  created_at timestamptz(3) not null,
  next_attempt_at timestamptz(3),
  -- Ids of deliveries begin with the time of their event, so this index grows at its end.
  primary key (delivery_id, attempt)
) with (autovacuum_vacuum_scale_factor = 0.05);
-- Finds expired attempts; "attempt >= 0" for the same reason.
create index delivery_attempts_oldest on "quickquote".delivery_attempts (created_at) where attempt >= 0;
create index delivery_attempts_of_organization on "quickquote".delivery_attempts (organization_id, created_at desc, id desc);
create index delivery_attempts_failed on "quickquote".delivery_attempts (organization_id, created_at desc, id desc)
  where status <> 'succeeded';
-- Finds failures by the response. Attempts that succeed have no entry.
create index delivery_attempts_by_response on "quickquote".delivery_attempts
  (organization_id, http_status, created_at desc, id desc) where status <> 'succeeded';
-- With what the health of endpoints counts, so that a list of many endpoints reads little.
create index delivery_attempts_of_endpoint on "quickquote".delivery_attempts (endpoint_id, created_at desc, id desc)
  include (status, is_test);

-- Attempts of each endpoint by hour (UTC), without tests. Charts read them instead of the attempts. Each past hour is counted
-- once: see `functions/hours.sql`.
create table "quickquote".delivery_hours (
  endpoint_id uuid not null references "quickquote".webhook_endpoints on delete cascade,
  hour timestamptz(3) not null,
  delivered integer not null,
  failed integer not null,
  -- Of the failed ones, those after which nothing more was tried.
  given_up integer not null,
  organization_id uuid not null,
  primary key (endpoint_id, hour)
);
-- With the counts: a chart of many endpoints reads no other page.
create index delivery_hours_of_organization on "quickquote".delivery_hours (organization_id, hour)
  include (delivered, failed, given_up);
create index delivery_hours_by_age on "quickquote".delivery_hours (hour);

-- The newest attempt of each type that an organization has had, tests included, among those counted: a search of its log for a
-- rare type begins there.
create table "quickquote".attempt_types (
  organization_id uuid not null,
  event_type text not null,
  last_at timestamptz(3) not null,
  primary key (organization_id, event_type)
);

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
  -- Null: events of all types.
  event_type text,
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

-- Processes that hold leases. A row with an old heartbeat belongs to a dead worker: much earlier if its session lock is gone and
-- it had promised frequent heartbeats.
create table "quickquote".workers (
  id uuid primary key,
  started_at timestamptz(3) not null default now(),
  heartbeat_at timestamptz(3) not null default now(),
  lost_after_ms int,
  -- The start of the server that has the lock: after another start, or on a promoted standby, all locks are gone.
  server_started_at timestamptz
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
create index audit_log_by_action on "quickquote".audit_log (organization_id, action, created_at desc, id desc);
create index audit_log_by_actor on "quickquote".audit_log (organization_id, actor_id, created_at desc, id desc);
create index audit_log_by_actor_and_action on "quickquote".audit_log
  (organization_id, actor_id, action, created_at desc, id desc);
create index audit_log_of_resource on "quickquote".audit_log (resource_id, created_at desc, id desc);
-- Finds what a delivery was resent as, and from.
create index audit_log_of_resends on "quickquote".audit_log using gin (changes jsonb_path_ops)
  where action = 'webhook_endpoint.delivery_resent';

-- Organizations being erased. Afterwards only the hash of the id, times and counts remain.
create table "quickquote".erased_organizations (
  -- SHA-256.
  organization_hash bytea primary key,
  -- While it is set, nothing of the organization is accepted. Null once it is erased: the id may be used again.
  organization_id uuid unique,
  keeps_audit_log boolean not null,
  -- The number of removed rows by table.
  removed jsonb not null default '{}',
  -- Data that only the host can erase. Null: the host has not been asked yet.
  left_to_host jsonb,
  requested_at timestamptz(3) not null,
  -- When nothing was left, and the transactions that were open then: they may still commit something.
  finished_at timestamptz(3),
  open_then text[],
  -- When to continue. With microseconds: rounded, it could be in the future.
  due_at timestamptz not null
);

-- The minimum retention of history in days, enforced against the runtime role. The schema's owner changes it:
--   update "quickquote".retention_floor set event_days = 7
-- For the owner, who could drop the tables anyway, the minimum is two days.
create table "quickquote".retention_floor (
  is_only boolean primary key default true check (is_only),
  event_days integer not null default 30 check (event_days >= 2),
  audit_days integer not null default 400 check (audit_days >= 2)
);
insert into "quickquote".retention_floor default values;
