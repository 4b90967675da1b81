-- The signing secret before the last rotation, while its overlap lasts.
alter table "quickquote".webhook_endpoints
  add column previous_secret_ciphertext bytea,
  add column previous_secret_key_id text,
  add column previous_secret_expires_at timestamptz(3);

-- A test delivery is parked from the start, so that no claim of the outbox sees it: workers look for it here.
create index deliveries_tests on "quickquote".deliveries (due_at) where is_test and leased_by is null;

-- Ids of deliveries begin with the time of their event, so this index grows at its end.
create index delivery_attempts_of_delivery on "quickquote".delivery_attempts (delivery_id);

-- A sample event was sent to one endpoint, and is nobody else's. What endpoints missed is found by the source.
alter table "quickquote".events
  add column is_test boolean not null default false,
  add column generation_source text;
update "quickquote".events set generation_source = body::jsonb #>> '{data,generation_source}';

-- What members see of an answer, to find out what is wrong with it.
alter table "quickquote".delivery_attempts
  add column response_body text,
  add column first_byte_ms integer;
