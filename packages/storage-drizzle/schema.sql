-- The result of the migrations, read from PostgreSQL's catalogs: for an overview, and for reviews of migrations. Never executed.
-- Written by "pnpm run schema".

create table api_keys (
  id uuid not null,
  organization_id uuid not null,
  owner_id text not null,
  name text not null,
  key_hash bytea not null,
  masked_key text not null,
  status text not null,
  expires_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_status_check CHECK ((status = ANY (ARRAY['active'::text, 'inactive'::text, 'revoked'::text])))
);
CREATE INDEX api_keys_by_expiry ON quickquote.api_keys USING btree (expires_at) WHERE (status = 'active'::text);
CREATE INDEX api_keys_newest ON quickquote.api_keys USING btree (organization_id, created_at DESC, id DESC);
CREATE INDEX api_keys_that_count ON quickquote.api_keys USING btree (organization_id, expires_at) INCLUDE (owner_id) WHERE (status <> 'revoked'::text);
CREATE TRIGGER refuse_erasing BEFORE INSERT ON quickquote.api_keys FOR EACH ROW EXECUTE FUNCTION quickquote.refuse_row_of_erasing();

create table audit_log (
  id uuid not null,
  organization_id uuid not null,
  actor_id text,
  client_address text,
  action text not null,
  resource_type text not null,
  resource_id uuid not null,
  resource_name text not null,
  changes jsonb not null,
  created_at timestamp(3) with time zone not null,
  constraint audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_log_of_organization ON quickquote.audit_log USING btree (organization_id, created_at DESC, id DESC);
CREATE INDEX audit_log_of_resource ON quickquote.audit_log USING btree (resource_id, created_at DESC, id DESC);
CREATE TRIGGER refuse_erasing BEFORE INSERT ON quickquote.audit_log FOR EACH ROW EXECUTE FUNCTION quickquote.refuse_row_of_erasing();

create table deliveries (
  id uuid not null,
  organization_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_created_at timestamp(3) with time zone not null,
  is_test boolean not null default false,
  attempt smallint not null default 0,
  due_at timestamp(3) with time zone not null,
  quotation_id uuid,
  sequence integer,
  leased_by uuid,
  leased_at timestamp(3) with time zone,
  parked_at timestamp(3) with time zone,
  constraint deliveries_pkey PRIMARY KEY (id)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_cost_delay=0, vacuum_truncate=false);
CREATE INDEX deliveries_due ON quickquote.deliveries USING btree (endpoint_id, due_at) WHERE ((leased_by IS NULL) AND (parked_at IS NULL));
CREATE INDEX deliveries_due_first ON quickquote.deliveries USING btree (due_at) WHERE ((leased_by IS NULL) AND (parked_at IS NULL) AND (attempt >= 0));
CREATE INDEX deliveries_in_flight ON quickquote.deliveries USING btree (endpoint_id, leased_by) WHERE (leased_by IS NOT NULL);
CREATE INDEX deliveries_in_order ON quickquote.deliveries USING btree (endpoint_id, quotation_id, sequence) WHERE (quotation_id IS NOT NULL);
CREATE INDEX deliveries_tests ON quickquote.deliveries USING btree (endpoint_id, due_at) WHERE (is_test AND (leased_by IS NULL));

create table delivery_attempts (
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
  status text not null,
  http_status smallint,
  error text,
  response_body text,
  header_names text[],
  duration_ms integer,
  first_byte_ms integer,
  created_at timestamp(3) with time zone not null,
  next_attempt_at timestamp(3) with time zone,
  constraint delivery_attempts_pkey PRIMARY KEY (delivery_id, attempt, created_at),
  constraint delivery_attempts_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'exhausted'::text, 'rejected'::text, 'interrupted'::text])))
) partition by RANGE (created_at);
CREATE INDEX delivery_attempts_failed ON ONLY quickquote.delivery_attempts USING btree (organization_id, created_at DESC, id DESC) WHERE (status <> 'succeeded'::text);
CREATE INDEX delivery_attempts_of_endpoint ON ONLY quickquote.delivery_attempts USING btree (endpoint_id, created_at DESC, id DESC);
CREATE INDEX delivery_attempts_of_organization ON ONLY quickquote.delivery_attempts USING btree (organization_id, created_at DESC, id DESC);
CREATE TRIGGER count_late_attempt AFTER INSERT ON quickquote.delivery_attempts FOR EACH ROW WHEN (((NOT new.is_test) AND (new.created_at < (now() - '00:01:00'::interval)))) EXECUTE FUNCTION quickquote.count_late_attempt();

