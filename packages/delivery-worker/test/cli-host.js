// A host's module for the worker's program.
import { integrationsOn } from '@quickquote/dev-servers/host'

const print = (fields, message) => console.log(JSON.stringify({ message, ...fields }))

export const integrations = integrationsOn(process.env.DATABASE_URL, {
  egress: { proxy: process.env.PROXY },
  lease: JSON.parse(process.env.LEASE ?? '{}'),
  logger: { debug() {}, info: print, warn: print, error: print },
  pipeline: { start: async () => console.log('pipeline started') },
})

// Keeps the process alive, as a host's code may.
setInterval(() => {}, 1000)

export function close() {
  console.log('the host has closed')
}
