import { bool, int, json, nullable, statement, text } from '../connection/statement.ts'
import { newDeliveryId } from '../ids.ts'
import { notErased } from '../not-erased.sql.ts'
import type { FoundEndpoint } from './deliveries.sql.ts'

const RECORDED = {
  /** Whether a delivery is for a round to claim. */
  waiting: bool,
  notified: nullable(text),
  sequence: nullable(int),
  leased: json<{ readonly id: string; readonly endpoint: FoundEndpoint }[]>(),
}

/** The event and its deliveries, in a statement that ends with `WAITING`. */
const RECORDING = `number as (
      insert into $schema.event_sequences as known (organization_id, quotation_id, last)
      select $organization_id, $quotation_id, 1 where $quotation_id::uuid is not null
      on conflict (organization_id, quotation_id) do update set last = known.last + 1
      returning last
    ), event as (
      insert into $schema.events (id, organization_id, type, quotation_id, sequence, body, created_at,
        generation_source, traceparent, tracestate, feed_position)
      select $id, $organization_id, $type, $quotation_id, (select last from number), $body, $created_at,
        $generation_source, $traceparent, $tracestate, $schema.next_feed_position($organization_id)
      where ${notErased()}
    ), receiver as materialized (
      select ${newDeliveryId('$id::uuid')} as delivery_id, endpoint.*, leased.endpoint as leased
      from (
        select id, generation, ordering = 'quotation' as is_ordered, row_number() over () as turn
        from $schema.webhook_endpoints
        where organization_id = $organization_id and deleted_at is null and is_enabled
          and $type::text = any (events) and (trigger_mode = 'always' or $generation_source::text = 'api_key')
      ) endpoint
      cross join lateral (
        select case when turn <= $places::int and $created_at::timestamptz < $leased_at::timestamptz + interval '1 second'
          then $schema.lease_at_once(id, $leased_at, $per_endpoint::int) end as endpoint
        offset 0
      ) leased
    ), delivery as (
      insert into $schema.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at,
        generation, quotation_id, sequence, attempt, leased_by, leased_at)
      select delivery_id, $organization_id, id, $id::uuid, $created_at::timestamptz, $created_at::timestamptz,
        generation, case when is_ordered then $quotation_id::uuid end,
        case when is_ordered then (select last from number) end,
        num_nonnulls(leased), case when num_nonnulls(leased) = 1 then $worker_id::uuid end,
        case when num_nonnulls(leased) = 1 then $leased_at::timestamptz end
      from receiver
    )`
/** Notifies the workers, if there is a channel, and something for them. */
const WAITING = `select waiting, case when waiting and $channel::text is not null
        then pg_notify($channel::text, 'deliveries')::text end as notified, (select last from number) as sequence, leased::text
      from (
        select coalesce(bool_or(leased is null), false) as waiting,
          coalesce(json_agg(json_build_object('id', delivery_id, 'endpoint', leased)) filter (where leased is not null), '[]') as leased
        from receiver
      ) recorded`

/** One statement: the deliveries are the outbox, so an event is recorded with all of them or not at all. */
export const RECORD_EVENT = statement(RECORDED, `with ${RECORDING} ${WAITING}`)

/** The same after other changes, which are recorded with it or not at all. `changes` are common table expressions. */
export function recordingWith(changes: string) {
  return statement(RECORDED, `with ${changes}, ${RECORDING} ${WAITING}`)
}
