import { ERASED } from '@quickquote/core/internal'
import { statement, uuid } from '../connection/statement.ts'
import { newDeliveryId } from './delivery-id.ts'

/** Replaces an ended or parked delivery with a new one. Does nothing while it is being sent. */
export const RESEND = statement(
  { id: uuid },
  (schema) => `with replaced as (
      delete from ${schema}.deliveries where id = $id and organization_id = $organization_id and leased_by is null
    )
    insert into ${schema}.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at,
      generation, quotation_id, sequence)
    select ${newDeliveryId('event.id')}, event.organization_id, $endpoint_id, event.id, event.created_at, $now,
      endpoint.generation, case when endpoint.ordering = 'quotation' and sequence is not null then quotation_id end,
      case when endpoint.ordering = 'quotation' then sequence end
    from ${schema}.events event join ${schema}.webhook_endpoints endpoint on endpoint.id = $endpoint_id
    where event.id = $event_id and event.organization_id = $organization_id and not is_test
      and body <> '${ERASED}'
      and not exists (select from ${schema}.deliveries where id = $id and leased_by is not null)
    returning id`,
)
