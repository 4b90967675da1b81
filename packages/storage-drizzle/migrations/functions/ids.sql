-- IDs

-- The IDs of an event's deliveries begin with the time of the event and lie between these two: a small range of an index. Both
-- are inlined.
create or replace function "quickquote".first_delivery_of(event uuid) returns uuid language sql immutable as $$
  select (left(event::text, 15) || '000-0000-000000000000')::uuid
$$;
create or replace function "quickquote".last_delivery_of(event uuid) returns uuid language sql immutable as $$
  select (left(event::text, 15) || 'fff-ffff-ffffffffffff')::uuid
$$;
