/** A file, and whose it is. No method reaches a file without the organization that it belongs to. */
export interface FileId {
  readonly id: string
  readonly organization_id: string
}

/**
 * Where the bytes of requirements files are. The default keeps them in PostgreSQL; a host that has an object store
 * writes these three functions. What belongs to a quote and what was abandoned is remembered elsewhere
 * (`UploadStorage`), so an object store needs neither tags nor lifecycle rules. For one that speaks S3:
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
 *   // One part in memory at a time: 5 MiB for each upload under way. A body that throws aborts the upload.
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
   * Stores a file while it arrives: `bytes` is read once, at the pace of the store, and never held whole. Throws when
   * `bytes` does; what was stored by then must not be read as a file, and is removed by `delete`. An id is stored once.
   */
  put(file: FileId, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Reads a file from its beginning. Throws when it is not there, and when it ends before all of it was read. */
  get(file: FileId): AsyncIterable<Uint8Array>
  /** Removes files, at most 100 at once. One that is not there, or not that organization's, is passed over. */
  delete(files: readonly FileId[]): Promise<void>
  /**
   * Removes every file of an organization, also those that we do not know of, when it is erased. Called after `delete` for
   * those that we know. Without this method only those are removed.
   */
  erase?(organizationId: string): Promise<void>
}

/**
 * Which files belong to no quote (yet), wherever their bytes are. A file is noted before its first byte is stored, and
 * the transaction that accepts its quote strikes it off; whatever stays on the list is an upload that was given up.
 */
export interface UploadStorage {
  /** Notes a file before it arrives, and again while it does: the last time counts as its age. */
  record(file: FileId, now: Date): Promise<void>
  /**
   * Gives uploads up: from now on no quote takes them.
   * @returns those that belonged to no quote; a file of an accepted quote is never among them
   */
  abandon(files: readonly FileId[], now: Date): Promise<FileId[]>
  /**
   * The same for uploads that were last noted before `olderThan`. At most `limit`, those that were given up longest ago at
   * the end: one that cannot be removed holds up no other.
   */
  abandonBefore(olderThan: Date, limit: number, now: Date): Promise<FileId[]>
  /**
   * Puts files on the list that are stored although no upload and no quote knows them, as given up. For a storage that
   * keeps the bytes, too.
   * @param olderThan files of ids that were made later are left alone
   */
  noteStrays?: ((olderThan: Date, now: Date) => Promise<void>) | undefined
  /** Puts files on the list that no quote has any more, as given up. */
  queueForDeletion(files: readonly FileId[], now: Date): Promise<void>
  /** Strikes off files whose bytes are gone. */
  forget(files: readonly FileId[]): Promise<void>
}