create table delivery_attempts_default (
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
  status text not null,
  http_status smallint,
  error text,
  response_body text,
  header_names text[],
  duration_ms integer,
  first_byte_ms integer,
  created_at timestamp(3) with time zone not null,
  next_attempt_at timestamp(3) with time zone,
  constraint delivery_attempts_default_pkey PRIMARY KEY (delivery_id, attempt, created_at),
  constraint delivery_attempts_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'exhausted'::text, 'rejected'::text, 'interrupted'::text])))
) partition of delivery_attempts DEFAULT;
CREATE INDEX delivery_attempts_default_endpoint_id_created_at_id_idx ON quickquote.delivery_attempts_default USING btree (endpoint_id, created_at DESC, id DESC);
CREATE INDEX delivery_attempts_default_organization_id_created_at_id_idx ON quickquote.delivery_attempts_default USING btree (organization_id, created_at DESC, id DESC);
CREATE INDEX delivery_attempts_default_organization_id_created_at_id_idx1 ON quickquote.delivery_attempts_default USING btree (organization_id, created_at DESC, id DESC) WHERE (status <> 'succeeded'::text);

create table delivery_hours (
  endpoint_id uuid not null,
  hour timestamp(3) with time zone not null,
  delivered integer not null,
  failed integer not null,
  constraint delivery_hours_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES quickquote.webhook_endpoints(id) ON DELETE CASCADE,
  constraint delivery_hours_pkey PRIMARY KEY (endpoint_id, hour)
);
CREATE INDEX delivery_hours_by_age ON quickquote.delivery_hours USING btree (hour);

create table delivery_hours_counted (
  is_only boolean not null default true,
  until timestamp(3) with time zone not null default '-infinity'::timestamp with time zone,
  constraint delivery_hours_counted_is_only_check CHECK (is_only),
  constraint delivery_hours_counted_pkey PRIMARY KEY (is_only)
);

create table endpoint_health (
  endpoint_id uuid not null,
  last_success_at timestamp(3) with time zone,
  failing_since timestamp(3) with time zone,
  constraint endpoint_health_pkey PRIMARY KEY (endpoint_id)
) with (fillfactor=70);
CREATE INDEX endpoint_health_failing ON quickquote.endpoint_health USING btree (failing_since) WHERE (failing_since IS NOT NULL);

create table erasures (
  organization_hash bytea not null,
  organization_id uuid,
  keeps_audit_log boolean not null,
  phase text not null,
  removed jsonb not null default '{}'::jsonb,
  left_to_host jsonb not null default '[]'::jsonb,
  started_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  erased_at timestamp(3) with time zone,
  constraint erasures_organization_id_key UNIQUE (organization_id),
  constraint erasures_pkey PRIMARY KEY (organization_hash)
);

create table event_sequences (
  organization_id uuid not null,
  quotation_id uuid not null,
  last integer not null,
  constraint event_sequences_pkey PRIMARY KEY (organization_id, quotation_id)
) with (fillfactor=80);

create table events (
  id uuid not null,
  organization_id uuid not null,
  type text not null,
  quotation_id uuid,
  sequence integer,
  generation_source text,
  body text not null,
  is_test boolean not null default false,
  feed_position bigint,
  traceparent text,
  tracestate text,
  created_at timestamp(3) with time zone not null,
  constraint events_pkey PRIMARY KEY (id, created_at)
) partition by RANGE (created_at);
CREATE INDEX events_feed ON ONLY quickquote.events USING btree (organization_id, feed_position) WHERE (feed_position IS NOT NULL);
CREATE INDEX events_of_organization ON ONLY quickquote.events USING btree (organization_id, created_at);
CREATE TRIGGER refuse_erasing BEFORE INSERT ON quickquote.events FOR EACH ROW WHEN ((new.feed_position IS NULL)) EXECUTE FUNCTION quickquote.refuse_row_of_erasing();

