import { statement } from '../connection/statement.ts'
import { notErased } from './not-erased.sql.ts'

export const RECORD_ENTRY = statement(
  {},
  `insert into $schema.audit_log (id, organization_id, actor_id, client_address, action, resource_type, resource_id,
      resource_name, changes, created_at)
    select $id, $organization_id, $actor_id, $client_address, $action, $resource_type, $resource_id,
      $resource_name, $changes::text::jsonb, $created_at
    where ${notErased()}`,
)
