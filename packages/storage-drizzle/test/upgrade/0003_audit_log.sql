insert into "quickquote".audit_log values
  ('00000000-0000-7000-8000-000000000101', '00000000-0000-7000-8000-0000000000ac', 'member-1', 'api_key.created', 'api_key',
   '00000000-0000-7000-8000-0000000000a1', 'CRM', '[]', now());
