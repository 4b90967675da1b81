import { buffer } from 'node:stream/consumers'
import type { FileId, FileStorage } from '../src/storage/files.ts'
import type { UploadStorage } from '../src/storage/uploads.ts'

/** A minimal store of a host. */
export function hostStorage() {
  const stored = new Map<string, Buffer>()
  const noted = new Map<string, FileId>()
  const files: FileStorage = {
    async put({ id }, bytes) {
      stored.set(id, Buffer.alloc(0))
      stored.set(id, await buffer(bytes))
    },
    async *get({ id }) {
      yield stored.get(id) ?? Buffer.alloc(0)
    },
    async delete(unwanted) {
      for (const { id } of unwanted) stored.delete(id)
    },
  }
  const uploads: UploadStorage = {
    record: async (file) => void noted.set(file.id, file),
    renew: async ({ id }) => noted.has(id),
    abandon: async (unwanted) => unwanted.filter(({ id }) => noted.has(id)),
    async queueForDeletion() {},
    abandonBefore: async (_olderThan, limit) => [...noted.values()].slice(0, limit),
    async forget(gone) {
      for (const { id } of gone) noted.delete(id)
    },
  }
  return { stored, noted, files, uploads }
}

/** A file that arrives in chunks of this many bytes. */
export async function* inPieces(bytes: Uint8Array, size = 64 * 1024) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}
