// A host's module for the worker's program.
import { createIntegrations } from '@quickquote/core'
import { drizzleStorage } from '@quickquote/storage-drizzle'

const print = (fields, message) => console.log(JSON.stringify({ message, ...fields }))

export const integrations = createIntegrations({
  storage: drizzleStorage({ connectionString: process.env.DATABASE_URL }),
  encryptionKeys: [{ id: 'test', key: Buffer.alloc(32, 7) }],
  egress: { proxy: process.env.PROXY },
  lease: JSON.parse(process.env.LEASE ?? '{}'),
  allowAddresses: ['127.0.0.1/32'],
  logger: { debug() {}, info: print, warn: print, error: print },
  pipeline: {
    start: async () => console.log('pipeline started'),
    signDocumentUrl: async () => ({ url: 'https://documents.example/', expires_at: new Date() }),
  },
})

// Keeps the process alive, as a host's code may.
setInterval(() => {}, 1000)

export function close() {
  console.log('the host has closed')
}
