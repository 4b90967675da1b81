// What a host writes for the worker's program, for tests that run it.
import { createIntegrations } from '@quickquote/core'
import { drizzleStorage } from '@quickquote/storage-drizzle'

const print = (fields, message) => console.log(JSON.stringify({ message, ...fields }))

export const integrations = createIntegrations({
  storage: drizzleStorage({ connectionString: process.env.DATABASE_URL }),
  encryptionKeys: [{ id: 'test', key: Buffer.alloc(32, 7) }],
  egress: { proxy: process.env.PROXY },
  allowAddresses: ['127.0.0.1/32'],
  logger: { debug() {}, info: print, warn: print, error: print },
  pipeline: {
    start: async () => console.log('pipeline started'),
    signDocumentUrl: async () => ({ url: 'https://documents.example/', expires_at: new Date() }),
  },
})

// Something that keeps a process alive, as a host may have it.
setInterval(() => {}, 1000)

export function close() {
  console.log('the host has closed')
}
