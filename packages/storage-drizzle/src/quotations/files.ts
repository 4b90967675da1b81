import type { FileId, FileStorage } from '@quickquote/core'
import { type Storage, validationFailed } from '@quickquote/core/internal'
import pLimit from 'p-limit'
import type { Database } from '../connection/database.ts'
import { firstIdOf } from '../ids.ts'
import { REFUSE_ERASED } from '../not-erased.sql.ts'
import * as sql from './files.sql.ts'

/**
 * Larger chunks are only slightly faster. As base64 a chunk must stay below 128 KiB: V8 allocates larger strings where
 * only a full garbage collection frees them, and uploads would take tens of megabytes more.
 */
const CHUNK_BYTES = 90 * 1024

/**
 * Concurrent chunk writes per process. postgres.js copies a chunk several times, so this limits the memory of uploads,
 * and leaves connections to other requests. More would hardly be faster.
 */
const inTurn = pLimit(4)

/**
 * The bytes of files in PostgreSQL, in chunks. Each chunk is written by a separate statement, so a slow client holds no
 * connection. An upload keeps one chunk in memory.
 */
export function fileStorage({ call, run }: Database): FileStorage {
  return {
    async put({ id, organization_id }, bytes) {
      let position = 0
      const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
      let used = 0
      const flush = async (isLast: boolean) => {
        const base64 = chunk.toString('base64', 0, used)
        const written = { id, organization_id, position, is_last: isLast, base64 }
        await call('files.put', () => inTurn(() => run(sql.INSERT_CHUNK, written)))
        position += 1
        used = 0
      }
      for await (const piece of bytes) {
        for (let read = 0; read < piece.length; ) {
          // Only if more follows: the rest in the buffer is the last chunk.
          if (used === CHUNK_BYTES) await flush(false)
          const part = piece.subarray(read, read + CHUNK_BYTES - used)
          chunk.set(part, used)
          used += part.length
          read += part.length
        }
      }
      await flush(true)
    },

    async *get({ id, organization_id }) {
      for (let position = 0, isLast = false; !isLast; position += 1) {
        const wanted = { id, organization_id, position }
        const [chunk] = await call('files.get', () => run(sql.FIND_CHUNK, wanted))
        if (chunk === undefined) throw new Error(`File ${id} is missing or incomplete.`)
        isLast = chunk.is_last
        yield Buffer.from(chunk.base64, 'base64')
      }
    },

    delete: (files) =>
      call('files.delete', async () => {
        await run(sql.DELETE_CHUNKS, listed(files))
      }),
  }
}

export function uploadStorage(database: Database): Storage['uploads'] {
  const { call } = database

  return {
    record: ({ id, organization_id }, now) =>
      call('uploads.record', async () => {
        await database.run(sql.RECORD_UPLOAD, { id, organization_id, now })
      }),

    renew: ({ id, organization_id }, { isReceived }, now) =>
      call('uploads.renew', async () => {
        const renewed = await database.run(sql.RENEW_UPLOAD, {
          id,
          organization_id,
          is_received: isReceived,
          now,
        })
        if (renewed.length > 0) return true
        await database.run(REFUSE_ERASED, { organization_id })
        return false
      }),

    abandon: (files, now) =>
      call('uploads.abandon', () => database.run(sql.ABANDON_UPLOADS, { ...listed(files), now })),

    abandonBefore: (olderThan, limit, now) =>
      call('uploads.abandonBefore', () =>
        database.run(sql.ABANDON_OLD_UPLOADS, { older_than: olderThan, limit, now }),
      ),

    noteStrays: (olderThan, now) =>
      call('uploads.noteStrays', async () => {
        await database.run(sql.NOTE_STRAYS, {
          first_id: firstIdOf(olderThan),
          created_at: new Date(olderThan.getTime() - 1),
          now,
        })
      }),

    queueForDeletion: (files, now) =>
      call('uploads.queueForDeletion', async () => {
        if (files.length > 0) await database.run(sql.QUEUE_FOR_DELETION, { ...listed(files), now })
      }),

    forget: (files) =>
      call('uploads.forget', async () => {
        await database.run(sql.FORGET_UPLOADS, listed(files))
      }),
  }
}

/**
 * Assigns uploads to the quote being accepted, in its transaction.
 * @throws IntegrationError VALIDATION_FAILED unless each is an available upload of the organization
 */
export async function takeUploads(
  { run }: Pick<Database, 'run'>,
  organizationId: string,
  fileIds: readonly string[],
): Promise<void> {
  if (fileIds.length === 0) return
  const taken = await run(sql.TAKE_UPLOADS, { ids: fileIds, organization_id: organizationId })
  if (taken.length !== fileIds.length) {
    throw validationFailed([
      { pointer: '/files', detail: 'must be uploaded files that no other quotation uses' },
    ])
  }
}

function listed(files: readonly FileId[]) {
  return {
    ids: files.map(({ id }) => id),
    organization_ids: files.map(({ organization_id }) => organization_id),
  }
}