create table events_default (
  id uuid not null,
  organization_id uuid not null,
  type text not null,
  quotation_id uuid,
  sequence integer,
  generation_source text,
  body text not null,
  is_test boolean not null default false,
  feed_position bigint,
  traceparent text,
  tracestate text,
  created_at timestamp(3) with time zone not null,
  constraint events_default_pkey PRIMARY KEY (id, created_at)
) partition of events DEFAULT;
CREATE INDEX events_default_organization_id_created_at_idx ON quickquote.events_default USING btree (organization_id, created_at);
CREATE INDEX events_default_organization_id_feed_position_idx ON quickquote.events_default USING btree (organization_id, feed_position) WHERE (feed_position IS NOT NULL);

create table feed_floors (
  organization_id uuid not null,
  position bigint not null,
  constraint feed_floors_pkey PRIMARY KEY (organization_id)
);

create table file_chunks (
  file_id uuid not null,
  position integer not null,
  organization_id uuid not null,
  is_last boolean not null,
  bytes bytea storage e not null,
  constraint file_chunks_pkey PRIMARY KEY (file_id, "position")
);
CREATE TRIGGER refuse_erasing BEFORE INSERT ON quickquote.file_chunks FOR EACH ROW EXECUTE FUNCTION quickquote.refuse_row_of_erasing();

create table idempotency_keys (
  organization_id uuid not null,
  key text not null,
  request_hash bytea not null,
  quotation_id uuid not null,
  created_at timestamp(3) with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (organization_id, key)
);
CREATE INDEX idempotency_keys_by_age ON quickquote.idempotency_keys USING btree (created_at);

create table pipeline_starts (
  quotation_id uuid not null,
  quote jsonb,
  attempt smallint not null default 0,
  due_at timestamp(3) with time zone not null,
  leased_by uuid,
  constraint pipeline_starts_pkey PRIMARY KEY (quotation_id)
) with (fillfactor=80);
CREATE INDEX pipeline_starts_due ON quickquote.pipeline_starts USING btree (due_at) WHERE (leased_by IS NULL);
CREATE INDEX pipeline_starts_leased ON quickquote.pipeline_starts USING btree (leased_by) WHERE (leased_by IS NOT NULL);
CREATE TRIGGER refuse_erasing BEFORE INSERT ON quickquote.pipeline_starts FOR EACH ROW WHEN ((new.quote IS NOT NULL)) EXECUTE FUNCTION quickquote.refuse_start_of_erasing();

create table proposals (
  id uuid not null,
  organization_id uuid not null,
  quotation_id uuid not null,
  name text not null,
  status text not null,
  document_id uuid,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint proposals_pkey PRIMARY KEY (id),
  constraint proposals_quotation_id_fkey FOREIGN KEY (quotation_id) REFERENCES quickquote.quotations(id) ON DELETE CASCADE,
  constraint proposals_quotation_id_key UNIQUE (quotation_id),
  constraint proposals_status_check CHECK ((status = 'completed'::text))
);

create table quotation_files (
  id uuid not null,
  quotation_id uuid not null,
  position smallint not null,
  name text not null,
  type text not null,
  size bigint not null,
  constraint quotation_files_pkey PRIMARY KEY (id),
  constraint quotation_files_quotation_id_fkey FOREIGN KEY (quotation_id) REFERENCES quickquote.quotations(id) ON DELETE CASCADE,
  constraint quotation_files_quotation_id_position_key UNIQUE (quotation_id, "position"),
  constraint quotation_files_type_check CHECK ((type = ANY (ARRAY['docx'::text, 'pdf'::text, 'txt'::text, 'md'::text])))
);

