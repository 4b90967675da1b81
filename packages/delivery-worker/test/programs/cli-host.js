// A host's module for the worker's program.
import { integrationsOn } from '@quickquote/dev-servers/host'

const print = (fields, message) => console.log(JSON.stringify({ message, ...fields }))

const [first, ...others] = process.env.DATABASE_URL.split(' ').map((url) =>
  integrationsOn(url, {
    egress: { proxy: process.env.PROXY },
    lease: JSON.parse(process.env.LEASE ?? '{}'),
    logger: { debug() {}, info: print, warn: print, error: print },
    pipeline: { start: async () => console.log('pipeline started') },
  }),
)
// With several databases, a list.
export const integrations = others.length === 0 ? first : [first, ...others]

// Keeps the process alive, as a host's code may.
setInterval(() => {}, 1000)

export function close() {
  console.log('the host has closed')
}
