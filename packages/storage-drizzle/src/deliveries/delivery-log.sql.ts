import { ERASED } from '@quickquote/core/internal'
import { statement, uuid } from '../connection/statement.ts'
import { notErased } from '../organizations/not-erased.sql.ts'
import { newDeliveryId } from './delivery-id.ts'

/**
 * Replaces an ended or parked delivery with a new one. Does nothing while it is being sent.
 *
 * Holds the quotation's row of event numbers, which the erasing of the quotation deletes first: the erasing ends the new
 * delivery, or nothing is resent. Holds the endpoint, so that the erasing of the organization finds the delivery.
 */
export const RESEND = statement(
  { id: uuid },
  (schema) => `with event as (
      select event.id, event.organization_id, event.created_at, endpoint.generation,
        case when endpoint.ordering = 'quotation' and sequence is not null then event.quotation_id end as quotation_id,
        case when endpoint.ordering = 'quotation' then sequence end as sequence
      from ${schema}.events event
      join ${schema}.webhook_endpoints endpoint
        on endpoint.id = $endpoint_id and endpoint.organization_id = event.organization_id
      left join lateral (
        select true as is_kept from ${schema}.event_sequences
        where organization_id = event.organization_id and quotation_id = event.quotation_id
        for key share
      ) numbers on true
      where event.id = $event_id and event.organization_id = $organization_id and not is_test
        and body <> '${ERASED}' and (sequence is null or is_kept)
        and not exists (select from ${schema}.deliveries where id = $id and leased_by is not null)
        and ${notErased(schema)}
      for key share of endpoint
    ), replaced as (
      delete from ${schema}.deliveries
      where id = $id and organization_id = $organization_id and leased_by is null and exists (select from event)
    )
    insert into ${schema}.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at,
      generation, quotation_id, sequence)
    select ${newDeliveryId('event.id')}, organization_id, $endpoint_id, event.id, created_at, $now, generation,
      quotation_id, sequence
    from event
    returning id`,
)
