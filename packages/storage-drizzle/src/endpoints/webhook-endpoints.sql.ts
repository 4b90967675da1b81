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

/** Earlier failures do not count. */
export const FORGET_FAILURES = statement(
  {},
  (schema) => `update ${schema}.endpoint_health set failing_since = null
    where endpoint_id = $endpoint_id and failing_since is not null
      and exists (select from ${schema}.webhook_endpoints where id = $endpoint_id and organization_id = $organization_id)`,
)

/** A new origin has asked for no pause. */
export const END_PAUSE = statement(
  {},
  (schema) => `update ${schema}.endpoint_health set paused_until = null
    where endpoint_id = $endpoint_id and paused_until is not null
      and exists (select from ${schema}.webhook_endpoints where id = $endpoint_id and organization_id = $organization_id)`,
)
