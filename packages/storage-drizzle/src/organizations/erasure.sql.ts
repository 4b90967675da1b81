import { int, statement, uuid } from '../connection/statement.ts'

export const ERASE_HISTORY = statement(
  { events: int, deliveries: int, attempts: int },
  (schema) =>
    `select events, deliveries, attempts from ${schema}.erase_history_of_quotation($organization_id, $quotation_id, $since)`,
)

/** The audit log remembers. */
export const FIND_ERASED = statement(
  { id: uuid },
  (
    schema,
  ) => `select quotation.id from unnest($ids::uuid[], $organization_ids::uuid[]) as quotation (id, organization_id)
    where exists (
      select from ${schema}.audit_log entry
      where entry.resource_id = quotation.id and entry.organization_id = quotation.organization_id
        and entry.action = 'quotation.erased'
    )`,
)