create table quotation_steps (
  quotation_id uuid not null,
  step text not null,
  status text not null,
  error_code text,
  started_at timestamp(3) with time zone not null,
  completed_at timestamp(3) with time zone,
  constraint quotation_steps_pkey PRIMARY KEY (quotation_id, step),
  constraint quotation_steps_quotation_id_fkey FOREIGN KEY (quotation_id) REFERENCES quickquote.quotations(id) ON DELETE CASCADE,
  constraint quotation_steps_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text, 'failed'::text])))
);

create table quotations (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  description text not null,
  status text not null,
  processed_step text not null,
  error_code text,
  source text not null,
  api_key_id uuid,
  config_id uuid,
  requirements_text text,
  metadata jsonb,
  traceparent text,
  tracestate text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint quotations_pkey PRIMARY KEY (id),
  constraint quotations_source_check CHECK ((source = ANY (ARRAY['ui'::text, 'api_key'::text]))),
  constraint quotations_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text])))
) with (fillfactor=80);
CREATE INDEX quotations_failed ON quickquote.quotations USING btree (organization_id, source, id) WHERE (status = 'failed'::text);
CREATE INDEX quotations_of_organization ON quickquote.quotations USING btree (organization_id, source, id);
CREATE INDEX quotations_unfinished ON quickquote.quotations USING btree (organization_id, source, id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE TRIGGER forget_quotation AFTER DELETE ON quickquote.quotations FOR EACH ROW EXECUTE FUNCTION quickquote.forget_quotation();
CREATE TRIGGER refuse_erasing BEFORE INSERT ON quickquote.quotations FOR EACH ROW EXECUTE FUNCTION quickquote.refuse_row_of_erasing();

create table replays (
  id uuid not null,
  organization_id uuid not null,
  endpoint_id uuid not null,
  state text not null,
  since timestamp(3) with time zone not null,
  until timestamp(3) with time zone not null,
  status text not null,
  position_at timestamp(3) with time zone not null,
  position_id uuid not null,
  total integer not null,
  examined integer not null default 0,
  resent integer not null default 0,
  waits_for text[] not null default '{}'::text[],
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint replays_pkey PRIMARY KEY (id),
  constraint replays_state_check CHECK ((state = ANY (ARRAY['running'::text, 'completed'::text, 'stopped'::text]))),
  constraint replays_status_check CHECK ((status = ANY (ARRAY['missed'::text, 'failed'::text, 'all'::text])))
);
CREATE UNIQUE INDEX replays_running ON quickquote.replays USING btree (endpoint_id) WHERE (state = 'running'::text);
CREATE TRIGGER refuse_erasing BEFORE INSERT ON quickquote.replays FOR EACH ROW EXECUTE FUNCTION quickquote.refuse_row_of_erasing();

create table retention_floor (
  is_only boolean not null default true,
  event_days integer not null default 30,
  audit_days integer not null default 400,
  constraint retention_floor_audit_days_check CHECK ((audit_days >= 2)),
  constraint retention_floor_event_days_check CHECK ((event_days >= 2)),
  constraint retention_floor_is_only_check CHECK (is_only),
  constraint retention_floor_pkey PRIMARY KEY (is_only)
);

create table uploads (
  id uuid not null,
  organization_id uuid not null,
  created_at timestamp(3) with time zone not null,
  abandoned_at timestamp(3) with time zone,
  constraint uploads_pkey PRIMARY KEY (id)
);
CREATE INDEX uploads_by_age ON quickquote.uploads USING btree (created_at);
CREATE INDEX uploads_of_organization ON quickquote.uploads USING btree (organization_id);
CREATE TRIGGER refuse_erasing BEFORE INSERT ON quickquote.uploads FOR EACH ROW WHEN ((new.abandoned_at IS NULL)) EXECUTE FUNCTION quickquote.refuse_row_of_erasing();

create table warnings (
  id uuid not null,
  organization_id uuid not null,
  kind text not null,
  subject_id uuid not null,
  since timestamp(3) with time zone not null,
  until timestamp(3) with time zone,
  count integer,
  stage smallint,
  attempt smallint not null default 0,
  due_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  constraint warnings_kind_check CHECK ((kind = ANY (ARRAY['endpoint_failing'::text, 'deliveries_exhausted'::text, 'api_key_expiring'::text]))),
  constraint warnings_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX warnings_counting ON quickquote.warnings USING btree (subject_id) WHERE ((kind = 'deliveries_exhausted'::text) AND (attempt = 0));
CREATE INDEX warnings_due ON quickquote.warnings USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX warnings_once ON quickquote.warnings USING btree (subject_id, kind, since, stage) WHERE (stage IS NOT NULL);
CREATE TRIGGER skip_erasing BEFORE INSERT ON quickquote.warnings FOR EACH ROW EXECUTE FUNCTION quickquote.skip_row_of_erasing();

create table webhook_endpoints (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  url text not null,
  description text,
  events text[] not null,
  trigger_mode text not null,
  ordering text not null default 'none'::text,
  is_enabled boolean not null,
  disabled_reason text,
  secret_ciphertext bytea,
  secret_key_id text,
  secret_hint text not null,
  previous_secret_ciphertext bytea,
  previous_secret_key_id text,
  previous_secret_expires_at timestamp(3) with time zone,
  header_names text[] not null default '{}'::text[],
  headers_ciphertext bytea,
  headers_key_id text,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  constraint webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['requested'::text, 'failing'::text]))),
  constraint webhook_endpoints_have_secrets CHECK (((deleted_at IS NOT NULL) OR (num_nulls(secret_ciphertext, secret_key_id) = 0))),
  constraint webhook_endpoints_name_their_headers CHECK ((num_nulls(headers_ciphertext, headers_key_id) =
CASE
    WHEN (header_names = '{}'::text[]) THEN 2
    ELSE 0
END)),
  constraint webhook_endpoints_ordering_check CHECK ((ordering = ANY (ARRAY['none'::text, 'quotation'::text]))),
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_trigger_mode_check CHECK ((trigger_mode = ANY (ARRAY['headless_only'::text, 'always'::text])))
);
CREATE INDEX webhook_endpoints_of_organization ON quickquote.webhook_endpoints USING btree (organization_id, id) WHERE (deleted_at IS NULL);
CREATE TRIGGER refuse_erasing BEFORE INSERT ON quickquote.webhook_endpoints FOR EACH ROW EXECUTE FUNCTION quickquote.refuse_row_of_erasing();

