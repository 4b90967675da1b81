insert into "quickquote".api_keys values
  ('00000000-0000-7000-8000-0000000000a1', '00000000-0000-7000-8000-0000000000ac', 'member-1', 'CRM', '\x$KEY_HASH',
   'pk_abcd…wxyz', 'active', now() + interval '1 year', null, now() - interval '1 day', now() - interval '1 day');

insert into "quickquote".api_key_days values ('00000000-0000-7000-8000-0000000000a1', current_date, 2, 0, 1, 0);
insert into "quickquote".api_key_requests values
  ('00000000-0000-7000-8000-0000000000a2', '00000000-0000-7000-8000-0000000000a1', now(),
   '[{"at":1795860000000,"method":"GET","route":"/v1/integrations/quotations","status":200,"address":"198.51.100.7","request_id":"req-1"}]');

insert into "quickquote".quotations
  (id, organization_id, name, description, status, processed_step, source, api_key_id, requirements_text, metadata,
   traceparent, tracestate, created_at, updated_at)
values
  ('00000000-0000-7000-8000-000000000d01', '00000000-0000-7000-8000-0000000000ac', 'Done', '', 'completed', 'proposal',
   'api_key', '00000000-0000-7000-8000-0000000000a1', 'A roof.', '{"crm": 1}',
   '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'vendor=1', now(), now()),
  ('00000000-0000-7000-8000-000000000d02', '00000000-0000-7000-8000-0000000000ac', 'Under way', '', 'running',
   'requirement_analysis', 'api_key', '00000000-0000-7000-8000-0000000000a1', null, null,
   '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'vendor=1', now(), now()),
  ('00000000-0000-7000-8000-000000000d03', '00000000-0000-7000-8000-0000000000ac', 'Waiting', '', 'queued', 'none', 'ui', null,
   'A wall.', null, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'vendor=1', now(), now());
insert into "quickquote".quotation_steps (quotation_id, step, status, started_at, completed_at) values
  ('00000000-0000-7000-8000-000000000d02', 'requirement_analysis', 'completed', now(), now()),
  ('00000000-0000-7000-8000-000000000d02', 'functional_specification', 'running', now(), null);
insert into "quickquote".quotation_files values
  ('00000000-0000-7000-8000-000000000f01', '00000000-0000-7000-8000-000000000d03', 0, 'roof.txt', 'txt', 7);
insert into "quickquote".proposals values
  ('00000000-0000-7000-8000-000000000e01', '00000000-0000-7000-8000-0000000000ac', '00000000-0000-7000-8000-000000000d01', 'Done',
   'completed', null, now(), now());

insert into "quickquote".uploads values
  ('00000000-0000-7000-8000-000000000f02', '00000000-0000-7000-8000-0000000000ac', now(), null);
insert into "quickquote".file_chunks values
  ('00000000-0000-7000-8000-000000000f01', 0, '00000000-0000-7000-8000-0000000000ac', true, 'A roof.'),
  ('00000000-0000-7000-8000-000000000f02', 0, '00000000-0000-7000-8000-0000000000ac', false, 'A wa');
insert into "quickquote".idempotency_keys values
  ('00000000-0000-7000-8000-0000000000ac', 'order-1', '\x00', '00000000-0000-7000-8000-000000000d01', now());
insert into "quickquote".pipeline_starts (quotation_id, due_at) values ('00000000-0000-7000-8000-000000000d03', now());

insert into "quickquote".webhook_endpoints
  (id, organization_id, name, url, events, trigger_mode, is_enabled, disabled_reason, secret_ciphertext, secret_key_id,
   secret_hint, previous_secrets, created_at, updated_at)
values
  ('00000000-0000-7000-8000-0000000000c1', '00000000-0000-7000-8000-0000000000ac', 'CRM', 'https://crm.example/hook',
   '{quotation.completed,quotation.functional_specification.completed}', 'headless_only', true, null, '\x$SECRET', 'key-1',
   'whsec_…1234', jsonb_build_array(jsonb_build_object('key_id', 'key-1', 'ciphertext', '$SECRET', 'secret_hint', 'whsec_…0123',
     'expires_at', now() + interval '1 hour')), now(), now()),
  ('00000000-0000-7000-8000-0000000000c2', '00000000-0000-7000-8000-0000000000ac', 'Disabled', 'https://crm.example/hook',
   '{quotation.completed}', 'always', false, 'failing', '\x$SECRET', 'key-1', 'whsec_…1234', '[]', now(), now());
insert into "quickquote".endpoint_urls values ('00000000-0000-7000-8000-0000000000c1', 0, 'https://old.example/hook');
insert into "quickquote".encryption_keys values ('key-1', '\x$CHECK');
insert into "quickquote".endpoint_health values
  ('00000000-0000-7000-8000-0000000000c1', now() - interval '1 day', now() - interval '1 hour');

insert into "quickquote".events
  (id, organization_id, type, quotation_id, generation_source, body, is_test, traceparent, created_at)
values
  ('00000000-0001-7000-8000-000000000001', '00000000-0000-7000-8000-0000000000ac', 'quotation.completed',
   '00000000-0000-7000-8000-000000000d01', 'api_key', '{"data":{"generation_source":"api_key"}}', false,
   '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', now()),
  ('00000000-0002-7000-8000-000000000001', '00000000-0000-7000-8000-0000000000ac', 'quotation.completed', null, 'api_key', '{}',
   true, null, now());
insert into "quickquote".deliveries (id, organization_id, endpoint_id, event_id, event_created_at, attempt, due_at) values
  ('00000000-0001-7000-9000-000000000001', '00000000-0000-7000-8000-0000000000ac', '00000000-0000-7000-8000-0000000000c1',
   '00000000-0001-7000-8000-000000000001', now(), 1, now());
insert into "quickquote".delivery_attempts
  (id, delivery_id, organization_id, endpoint_id, event_id, event_type, quotation_id, attempt, status, http_status, error,
   response_body, duration_ms, first_byte_ms, is_test, created_at, next_attempt_at)
values
  ('00000000-0001-7000-a000-000000000001', '00000000-0001-7000-9000-000000000001', '00000000-0000-7000-8000-0000000000ac',
   '00000000-0000-7000-8000-0000000000c1', '00000000-0001-7000-8000-000000000001', 'quotation.completed',
   '00000000-0000-7000-8000-000000000d01', 1, 'failed', 500, 'The receiver answered 500.', 'Oops', 12, 9, false, now(), now());
-- The second one waits for a transaction that has ended since.
insert into "quickquote".replays
  (id, organization_id, endpoint_id, state, since, until, status, position_at, position_id, total, waits_for, created_at,
   updated_at)
values
  ('00000000-0000-7000-8000-000000000201', '00000000-0000-7000-8000-0000000000ac', '00000000-0000-7000-8000-0000000000c1',
   'running', now() - interval '1 day', now() + interval '1 minute', 'missed', now() - interval '1 day',
   '00000000-0000-0000-0000-000000000000', 1, '{}', now(), now()),
  ('00000000-0000-7000-8000-000000000202', '00000000-0000-7000-8000-0000000000ac', '00000000-0000-7000-8000-0000000000c2',
   'running', now() - interval '1 day', now() + interval '1 minute', 'missed', now() - interval '1 day',
   '00000000-0000-0000-0000-000000000000', 1, '{999/1}', now(), now());
insert into "quickquote".workers values ('00000000-0000-7000-8000-0000000000b1', now(), now());

insert into "quickquote".audit_log
  (id, organization_id, actor_id, client_address, action, resource_type, resource_id, resource_name, changes, created_at)
values
  ('00000000-0000-7000-8000-000000000101', '00000000-0000-7000-8000-0000000000ac', 'member-1', null, 'api_key.created',
   'api_key', '00000000-0000-7000-8000-0000000000a1', 'CRM', '[]', now()),
  ('00000000-0000-7000-8000-000000000102', '00000000-0000-7000-8000-0000000000ac', 'member-1', '198.51.100.7',
   'webhook_endpoint.tested', 'webhook_endpoint', '00000000-0000-7000-8000-0000000000c1', 'CRM', '[]', now());
