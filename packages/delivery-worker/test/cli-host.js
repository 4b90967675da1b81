// A host's module for the worker's program.
import { createIntegrations } from '@quickquote/core'
import { hostOptions } from '@quickquote/dev-servers/host'
import { drizzleStorage } from '@quickquote/storage-drizzle'

const print = (fields, message) => console.log(JSON.stringify({ message, ...fields }))

export const integrations = createIntegrations({
  ...hostOptions,
  storage: drizzleStorage({ connectionString: process.env.DATABASE_URL }),
  egress: { proxy: process.env.PROXY },
  lease: JSON.parse(process.env.LEASE ?? '{}'),
  logger: { debug() {}, info: print, warn: print, error: print },
  pipeline: { ...hostOptions.pipeline, start: async () => console.log('pipeline started') },
})

// Keeps the process alive, as a host's code may.
setInterval(() => {}, 1000)

export function close() {
  console.log('the host has closed')
}