create table workers (
  id uuid not null,
  started_at timestamp(3) with time zone not null default now(),
  heartbeat_at timestamp(3) with time zone not null default now(),
  constraint workers_pkey PRIMARY KEY (id)
);

CREATE OR REPLACE FUNCTION quickquote.count_delivery_hours()
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION quickquote.count_late_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION quickquote.delivery_round(worker_id uuid, at timestamp with time zone, claim_limit integer, per_endpoint integer, walk_after uuid, must_walk boolean, due_after timestamp with time zone, settled_attempts json, organizations uuid[], places integer[], ended_endpoints uuid[], ended_quotations uuid[], answering uuid[], own_leases jsonb)
 RETURNS TABLE(round text, id uuid, organization_id uuid, event_id uuid, event_type text, quotation_id uuid, body text, attempt smallint, is_test boolean, endpoint_id uuid, event_sequence integer, is_in_order boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET jit TO 'off'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION quickquote.drop_expired_day(of_table text, before timestamp with time zone, kept_deliveries uuid)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "DateStyle" TO 'ISO'
 SET "TimeZone" TO 'UTC'
 SET lock_timeout TO '100ms'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
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
$function$;
revoke all on function drop_expired_day from public;

CREATE OR REPLACE FUNCTION quickquote.end_of_feed(organization uuid)
 RETURNS TABLE(event uuid, at_position bigint)
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION quickquote.erase_history_of_organization(organization uuid, of_table text, at_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
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
$function$;
revoke all on function erase_history_of_organization from public;

CREATE OR REPLACE FUNCTION quickquote.erase_history_of_quotation(organization uuid, quotation uuid, since timestamp with time zone)
 RETURNS TABLE(events integer, deliveries integer, attempts integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
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
$function$;
revoke all on function erase_history_of_quotation from public;

CREATE OR REPLACE FUNCTION quickquote.erasing_lock()
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  select '"quickquote".erasures'::regclass::oid::integer
$function$;

CREATE OR REPLACE FUNCTION quickquote.feed_bound(organization uuid)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION quickquote.feed_of(organization uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select hashtextextended(organization::text, '"quickquote".feed_positions'::regclass::oid::bigint) & 16777215
$function$;

CREATE OR REPLACE FUNCTION quickquote.forget_quotation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from "quickquote".pipeline_starts where quotation_id = old.id;
  delete from "quickquote".idempotency_keys where organization_id = old.organization_id and quotation_id = old.id;
  delete from "quickquote".event_sequences where organization_id = old.organization_id and quotation_id = old.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION quickquote.history_floor(days integer)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select (date_trunc('day', now() at time zone 'utc')
    - case when pg_has_role(session_user, nspowner, 'member') then 2 else days end * interval '1 day') at time zone 'utc'
  from pg_namespace where oid = '"quickquote"'::regnamespace
$function$;
revoke all on function history_floor from public;

CREATE OR REPLACE FUNCTION quickquote.is_erasing(organization uuid)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock_shared("quickquote".erasing_lock(), hashtext(organization::text));
  return exists (select from "quickquote".erasures where organization_id = organization);
end
$function$;

CREATE OR REPLACE FUNCTION quickquote.leases_of_others(endpoint uuid, worker uuid)
 RETURNS TABLE(holder uuid)
 LANGUAGE sql
 STABLE
AS $function$
  select leased_by from "quickquote".deliveries
  where endpoint_id = endpoint and leased_by < coalesce(worker, '00000000-0000-0000-0000-000000000000')
  union all
  select leased_by from "quickquote".deliveries
  where endpoint_id = endpoint and leased_by > coalesce(worker, '00000000-0000-0000-0000-000000000000')
$function$;

CREATE OR REPLACE FUNCTION quickquote.make_partitions()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "DateStyle" TO 'ISO'
 SET "TimeZone" TO 'UTC'
 SET lock_timeout TO '100ms'
AS $function$
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
$function$;
revoke all on function make_partitions from public;

CREATE OR REPLACE FUNCTION quickquote.next_feed_position(organization uuid)
 RETURNS bigint
 LANGUAGE sql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION quickquote.nobody_adds_to(organization uuid)
 RETURNS boolean
 LANGUAGE sql
AS $function$
  select pg_try_advisory_xact_lock("quickquote".erasing_lock(), hashtext(organization::text)) and not exists (
    select from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint >> 8) & 16777215 = "quickquote".feed_of(organization)
  )
$function$;

CREATE OR REPLACE FUNCTION quickquote.protect_history()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
$function$;
revoke all on function protect_history from public;

CREATE OR REPLACE FUNCTION quickquote.read_feed(organization uuid, after_position bigint, after_id uuid, only_types text[], only_source text, page_limit integer, examined_limit integer)
 RETURNS TABLE(is_expired boolean, event uuid, at_position bigint, event_count integer, content text)
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION quickquote.refuse_erasing()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  raise exception using errcode = 'QE001', message = 'the organization is being erased';
end
$function$;

CREATE OR REPLACE FUNCTION quickquote.refuse_row_of_erasing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if "quickquote".is_erasing(new.organization_id) then
    perform "quickquote".refuse_erasing();
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION quickquote.refuse_start_of_erasing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if "quickquote".is_erasing((new.quote ->> 'organization_id')::uuid) then
    perform "quickquote".refuse_erasing();
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION quickquote.remove_audit_entries(before timestamp with time zone, kept uuid, at_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
$function$;
revoke all on function remove_audit_entries from public;

CREATE OR REPLACE FUNCTION quickquote.remove_expired_rows(of_table text, before timestamp with time zone, at_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
$function$;
revoke all on function remove_expired_rows from public;

CREATE OR REPLACE FUNCTION quickquote.skip_row_of_erasing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  return case when not "quickquote".is_erasing(new.organization_id) then new end;
end
$function$;

-- feed_positions: a relation of the kind S
