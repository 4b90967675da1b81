import type { ExportPart } from '@quickquote/core/internal'
import { getTableName } from 'drizzle-orm'
import { type Statement, statement, text } from '../connection/statement.ts'
import { FIRST_UUID } from '../ids.ts'
import { createTables } from '../schema.ts'
import { SCHEMA_NOTES } from '../schema-notes.ts'

/**
 * A page of a part of an export, in index order. `content` is a row as JSON. `place` is its position for `$after` of
 * the next page, a JSON array: the empty one is before the first row.
 */
type Page = Statement<{ content: typeof text; place: typeof text }>

const page = (rows: string): Page =>
  statement({ content: text, place: text }, `select content::text, place::text from (${rows}) page`)

/** Elements of `$after`. */
const textAt = (index: number) => `coalesce($after::text::jsonb ->> ${index}, '')`
const uuidAt = (index: number) => `coalesce(($after::text::jsonb ->> ${index})::uuid, '${FIRST_UUID}')`
const timeAt = (index: number) => `coalesce(($after::text::jsonb ->> ${index})::timestamptz, '-infinity')`

/** Tables in which an organization has few rows. */
const byId = (table: string, without: readonly string[] = []) =>
  page(
    `select to_jsonb(entry) - '{${without.join(',')}}'::text[] as content, jsonb_build_array(id) as place from $schema.${table} entry
      where organization_id = $organization_id and id > ${uuidAt(0)} order by id limit $limit`,
  )

/** Those with many rows, each in the order of an index. */
const LARGE: Partial<Record<ExportPart, Page>> = {
  quotation: page(
    `select to_jsonb(quotation) || jsonb_build_object(
        'steps', (select coalesce(jsonb_agg(to_jsonb(step) order by step.started_at), '[]')
          from $schema.quotation_steps step where step.quotation_id = quotation.id),
        'files', (select coalesce(jsonb_agg(to_jsonb(file) order by file.position), '[]')
          from $schema.quotation_files file where file.quotation_id = quotation.id),
        'proposal', (select to_jsonb(proposal) from $schema.proposals proposal
          where proposal.quotation_id = quotation.id)
      ) as content, jsonb_build_array(source, id) as place
      from $schema.quotations quotation
      where organization_id = $organization_id and (source, id) > (${textAt(0)}, ${uuidAt(1)})
      order by source, id limit $limit`,
  ),
  api_key: page(
    `select to_jsonb(key) - 'key_hash' || jsonb_build_object(
        'days', (select coalesce(jsonb_agg(to_jsonb(day) - 'api_key_id' order by day.day), '[]')
          from $schema.api_key_days day where day.api_key_id = key.id),
        'requests', (select coalesce(jsonb_agg(request || jsonb_build_object('at', made.at) order by made.at), '[]')
          from $schema.api_key_requests batch cross join jsonb_array_elements(batch.requests) request
            cross join to_timestamp((request ->> 'at')::bigint / 1000.0) as made (at)
          where batch.api_key_id = key.id)
      ) as content, jsonb_build_array(id) as place
      from $schema.api_keys key
      where organization_id = $organization_id and id > ${uuidAt(0)} order by id limit $limit`,
  ),
  event: page(
    `select to_jsonb(event) as content, jsonb_build_array(created_at, id) as place
      from $schema.events event
      where organization_id = $organization_id and created_at >= ${timeAt(0)}
        and (created_at, id) > (${timeAt(0)}, ${uuidAt(1)})
      order by created_at, id limit $limit`,
  ),
  delivery_attempt: page(
    `select to_jsonb(made) as content, jsonb_build_array(created_at, id) as place
      from $schema.delivery_attempts made
      where organization_id = $organization_id and created_at >= ${timeAt(0)}
        and (created_at, id) > (${timeAt(0)}, ${uuidAt(1)})
      order by created_at, id limit $limit`,
  ),
}

const exported = Object.entries(createTables()).flatMap(([key, table]) => {
  const { rows } = SCHEMA_NOTES[key as keyof typeof SCHEMA_NOTES]
  if (rows === null || rows === 'cascade' || rows.exported === null) return []
  const { as, without } = rows.exported
  return [[as, LARGE[as] ?? byId(getTableName(table), without)] as const]
})

/** Keys without their hashes, endpoints without their secrets: see `schema-notes.ts`. */
export const EXPORT_PAGE = Object.fromEntries(exported) as Readonly<Record<ExportPart, Page>>
