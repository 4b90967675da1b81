import { bool, int, statement, text, uuid } from '../connection/statement.ts'
import { notErased } from '../not-erased.sql.ts'

/** Files of several organizations, as two arrays of equal length. */
const LISTED = 'unnest($ids::uuid[], $organization_ids::uuid[]) as file (id, organization_id)'

/** Base64, because postgres.js sends `bytea` as hex: see docs/decisions/0004-multipart.md. */
export const INSERT_CHUNK = statement(
  {},
  `insert into $schema.file_chunks (file_id, organization_id, position, is_last, bytes)
    select $id, $organization_id, $position, $is_last, decode($base64, 'base64') where ${notErased()}`,
)

export const FIND_CHUNK = statement(
  { base64: text, is_last: bool },
  `select encode(bytes, 'base64') as base64, is_last from $schema.file_chunks
    where file_id = $id and organization_id = $organization_id and position = $position`,
)

export const DELETE_CHUNKS = statement(
  {},
  `delete from $schema.file_chunks as chunk using ${LISTED}
    where chunk.file_id = file.id and chunk.organization_id = file.organization_id`,
)

export const RECORD_UPLOAD = statement(
  {},
  `insert into $schema.uploads (id, organization_id, created_at)
    select $id, $organization_id, $now where ${notErased()}`,
)

/** Not after it was abandoned: its bytes may have been deleted. */
export const RENEW_UPLOAD = statement(
  { renewed: int },
  `update $schema.uploads set created_at = $now,
      received_at = case when $is_received::boolean then $now::timestamptz end
    where id = $id and organization_id = $organization_id and abandoned_at is null and ${notErased()}
    returning 1 as renewed`,
)

export const ABANDON_UPLOADS = statement(
  { id: uuid, organization_id: uuid },
  `update $schema.uploads as upload set abandoned_at = $now from ${LISTED}
    where upload.id = file.id and upload.organization_id = file.organization_id
    returning upload.id, upload.organization_id`,
)

export const ABANDON_OLD_UPLOADS = statement(
  { id: uuid, organization_id: uuid },
  `update $schema.uploads set abandoned_at = $now
    where id in (
      select id from $schema.uploads where created_at < $older_than
      order by abandoned_at nulls first, created_at limit $limit for update skip locked
    )
    returning id, organization_id`,
)

/** With the oldest possible date, so that they are deleted first. */
export const QUEUE_FOR_DELETION = statement(
  {},
  `insert into $schema.uploads (id, organization_id, created_at, abandoned_at)
    select id, organization_id, 'epoch', $now::timestamptz from ${LISTED} on conflict (id) do nothing`,
)

/** Chunks of files that belong to no upload and no quotation. */
export const NOTE_STRAYS = statement(
  {},
  `insert into $schema.uploads (id, organization_id, created_at, abandoned_at)
    select file_id, organization_id, $created_at::timestamptz, $now::timestamptz from $schema.file_chunks as chunk
    where file_id < $first_id and position = 0
      and not exists (select from $schema.uploads where id = chunk.file_id)
      and not exists (select from $schema.quotation_files where id = chunk.file_id)
    on conflict (id) do nothing`,
)

export const FORGET_UPLOADS = statement(
  {},
  `delete from $schema.uploads as upload using ${LISTED}
    where upload.id = file.id and upload.organization_id = file.organization_id`,
)

/** Uploads that no quote has taken and that were not abandoned. */
export const TAKE_UPLOADS = statement(
  { id: uuid },
  `delete from $schema.uploads
    where id = any ($ids::uuid[]) and organization_id = $organization_id and abandoned_at is null
    returning id`,
)
