-- A replay that waits for a transaction that has ended since.
insert into "quickquote".replays
  (id, organization_id, endpoint_id, state, since, until, status, position_at, position_id, total, waits_for, created_at,
   updated_at)
values
  ('00000000-0000-7000-8000-000000000202', '00000000-0000-7000-8000-0000000000ac', '00000000-0000-7000-8000-0000000000c2',
   'running', now() - interval '1 day', now() + interval '1 minute', 'missed', now() - interval '1 day',
   '00000000-0000-0000-0000-000000000000', 1, '{999/1}', now(), now());
