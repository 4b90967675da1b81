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

/**
 * Tracks files that belong to no quote, wherever their bytes are. A file is recorded before its first byte is stored,
 * and the transaction that accepts its quote removes it from the list. What remains was abandoned.
 */
export interface UploadStorage {
  /** Records a file before its upload. Refused with ORGANIZATION_ERASED if the organization is being erased. */
  record(file: FileId, now: Date): Promise<void>
  /**
   * Records it again during its upload, and once all bytes have arrived. Its age counts from the last call. Refused like
   * `record`.
   * @returns false: the upload was abandoned, and its bytes may be deleted already
   */
  renew(file: FileId, state: { readonly isReceived: boolean }, now: Date): Promise<boolean>
  /**
   * Abandons uploads: no quote can take them any more.
   * @returns those that belonged to no quote, never a file of an accepted quote
   */
  abandon(files: readonly FileId[], now: Date): Promise<FileId[]>
  /**
   * The same for uploads last recorded before `olderThan`, at most `limit`. The longest abandoned come last, so that a
   * file that cannot be deleted does not block others.
   */
  abandonBefore(olderThan: Date, limit: number, now: Date): Promise<FileId[]>
  /**
   * Records stored files that belong to no upload and no quote as abandoned. For a storage that also keeps the bytes.
   * @param olderThan ignores files whose id was created later
   */
  noteStrays?: ((olderThan: Date, now: Date) => Promise<void>) | undefined
  /** Records files that no quote uses any more as abandoned. */
  queueForDeletion(files: readonly FileId[], now: Date): Promise<void>
  /** Removes files from the list once their bytes are deleted. */
  forget(files: readonly FileId[]): Promise<void>
}
