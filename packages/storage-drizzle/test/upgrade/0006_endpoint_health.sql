insert into "quickquote".endpoint_health values
  ('00000000-0000-7000-8000-0000000000c1', now() - interval '1 day', now() - interval '1 hour');
update "quickquote".webhook_endpoints set disabled_reason = 'failing' where not is_enabled;
