// A host with only our plugin, behind a proxy that names the client.

import { serveParent } from '@quickquote/dev-servers/child'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import Fastify from 'fastify'
import { footprint } from '../usage.ts'
import { createSoakIntegrations } from './integrations.ts'

const soakHost = { listen, footprint }
export type SoakHost = typeof soakHost
serveParent(soakHost)

async function listen(databaseUrl: string): Promise<string> {
  const app = Fastify({ trustProxy: true })
  await app.register(fastifyIntegrations, {
    integrations: createSoakIntegrations(drizzleStorage({ connectionString: databaseUrl })),
    // Every request is by an admin of the organization that it names.
    resolveSession({ headers }) {
      const id = headers['x-organization']
      if (typeof id !== 'string') return null
      return { memberId: `admin-of-${id}`, organizations: [{ id, role: 'admin' }] }
    },
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
}
