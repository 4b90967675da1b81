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
  examined integer not null default 0,
  total integer not null,
  resent integer not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index replays_running on "quickquote".replays (endpoint_id) where state = 'running';
