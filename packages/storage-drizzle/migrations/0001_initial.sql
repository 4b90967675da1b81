-- Every name is qualified with "quickquote"; migrate() replaces it when the host chose another schema.

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
create index api_keys_of_organization on "quickquote".api_keys (organization_id, id);

create table "quickquote".quotations (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  description text not null,
  status text not null check (status in ('queued', 'running', 'completed', 'failed')),
  processed_step text not null,
  source text not null check (source in ('ui', 'api_key')),
  config_id uuid,
  api_key_id uuid references "quickquote".api_keys (id),
  error_code text,
  requirements_text text,
  metadata jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index quotations_of_organization on "quickquote".quotations (organization_id, id);

create table "quickquote".quotation_files (
  id uuid primary key,
  quotation_id uuid not null references "quickquote".quotations (id) on delete cascade,
  position smallint not null,
  name text not null,
  type text not null check (type in ('docx', 'pdf', 'txt', 'md')),
  size bigint not null,
  unique (quotation_id, position)
);

-- A step without a row is pending.
create table "quickquote".quotation_steps (
  quotation_id uuid not null references "quickquote".quotations (id) on delete cascade,
  step text not null,
  status text not null check (status in ('running', 'completed', 'failed')),
  started_at timestamptz(3) not null,
  completed_at timestamptz(3),
  error_code text,
  primary key (quotation_id, step)
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

-- Processes that hold leases. A row whose heartbeat is old belongs to a dead one.
create table "quickquote".workers (
  id uuid primary key,
  started_at timestamptz(3) not null default now(),
  heartbeat_at timestamptz(3) not null default now()
);

-- Orders to start a pipeline. A row leaves when the pipeline has taken the quote over.
create table "quickquote".pipeline_starts (
  quotation_id uuid primary key references "quickquote".quotations (id) on delete cascade,
  due_at timestamptz(3) not null,
  attempt smallint not null default 0,
  leased_by uuid
) with (fillfactor = 80);
create index pipeline_starts_due on "quickquote".pipeline_starts (due_at) where leased_by is null;
create index pipeline_starts_leased on "quickquote".pipeline_starts (leased_by) where leased_by is not null;

create table "quickquote".webhook_endpoints (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  url text not null,
  description text,
  events text[] not null,
  trigger_mode text not null check (trigger_mode in ('headless_only', 'always')),
  is_enabled boolean not null,
  secret_ciphertext bytea not null,
  secret_key_id text not null,
  secret_hint text not null,
  -- Grows with every change, so that workers know when what they cached is old.
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3)
);
create index webhook_endpoints_of_organization on "quickquote".webhook_endpoints (organization_id, id) where deleted_at is null;

-- Append-only, a partition a day: retention drops whole days. `default` catches what no day was made for.
create table "quickquote".events (
  id uuid not null,
  organization_id uuid not null,
  type text not null,
  quotation_id uuid,
  body text not null,
  created_at timestamptz(3) not null,
  primary key (id, created_at)
) partition by range (created_at);
create table "quickquote".events_default partition of "quickquote".events default;
create index events_of_organization on "quickquote".events (organization_id, created_at);

-- Unfinished deliveries only, and without payload: this table is the outbox, and it stays small. Vacuum never truncates
-- it: that would lock out the claims, and the space is needed again.
create table "quickquote".deliveries (
  id uuid primary key,
  organization_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  -- Finds the partition of the event.
  event_created_at timestamptz(3) not null,
  -- Attempts that were begun. The number of the attempt under way fences its lease.
  attempt smallint not null default 0,
  due_at timestamptz(3) not null,
  leased_by uuid,
  leased_at timestamptz(3),
  is_test boolean not null default false,
  -- Set when the endpoint was disabled or deleted meanwhile: nothing is sent unless somebody resends it.
  parked_at timestamptz(3)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false);
create index deliveries_due on "quickquote".deliveries (endpoint_id, due_at) where leased_by is null and parked_at is null;
-- "attempt >= 0" is always true. Only statements that say it use this index, so that a plan that was made while the table
-- was empty never reads all that is due to find what is due at one endpoint.
create index deliveries_due_first on "quickquote".deliveries (due_at)
  where leased_by is null and parked_at is null and attempt >= 0;
-- Counts what is under way to an endpoint. Recovery reads all of it: leased rows are few.
create index deliveries_in_flight on "quickquote".deliveries (endpoint_id) where leased_by is not null;

create table "quickquote".delivery_attempts (
  id uuid not null,
  delivery_id uuid not null,
  organization_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  quotation_id uuid,
  attempt smallint not null,
  status text not null check (status in ('succeeded', 'failed', 'exhausted', 'rejected', 'interrupted')),
  http_status smallint,
  error text,
  duration_ms integer,
  is_test boolean not null,
  created_at timestamptz(3) not null,
  next_attempt_at timestamptz(3),
  primary key (id, created_at)
) partition by range (created_at);
create table "quickquote".delivery_attempts_default partition of "quickquote".delivery_attempts default;
create index delivery_attempts_of_organization on "quickquote".delivery_attempts (organization_id, created_at desc, id desc);
create index delivery_attempts_of_endpoint on "quickquote".delivery_attempts (endpoint_id, created_at desc, id desc);
