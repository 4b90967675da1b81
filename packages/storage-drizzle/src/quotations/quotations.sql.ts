import { statement, uuid } from '../connection/statement.ts'

/** Reads all open quotations: they are few, and an index on their last report would be written with each report. */
export const FIND_STALLED = statement(
  { id: uuid },
  (schema) => `select id from ${schema}.quotations
    where status in ('queued', 'running') and updated_at < $silent_since order by id limit $limit`,
)

/** One statement, so that an accepted quote has its files and its start. */
export const INSERT_QUOTATION = statement(
  {},
  (schema) => `with quotation as (
      insert into ${schema}.quotations (id, organization_id, name, description, status, processed_step, source, config_id,
        api_key_id, requirements_text, metadata, traceparent, tracestate, created_at, updated_at)
      values ($id, $organization_id, $name, $description, 'queued', 'none', $source, $config_id,
        $api_key_id, $requirements_text, $metadata::text::jsonb, $traceparent, $tracestate, $created_at, $created_at)
    ), files as (
      insert into ${schema}.quotation_files (quotation_id, id, name, type, size, position)
      select $id::uuid, file.*
      from unnest($file_ids::uuid[], $file_names::text[], $file_types::text[], $file_sizes::bigint[])
        with ordinality as file
    )
    insert into ${schema}.pipeline_starts (quotation_id, due_at) values ($id, $created_at)`,
)

/** Steps and the proposal are deleted by their foreign keys. `returning` reads the state before. */
export const ERASE_QUOTATION = statement(
  { id: uuid },
  (schema) => `with erased as (
      delete from ${schema}.quotations where id = $id and organization_id = $organization_id returning id
    )
    select file.id from erased join ${schema}.quotation_files file on file.quotation_id = erased.id`,
)
