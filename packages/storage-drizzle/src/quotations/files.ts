import type { FileId, FileStorage } from '@quickquote/core'
import { type UploadStorage, validationFailed } from '@quickquote/core/internal'
import pLimit from 'p-limit'
import type { Database } from '../connection/database.ts'
import { type Guard, withStorageErrors } from '../connection/storage-error.ts'
import { firstIdOf } from '../deliveries/delivery-id.ts'

/**
 * Larger chunks are a little faster. As base64 a chunk must stay below 128 KiB: V8 puts larger strings where only a full
 * collection finds that they are garbage, and uploads would then take tens of megabytes more.
 */
const CHUNK_BYTES = 90 * 1024

/**
 * Chunks that one process writes at once. On its way through postgres.js a chunk is copied several times, so this decides
 * how much memory uploads take; and other requests find a free connection. More writes at once are hardly faster.
 */
const WRITES_AT_ONCE = 4

/**
 * The bytes of files in PostgreSQL, in chunks, each written by a statement of its own: no connection is held while a
 * client sends. An upload under way has one chunk in memory.
 */
export function fileStorage(database: Database, guard?: Guard): FileStorage {
  const { schema } = database
  const inTurn = pLimit(WRITES_AT_ONCE)
  const statements = {
    /** Base64, because postgres.js sends `bytea` as hex: see docs/decisions/0004-multipart.md. */
    insertChunk: (file: FileId, position: number, isLast: boolean, base64: string) =>
      inTurn(() =>
        database.run(
          `insert into ${schema}.file_chunks (file_id, organization_id, position, is_last, bytes)
           values ($1, $2, $3, $4, decode($5, 'base64'))`,
          [file.id, file.organization_id, position, isLast, base64],
        ),
      ),
    async findChunk(file: FileId, position: number) {
      const [chunk] = await database.run<{ base64: string; is_last: boolean }>(
        `select encode(bytes, 'base64') as base64, is_last from ${schema}.file_chunks
         where file_id = $1 and organization_id = $2 and position = $3`,
        [file.id, file.organization_id, position],
      )
      return chunk
    },
    deleteFiles: (files: readonly FileId[]) =>
      database.run(
        `delete from ${schema}.file_chunks as chunk using ${LISTED} as file (id, organization_id)
         where chunk.file_id = file.id and chunk.organization_id = file.organization_id`,
        listed(files),
      ),
  }
  const { insertChunk, findChunk, deleteFiles } = withStorageErrors('files', statements, guard)

  return {
    async put(file, bytes) {
      let position = 0
      const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
      let used = 0
      const flush = async (isLast: boolean) => {
        await insertChunk(file, position, isLast, chunk.toString('base64', 0, used))
        position += 1
        used = 0
      }
      for await (const piece of bytes) {
        for (let read = 0; read < piece.length; ) {
          // Only when more follows: what is in the buffer at the end is the last chunk.
          if (used === CHUNK_BYTES) await flush(false)
          const part = piece.subarray(read, read + CHUNK_BYTES - used)
          chunk.set(part, used)
          used += part.length
          read += part.length
        }
      }
      await flush(true)
    },

    async *get(file) {
      for (let position = 0, isLast = false; !isLast; position += 1) {
        const chunk = await findChunk(file, position)
        if (chunk === undefined) throw new Error(`File ${file.id} is not there, or not to its end.`)
        isLast = chunk.is_last
        yield Buffer.from(chunk.base64, 'base64')
      }
    },

    async delete(files) {
      await deleteFiles(files)
    },
  }
}

/** Which files belong to no quote: see UploadStorage. */
export function uploadStorage(database: Database): UploadStorage {
  const { schema } = database
  return {
    async record(file, now) {
      await database.run(
        `insert into ${schema}.uploads as upload (id, organization_id, created_at) values ($1, $2, $3)
         on conflict (id) do update set created_at = excluded.created_at
         where upload.organization_id = excluded.organization_id and upload.abandoned_at is null`,
        [file.id, file.organization_id, now],
      )
    },

    abandon: (files, now) =>
      database.run<FileId>(
        `update ${schema}.uploads as upload set abandoned_at = $3 from ${LISTED} as file (id, organization_id)
         where upload.id = file.id and upload.organization_id = file.organization_id
         returning upload.id, upload.organization_id`,
        [...listed(files), now],
      ),

    abandonBefore: (olderThan, limit, now) =>
      database.run<FileId>(
        `update ${schema}.uploads set abandoned_at = $3
         where id in (
           select id from ${schema}.uploads where created_at < $1
           order by abandoned_at nulls first, created_at limit $2 for update skip locked
         )
         returning id, organization_id`,
        [olderThan, limit, now],
      ),

    async noteStrays(olderThan, now) {
      await database.run(
        `insert into ${schema}.uploads (id, organization_id, created_at, abandoned_at)
         select file_id, organization_id, $2::timestamptz, $3::timestamptz from ${schema}.file_chunks as chunk
         where file_id < $1 and position = 0
           and not exists (select from ${schema}.uploads where id = chunk.file_id)
           and not exists (select from ${schema}.quotation_files where id = chunk.file_id)
         on conflict (id) do nothing`,
        [firstIdOf(olderThan), new Date(olderThan.getTime() - 1), now],
      )
    },

    async forget(files) {
      await database.run(
        `delete from ${schema}.uploads as upload using ${LISTED} as file (id, organization_id)
         where upload.id = file.id and upload.organization_id = file.organization_id`,
        listed(files),
      )
    },
  }
}

/**
 * Gives uploads to the quote that is being accepted, in its transaction.
 * @throws IntegrationError VALIDATION_FAILED unless each is an upload of that organization that no quote took and nobody
 * gave up
 */
export async function takeUploads(
  { run, schema }: Database,
  organizationId: string,
  fileIds: readonly string[],
): Promise<void> {
  const taken = await run(
    `delete from ${schema}.uploads
     where id = any ($1::uuid[]) and organization_id = $2 and abandoned_at is null
     returning id`,
    [fileIds, organizationId],
  )
  if (taken.length !== fileIds.length) {
    throw validationFailed([
      { pointer: '/files', detail: 'must be files that were uploaded and are used only once' },
    ])
  }
}

/** Files as two parameters, `$1` and `$2`. */
const LISTED = 'unnest($1::uuid[], $2::uuid[])'

function listed(files: readonly FileId[]): readonly [string[], string[]] {
  return [files.map(({ id }) => id), files.map(({ organization_id }) => organization_id)]
}
