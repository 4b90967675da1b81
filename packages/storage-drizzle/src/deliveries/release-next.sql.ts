import { statement } from '../connection/statement.ts'

/**
 * Makes due what waits for a delivery of its quotation that is gone, wherever that went. Rounds do so for what they end; this
 * is for the rest.
 */
export const RELEASE_NEXT = statement(
  {},
  (schema) => `update ${schema}.deliveries set due_at = $now::timestamptz where ctid = any (array(
    select ctid from ${schema}.deliveries waiting
    where leased_by is null and parked_at is null and attempt >= 0 and due_at = 'infinity' and not exists (
      select from ${schema}.deliveries earlier
      where earlier.endpoint_id = waiting.endpoint_id and earlier.quotation_id = waiting.quotation_id
        and earlier.sequence < waiting.sequence and earlier.parked_at is null
    )
    for update skip locked
  ))`,
)
