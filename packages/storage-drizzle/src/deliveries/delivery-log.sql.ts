import { ERASED } from '@quickquote/core/internal'
import { millisOf } from '../connection/readable.ts'
import { int, millis, statement, uuid } from '../connection/statement.ts'
import { newDeliveryId } from './delivery-id.ts'

/** The attempts of an organization by hours (UTC), tests left out. `$endpoint_id` null: of all its endpoints. */
export const COUNT_BY_HOUR = statement(
  { hour: millis, delivered: int, failed: int },
  (schema) => `select ${millisOf('counted.hour')} as hour, delivered, failed
    from (
      select date_trunc('hour', created_at, 'UTC') as hour,
        count(*) filter (where status = 'succeeded')::int as delivered,
        count(*) filter (where status <> 'succeeded')::int as failed
      from ${schema}.delivery_attempts
      where organization_id = $organization_id and ($endpoint_id::uuid is null or endpoint_id = $endpoint_id)
        and created_at >= $since and created_at < $until and not is_test
      group by 1
    ) counted
    order by counted.hour`,
)

/** A new delivery in the place of the one that ended, or is parked. Nothing while that one is sent. */
export const RESEND = statement(
  { id: uuid },
  (schema) => `with replaced as (
      delete from ${schema}.deliveries where id = $id and organization_id = $organization_id and leased_by is null
    )
    insert into ${schema}.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at,
      quotation_id, sequence)
    select ${newDeliveryId('event.id')}, event.organization_id, $endpoint_id, event.id, event.created_at, $now,
      case when endpoint.ordering = 'quotation' and sequence is not null then quotation_id end,
      case when endpoint.ordering = 'quotation' then sequence end
    from ${schema}.events event join ${schema}.webhook_endpoints endpoint on endpoint.id = $endpoint_id
    where event.id = $event_id and event.organization_id = $organization_id and not is_test
      and body <> '${ERASED}'
      and not exists (select from ${schema}.deliveries where id = $id and leased_by is not null)
    returning id`,
)
