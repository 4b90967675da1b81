import { statement } from '../connection/statement.ts'

/** Deliveries to park while the request waits. */
const PARKED_AT_ONCE = 1000

/**
 * Removes pending deliveries from the indexes of claims within a short time: claims park the rest of a long backlog as
 * they reach it. Deliveries in flight end normally.
 */
export const PARK_SOME = statement(
  {},
  (schema) => `update ${schema}.deliveries set parked_at = $now::timestamptz where ctid = any (array(
      select ctid from ${schema}.deliveries
      where endpoint_id = $endpoint_id and organization_id = $organization_id and leased_by is null and parked_at is null
      order by due_at limit ${PARKED_AT_ONCE} for update skip locked
    ))`,
)

/** Parks the rest of a disabled endpoint's backlog, so that nothing of it is sent after enabling. */
export const PARK_REST = statement(
  {},
  (schema) => `update ${schema}.deliveries set parked_at = $now::timestamptz
    where endpoint_id = $endpoint_id and organization_id = $organization_id and leased_by is null and parked_at is null
      and exists (select from ${schema}.webhook_endpoints where id = $endpoint_id and not is_enabled)`,
)

const WAITING =
  'delivery.endpoint_id = $endpoint_id and delivery.organization_id = $organization_id and leased_by is null'

/** Puts waiting deliveries in the order of their quotations. Deliveries in flight are unchanged. */
export const PUT_IN_ORDER = statement(
  {},
  (
    schema,
  ) => `update ${schema}.deliveries delivery set quotation_id = event.quotation_id, sequence = event.sequence
    from ${schema}.events event
    where ${WAITING} and not delivery.is_test and event.id = delivery.event_id
      and event.created_at = delivery.event_created_at and event.sequence is not null`,
)

/** Reverts that: deliveries that waited for others become due. */
export const TAKE_OUT_OF_ORDER = statement(
  {},
  (schema) => `update ${schema}.deliveries delivery set quotation_id = null, sequence = null,
      due_at = case when due_at = 'infinity' then $now::timestamptz else due_at end
    where ${WAITING} and quotation_id is not null`,
)

/** Earlier failures do not count. */
export const FORGET_FAILURES = statement(
  {},
  (schema) => `update ${schema}.endpoint_health set failing_since = null
    where endpoint_id = $endpoint_id and failing_since is not null
      and exists (select from ${schema}.webhook_endpoints where id = $endpoint_id and organization_id = $organization_id)`,
)
