-- How the deliveries of an endpoint go. Written when that changes, not for each attempt.
create table "quickquote".endpoint_health (
  endpoint_id uuid primary key,
  last_success_at timestamptz(3),
  -- The first failure after the last success; null while it goes well.
  failing_since timestamptz(3)
) with (fillfactor = 70);
create index endpoint_health_failing on "quickquote".endpoint_health (failing_since) where failing_since is not null;

-- Why an endpoint is disabled; null while it is enabled.
alter table "quickquote".webhook_endpoints add column disabled_reason text check (disabled_reason in ('requested', 'failing'));
update "quickquote".webhook_endpoints set disabled_reason = 'requested' where not is_enabled;
