insert into "quickquote".idempotency_keys values
  ('00000000-0000-7000-8000-0000000000ac', 'order-1', '\x00', '00000000-0000-7000-8000-000000000d01', now());
