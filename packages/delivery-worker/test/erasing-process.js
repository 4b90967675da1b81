// Erases until a phase begins, and is killed while a statement of that phase is under way.
import { createIntegrations, silentLogger } from '@quickquote/core/internal'
import { drizzleStorage } from '@quickquote/storage-drizzle'

const [, , connectionString, phase] = process.argv
const storage = drizzleStorage({ connectionString })
const kill = () => process.kill(process.pid, 'SIGKILL')
const integrations = createIntegrations({
  storage: {
    ...storage,
    files: { ...storage.files, delete: phase === 'uploads' ? kill : storage.files.delete },
    erasure: {
      ...storage.erasure,
      async eraseBatch(erasure, limit) {
        const batch = storage.erasure.eraseBatch(erasure, limit)
        if (erasure.phase === phase) setImmediate(kill)
        return batch
      },
    },
  },
  encryptionKeys: [{ id: 'test', key: Buffer.alloc(32, 7) }],
  logger: silentLogger,
  pipeline: {
    start: async () => {},
    signDocumentUrl: async () => ({ url: 'https://x.example/', expires_at: new Date() }),
  },
})
while (await integrations.continueErasing()) {}
