import { buffer } from 'node:stream/consumers'
import { useDatabase } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { FileId, FileStorage } from '../../src/storage/files.ts'
import type { UploadStorage } from '../../src/storage/uploads.ts'

export interface UploadsOfTest {
  /** The host's store, which a test may break. */
  files: FileStorage
  readonly stored: Map<string, Buffer>
  readonly uploads: UploadStorage
  /** The recorded uploads. */
  listed(): Promise<FileId[]>
}

/** The list of uploads in a database, and a minimal store of a host. Both are empty before each test. */
export function useUploads(): UploadsOfTest {
  const database = useDatabase()
  let storage: ReturnType<typeof drizzleStorage>
  const stored = new Map<string, Buffer>()
  const context: UploadsOfTest = {
    files: storeIn(stored),
    stored,
    get uploads() {
      return storage.uploads
    },
    listed: () => database.sql<FileId[]>`select id, organization_id from quickquote.uploads`,
  }
  beforeAll(async () => {
    // One connection, made before a test counts open files.
    storage = drizzleStorage({ connectionString: database.url, maxConnections: 1 })
    await storage.clock.read()
  })
  afterAll(() => storage.close())
  beforeEach(async () => {
    context.files = storeIn(stored)
    stored.clear()
    await storage.uploads.forget(await context.listed())
  })
  return context
}

function storeIn(stored: Map<string, Buffer>): FileStorage {
  return {
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
}

/** A file that arrives in chunks of this many bytes. */
export async function* inPieces(bytes: Uint8Array, size = 64 * 1024) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}
