insert into "quickquote".api_keys values
  ('00000000-0000-7000-8000-0000000000a1', '00000000-0000-7000-8000-0000000000ac', 'member-1', 'CRM', '\x$KEY_HASH',
   'pk_abcd…wxyz', 'active', now() + interval '1 year', null, now() - interval '1 day', now() - interval '1 day');

insert into "quickquote".quotations
  (id, organization_id, name, description, status, processed_step, source, api_key_id, requirements_text, metadata,
   created_at, updated_at)
values
  ('00000000-0000-7000-8000-000000000d01', '00000000-0000-7000-8000-0000000000ac', 'Done', '', 'completed', 'proposal',
   'api_key', '00000000-0000-7000-8000-0000000000a1', 'A roof.', '{"crm": 1}', now(), now()),
  ('00000000-0000-7000-8000-000000000d02', '00000000-0000-7000-8000-0000000000ac', 'Under way', '', 'running',
   'requirement_analysis', 'api_key', '00000000-0000-7000-8000-0000000000a1', null, null, now(), now()),
  ('00000000-0000-7000-8000-000000000d03', '00000000-0000-7000-8000-0000000000ac', 'Waiting', '', 'queued', 'none', 'ui', null,
   'A wall.', null, now(), now());
insert into "quickquote".quotation_files values
  ('00000000-0000-7000-8000-000000000f01', '00000000-0000-7000-8000-000000000d03', 0, 'roof.txt', 'txt', 7);
insert into "quickquote".quotation_steps values
  ('00000000-0000-7000-8000-000000000d02', 'requirement_analysis', 'completed', now(), now(), null),
  ('00000000-0000-7000-8000-000000000d02', 'functional_specification', 'running', now(), null, null);
insert into "quickquote".proposals values
  ('00000000-0000-7000-8000-000000000e01', '00000000-0000-7000-8000-0000000000ac', '00000000-0000-7000-8000-000000000d01', 'Done',
   'completed', null, now(), now());
insert into "quickquote".workers values ('00000000-0000-7000-8000-0000000000b1', now(), now());
insert into "quickquote".pipeline_starts (quotation_id, due_at) values ('00000000-0000-7000-8000-000000000d03', now());

insert into "quickquote".webhook_endpoints
  (id, organization_id, name, url, events, trigger_mode, is_enabled, secret_ciphertext, secret_key_id, secret_hint, created_at,
   updated_at)
values
  ('00000000-0000-7000-8000-0000000000c1', '00000000-0000-7000-8000-0000000000ac', 'CRM', 'https://crm.example/hook',
   '{quotation.completed,quotation.functional_specification.completed}', 'headless_only', true, '\x$SECRET', 'key-1',
   'whsec_…1234', now(), now()),
  ('00000000-0000-7000-8000-0000000000c2', '00000000-0000-7000-8000-0000000000ac', 'Disabled', 'https://crm.example/hook',
   '{quotation.completed}', 'always', false, '\x$SECRET', 'key-1', 'whsec_…1234', now(), now());
insert into "quickquote".events (id, organization_id, type, quotation_id, body, created_at) values
  ('00000000-0001-7000-8000-000000000001', '00000000-0000-7000-8000-0000000000ac', 'quotation.completed',
   '00000000-0000-7000-8000-000000000d01', '{"data":{"generation_source":"api_key"}}', now());
insert into "quickquote".deliveries (id, organization_id, endpoint_id, event_id, event_created_at, attempt, due_at) values
  ('00000000-0001-7000-9000-000000000001', '00000000-0000-7000-8000-0000000000ac', '00000000-0000-7000-8000-0000000000c1',
   '00000000-0001-7000-8000-000000000001', now(), 1, now());
insert into "quickquote".delivery_attempts
  (id, delivery_id, organization_id, endpoint_id, event_id, event_type, quotation_id, attempt, status, http_status, error,
   duration_ms, is_test, created_at, next_attempt_at)
values
  ('00000000-0001-7000-a000-000000000001', '00000000-0001-7000-9000-000000000001', '00000000-0000-7000-8000-0000000000ac',
   '00000000-0000-7000-8000-0000000000c1', '00000000-0001-7000-8000-000000000001', 'quotation.completed',
   '00000000-0000-7000-8000-000000000d01', 1, 'failed', 500, 'The receiver answered 500.', 12, false, now(), now());
