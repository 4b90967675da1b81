// A host with only our plugin, in its own process.

import type { Server } from 'node:net'
import { createIntegrations, type Limits } from '@quickquote/core'
import { footprint, serveParent } from '@quickquote/dev-servers/child'
import { hostOptions } from '@quickquote/dev-servers/host'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import Fastify from 'fastify'
import { ownCpuSeconds, peakMemory, watchMemory } from './usage.ts'

interface PartnerHostSettings {
  readonly databaseUrl: string
  /** The SQL schema. */
  readonly schema: string
}

const partnerHost = { listen, cpuSeconds: ownCpuSeconds, watchMemory, peakMemory, footprint, connections }
export type PartnerHost = typeof partnerHost
serveParent(partnerHost)

/** Limits are counted, but never reached. */
const LIMITS: Partial<Limits> = { requestsPerMinute: 1e9, startsPerMinute: 1e9 }

let server: Server | undefined

/** The number of connected clients. */
async function connections(): Promise<number> {
  return new Promise((resolve, reject) => {
    server?.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}

async function listen({ databaseUrl, schema }: PartnerHostSettings): Promise<string> {
  const integrations = createIntegrations({
    ...hostOptions,
    storage: drizzleStorage({ connectionString: databaseUrl, schema }),
    limits: LIMITS,
  })
  const app = Fastify()
  await app.register(fastifyIntegrations, { integrations, resolveSession: () => null })
  server = app.server
  return app.listen({ host: '127.0.0.1', port: 0 })
}
