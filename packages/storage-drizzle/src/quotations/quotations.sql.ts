import { statement, text, uuid } from '../connection/statement.ts'
import { notErased } from '../organizations/not-erased.sql.ts'

/** Reads all open quotations: they are few, and an index on their last report would be written with each report. */
export const FIND_STALLED = statement(
  { id: uuid },
  (schema) => `select id from ${schema}.quotations
    where status in ('queued', 'running') and updated_at < $silent_since order by id limit $limit`,
)

/** Positions in the arrays of quotations that were updated or deleted. */
export const FIND_CHANGED = statement(
  { position: text },
  (schema) => `select position::text
    from unnest($organization_ids::uuid[], $ids::uuid[], $updated_at::timestamptz[])
      with ordinality as seen (organization_id, id, updated_at, position)
    where not exists (
      select from ${schema}.quotations quotation
      where quotation.id = seen.id and quotation.organization_id = seen.organization_id
        and quotation.updated_at = seen.updated_at
    )`,
)

/** One statement, so that accepted quotes have their files and their starts. */
export const INSERT_QUOTATIONS = statement(
  {},
  (schema) => `with accepted as (
      select * from json_to_recordset($quotations::text::json) as quotation (id uuid, organization_id uuid, name text,
        description text, source text, config_id uuid, api_key_id uuid, external_id text,
        requirements_text text, metadata jsonb,
        traceparent text, tracestate text, files json, created_at timestamptz)
    ), quotation as (
      insert into ${schema}.quotations (id, organization_id, name, description, status, processed_step, source, config_id,
        api_key_id, external_id, requirements_text, metadata, traceparent, tracestate, created_at, updated_at)
      select id, organization_id, name, description, 'queued', 'none', source, config_id,
        api_key_id, external_id, requirements_text, metadata, traceparent, tracestate, created_at, created_at from accepted
      where ${notErased(schema, 'accepted.organization_id')}
    ), files as (
      insert into ${schema}.quotation_files (quotation_id, id, name, type, size, position)
      select accepted.id, file.*
      from accepted, rows from (json_to_recordset(files) as (id uuid, name text, type text, size bigint))
        with ordinality as file
    )
    insert into ${schema}.pipeline_starts (quotation_id, due_at) select id, created_at from accepted`,
)

/** Steps and the proposal are deleted by their foreign keys. `returning` reads the state before. */
export const ERASE_QUOTATION = statement(
  { id: uuid },
  (schema) => `with erased as (
      delete from ${schema}.quotations where id = $id and organization_id = $organization_id returning id
    )
    select file.id from erased join ${schema}.quotation_files file on file.quotation_id = erased.id`,
)
