update "quickquote".webhook_endpoints set previous_secret_ciphertext = secret_ciphertext, previous_secret_key_id = secret_key_id,
  previous_secret_expires_at = now() + interval '1 hour'
where id = '00000000-0000-7000-8000-0000000000c1';
insert into "quickquote".events (id, organization_id, type, body, created_at, is_test, generation_source) values
  ('00000000-0002-7000-8000-000000000001', '00000000-0000-7000-8000-0000000000ac', 'quotation.completed', '{}', now(), true,
   'api_key');
update "quickquote".delivery_attempts set response_body = 'Oops', first_byte_ms = 9;
