-- Who changed which key or endpoint. Append-only.
create table "quickquote".audit_log (
  id uuid primary key,
  organization_id uuid not null,
  -- Null for what the service did on its own.
  actor_id text,
  action text not null,
  resource_type text not null,
  resource_id uuid not null,
  resource_name text not null,
  changes jsonb not null,
  created_at timestamptz(3) not null
);
create index audit_log_of_organization on "quickquote".audit_log (organization_id, created_at desc, id desc);
create index audit_log_of_resource on "quickquote".audit_log (resource_id, created_at desc, id desc);

-- Keys are listed a page at a time, the newest first.
create index api_keys_newest on "quickquote".api_keys (organization_id, created_at desc, id desc);
drop index "quickquote".api_keys_of_organization;
