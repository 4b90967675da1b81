import type { EventStorage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { newDeliveryId } from './delivery-id.ts'

/** Records events in PostgreSQL: see EventStorage. */
export function eventStorage(database: Database): EventStorage {
  const { schema } = database

  return {
    async record(event) {
      // One statement: the deliveries are the outbox, so an event is recorded with all of them or not at all.
      const [recorded] = await database.run<{ waiting: boolean }>(
        `with number as (
           insert into ${schema}.event_sequences as known (organization_id, quotation_id, last)
           select $2, $4, 1 where $4::uuid is not null
           on conflict (organization_id, quotation_id) do update set last = known.last + 1
           returning last
         ), event as (
           insert into ${schema}.events (id, organization_id, type, quotation_id, sequence, body, created_at,
             generation_source, traceparent, tracestate, feed_position)
           values ($1, $2, $3, $4, (select last from number), $5, $6, $7, $8, $9, ${schema}.next_feed_position($2))
         ), delivery as (
           insert into ${schema}.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at,
             quotation_id, sequence)
           select ${newDeliveryId('$1::uuid')}, organization_id, id, $1::uuid, $6::timestamptz, $6::timestamptz,
             case when ordering = 'quotation' then $4::uuid end,
             case when ordering = 'quotation' then (select last from number) end
           from ${schema}.webhook_endpoints
           where organization_id = $2 and deleted_at is null and is_enabled
             and $3::text = any (events) and (trigger_mode = 'always' or $7::text = 'api_key')
           returning 1
         )
         select exists (select from delivery) as waiting`,
        [
          event.id,
          event.organization_id,
          event.type,
          event.quotation_id,
          event.body,
          event.created_at,
          event.generation_source,
          event.trace?.traceparent ?? null,
          event.trace?.tracestate ?? null,
        ],
      )
      if (recorded?.waiting) await database.wake()
    },
  }
}
