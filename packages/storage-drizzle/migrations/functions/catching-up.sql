-- Catching up
--
-- When an endpoint is enabled, what still waits from before is to be parked; when its order changes, what waits is to be put in
-- order, or taken out. A long backlog would make that change slow, so the change only begins a new generation of the endpoint,
-- and the deliveries follow in batches, each a transaction: the first with the change, the rest by any worker. Claims skip the
-- endpoint until the last batch, so that nothing is sent in between. New deliveries are of the new generation already. Each
-- batch goes on where the one before it ended, and the last one looks at everything once: a delivery may have been locked or in
-- flight when it was passed.

-- One batch, of the given endpoint or of any. Returns:
--
--   none   no endpoint has anything to catch up, unless somebody else is at it
--   more   there is more to do
--   waits  a delivery in flight began before the order was wanted: later ones wait for it; or somebody else locks the rest
--   done   the endpoint has caught up
create or replace function "quickquote".catch_up(only_endpoint uuid, at timestamptz, at_most int) returns text
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  endpoint record;
  moved int;
  reached timestamptz;
begin
  if current_setting('transaction_isolation') not like 'read %committed' then
    if num_nulls(only_endpoint) = 1 then
      raise 'deliveries catch up in transactions that are "read committed"';
    end if;
    -- A change within a transaction of the host. The workers do all of it.
    return 'more';
  end if;
  select id, generation, parks_before, caught_up_until, ordering = 'quotation' as is_ordered into endpoint
  from "quickquote".webhook_endpoints
  where caught_up_to < generation and id = coalesce(only_endpoint, id)
  order by random() limit 1 for no key update skip locked;
  if not found then
    return 'none';
  end if;

  -- What is due first catches up first. A delivery that waited for another one becomes due: a claim looks again.
  with outdated as materialized (
    select ctid as row_id, event_id, due_at, generation < endpoint.parks_before as is_over
    from "quickquote".deliveries
    where leased_by is null and parked_at is null and endpoint_id = endpoint.id and due_at >= endpoint.caught_up_until
      and generation <> endpoint.generation
    order by due_at limit at_most for update skip locked
  ), changed as materialized (
    select outdated.row_id, is_over, event.quotation_id, event.sequence
    from outdated left join lateral (
      select quotation_id, sequence from "quickquote".events
      where endpoint.is_ordered and not is_over and id = outdated.event_id
        and num_nulls(sequence) = 0 limit 1
    ) event on true
  ), moved as (
    update "quickquote".deliveries delivery set
      generation = endpoint.generation,
      parked_at = case when is_over then at end,
      due_at = case when due_at = 'infinity' then at else due_at end,
      quotation_id = changed.quotation_id,
      sequence = changed.sequence
    from changed where delivery.ctid = changed.row_id
  )
  select count(*), max(due_at) from outdated into moved, reached;
  if moved = at_most then
    update "quickquote".webhook_endpoints set caught_up_until = reached where id = endpoint.id;
    return 'more';
  end if;

  -- In this order: one that is in flight at the first look is not at the second, or its attempt ended in between.
  if endpoint.is_ordered and exists (
    select from "quickquote".deliveries
    where endpoint_id = endpoint.id and leased_by is not null and generation <> endpoint.generation
      and num_nulls(quotation_id) = 1 and not is_test
  ) then
    return 'waits';
  end if;
  if exists (
    select from "quickquote".deliveries
    where leased_by is null and parked_at is null and endpoint_id = endpoint.id and generation <> endpoint.generation
  ) then
    update "quickquote".webhook_endpoints set caught_up_until = '-infinity' where id = endpoint.id;
    return case when moved = 0 and endpoint.caught_up_until = '-infinity' then 'waits' else 'more' end;
  end if;
  update "quickquote".webhook_endpoints set caught_up_to = endpoint.generation where id = endpoint.id;
  return 'done';
end
$$;
