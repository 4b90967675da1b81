-- Which request a client may repeat: see the Idempotency-Key header of the start. Kept for a day.
create table "quickquote".idempotency_keys (
  organization_id uuid not null,
  key text not null,
  request_hash bytea not null,
  quotation_id uuid not null references "quickquote".quotations (id) on delete cascade,
  created_at timestamptz(3) not null,
  primary key (organization_id, key)
);
create index idempotency_keys_by_age on "quickquote".idempotency_keys (created_at);

-- Finds the runs that nothing was heard of for long, however many have ended.
create index quotations_under_way on "quickquote".quotations (updated_at) where status in ('queued', 'running');
