import { bool, nullable, statement, text } from '../connection/statement.ts'
import { newDeliveryId } from '../ids.ts'
import { notErased } from '../not-erased.sql.ts'

const RECORDED = { waiting: bool, notified: nullable(text) }

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
    ), delivery as (
      insert into $schema.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at,
        generation, quotation_id, sequence)
      select ${newDeliveryId('$id::uuid')}, organization_id, id, $id::uuid, $created_at::timestamptz, $created_at::timestamptz,
        generation, case when ordering = 'quotation' then $quotation_id::uuid end,
        case when ordering = 'quotation' then (select last from number) end
      from $schema.webhook_endpoints
      where organization_id = $organization_id and deleted_at is null and is_enabled
        and $type::text = any (events) and (trigger_mode = 'always' or $generation_source::text = 'api_key')
      returning 1
    )`
/** Notifies the workers, if there is a channel, and something for them. */
const WAITING = `select waiting, case when waiting and $channel::text is not null
        then pg_notify($channel::text, 'deliveries')::text end as notified
      from (select exists (select from delivery) as waiting) recorded`

/** One statement: the deliveries are the outbox, so an event is recorded with all of them or not at all. */
export const RECORD_EVENT = statement(RECORDED, `with ${RECORDING} ${WAITING}`)

/** The same after other changes, which are recorded with it or not at all. `changes` are common table expressions. */
export function recordingWith(changes: string) {
  return statement(RECORDED, `with ${changes}, ${RECORDING} ${WAITING}`)
}
