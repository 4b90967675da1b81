import type { FileId } from './files.ts'

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
