import { int, statement, uuid } from '../connection/statement.ts'
import { newDeliveryId } from '../ids.ts'
import { notErased } from '../not-erased.sql.ts'

/** Parked, so that claims of the outbox do not see it and none of its rules apply. */
export const INSERT_TEST = statement(
  {},
  `with event as (
      insert into $schema.events (id, organization_id, type, quotation_id, sequence, body, created_at,
        generation_source, traceparent, tracestate, is_test)
      select $id, $organization_id, $type, $quotation_id, case when $quotation_id::uuid is not null then 1 end, $body,
        $created_at, $generation_source, $traceparent, $tracestate, true
      where ${notErased()}
    )
    insert into $schema.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at,
      is_test, check_kind, parked_at)
    values ($delivery_id, $organization_id, $endpoint_id, $id, $created_at, $created_at, true, $check_kind, $created_at)`,
)

/** Another delivery of a sample event. */
export const REPEAT_TEST = statement(
  { id: uuid },
  `insert into $schema.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at,
      is_test, check_kind, parked_at)
    select ${newDeliveryId('id')}, organization_id, $endpoint_id, id, created_at, created_at, true, $check_kind, created_at
    from $schema.events
    where id = $id and organization_id is not distinct from $organization_id and is_test and ${notErased()}
    returning id`,
)

export const WITHDRAW_TEST = statement(
  { withdrawn: int },
  `delete from $schema.deliveries
    where id = $id and organization_id = $organization_id and is_test and leased_by is null
    returning 1 as withdrawn`,
)
