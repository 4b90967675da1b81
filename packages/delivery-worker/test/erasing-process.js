// Erases in batches of one row, and is killed during a given phase: in its second batch, or in whatever else the phase does.
import { createIntegrations, silentLogger } from '@quickquote/core/internal'
import { drizzleStorage } from '@quickquote/storage-drizzle'

const [, , connectionString, phase] = process.argv
const storage = drizzleStorage({ connectionString })
const kill = () => process.kill(process.pid, 'SIGKILL')
let batches = 0

function killedIn(name, call) {
  const under = call()
  if (name === phase) setImmediate(kill)
  return under
}

const { erasure, files } = storage
const integrations = createIntegrations({
  storage: {
    ...storage,
    files: { ...files, delete: (gone) => killedIn('uploads', () => files.delete(gone)) },
    erasure: {
      ...erasure,
      async eraseBatch(open) {
        if (open.phase !== phase) return erasure.eraseBatch(open, 1000)
        batches += 1
        const isOver =
          batches === 2 ? killedIn(phase, () => erasure.eraseBatch(open, 1)) : erasure.eraseBatch(open, 1)
        // For phases with a single batch.
        if (await isOver) kill()
        return false
      },
      endPhase: (open, outcome) => killedIn(open.phase, () => erasure.endPhase(open, outcome)),
      finish: (open) => killedIn(open.phase, () => erasure.finish(open)),
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
