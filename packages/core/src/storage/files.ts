/** A file and its organization. No method reaches a file without both. */
export interface FileId {
  readonly id: string
  readonly organization_id: string
}

/**
 * Stores the bytes of requirements files. The default is PostgreSQL; implement these functions to use an object store.
 * It needs no tags or lifecycle rules: `UploadStorage` keeps track of abandoned uploads. For S3:
 *
 * ```ts
 * import { DeleteObjectsCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
 * import { Upload } from '@aws-sdk/lib-storage'
 *
 * const client = new S3Client({})
 * const Bucket = 'requirements'
 * const keyOf = (file: FileId) => `${file.organization_id}/${file.id}`
 *
 * const files: FileStorage = {
 *   // One part in memory at a time: 5 MiB per upload. A body that throws aborts the upload.
 *   async put(file, bytes) {
 *     const params = { Bucket, Key: keyOf(file), Body: Readable.from(bytes, { objectMode: false }) }
 *     await new Upload({ client, params, queueSize: 1 }).done()
 *   },
 *   async *get(file) {
 *     const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: keyOf(file) }))
 *     yield* Body as Readable
 *   },
 *   async delete(files) {
 *     const Objects = files.map((file) => ({ Key: keyOf(file) }))
 *     await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
 *   },
 * }
 * ```
 */
export interface FileStorage {
  /**
   * Stores a file as it streams in. Throws if `bytes` throws; a partial file must never be readable, and is removed
   * with `delete`. Each ID is stored once.
   */
  put(file: FileId, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Streams a file. Throws if it is missing or incomplete. */
  get(file: FileId): AsyncIterable<Uint8Array>
  /** Deletes up to 100 files. Ignores files that do not exist or belong to another organization. */
  delete(files: readonly FileId[]): Promise<void>
  /**
   * Deletes every file of an organization when it is erased, after `delete` for the files we know. Without this method,
   * only those are deleted.
   */
  erase?(organizationId: string): Promise<void>
}
