// Erases in batches of one row, and is killed while a given method is called for the nth time.
import { setTimeout as sleep } from 'node:timers/promises'
import { createIntegrations, silentLogger } from '@quickquote/core/internal'
import { drizzleStorage } from '@quickquote/storage-drizzle'

const [, , connectionString, method, nth] = process.argv
const storage = drizzleStorage({ connectionString })
let calls = 0

const killing = (part) =>
  Object.fromEntries(
    Object.entries(part).map(([name, call]) => [
      name,
      (...given) => {
        const under = name === 'removeRows' ? call(given[0], 1) : call(...given)
        if (name === method && ++calls === Number(nth))
          setImmediate(() => process.kill(process.pid, 'SIGKILL'))
        return under
      },
    ]),
  )

const integrations = createIntegrations({
  storage: { ...storage, files: killing(storage.files), erasure: killing(storage.erasure) },
  encryptionKeys: [{ id: 'test', key: Buffer.alloc(32, 7) }],
  logger: silentLogger,
  pipeline: {
    start: async () => {},
    signDocumentUrl: async () => ({ url: 'https://x.example/', expires_at: new Date() }),
  },
})
for (;;) {
  while (await integrations.continueErasing()) {}
  // A process that was killed may leave a transaction open for a moment.
  await sleep(20)
}
