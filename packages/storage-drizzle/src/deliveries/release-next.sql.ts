import { int, statement } from '../connection/statement.ts'

/**
 * Makes deliveries due that wait for a removed delivery of their quotation. Rounds do this for deliveries they end;
 * this handles the rest.
 */
export const RELEASE_NEXT = statement(
  { released: int },
  (schema) => `update ${schema}.deliveries set due_at = $now::timestamptz where ctid = any (array(
    select ctid from ${schema}.deliveries waiting
    where leased_by is null and parked_at is null and attempt >= 0 and due_at = 'infinity' and not exists (
      select from ${schema}.deliveries earlier
      where earlier.endpoint_id = waiting.endpoint_id and earlier.quotation_id = waiting.quotation_id
        and earlier.sequence < waiting.sequence and earlier.parked_at is null
    )
    for update skip locked
  )) returning 1 as released`,
)
