// The host: it emits events, whatever happens to its database, serves the plugin, and may have a worker.
import { setTimeout as sleep } from 'node:timers/promises'
import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { footprint, serveParent } from '@quickquote/dev-servers/child'
import { adminOf } from '@quickquote/dev-servers/host'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import Fastify from 'fastify'
import { createEnduranceIntegrations, EMITTED, LIFE } from './integrations.js'

const AT_ONCE = 16
const TRY_AGAIN_MS = 100
serveParent({ open, listen, emit, deliver, stopDelivering, footprint })
let integrations
let worker

/** Migrates, and creates organizations whose endpoints are these receivers. */
async function open({ databaseUrl, urls, organizationIds }) {
  const storage = drizzleStorage({ connectionString: databaseUrl })
  await storage.migrate()
  integrations = createEnduranceIntegrations(storage)
  for (const [n, url] of urls.entries()) {
    const organizationId = organizationIds[n % organizationIds.length]
    const endpoint = { name: 'Chaos', url, events: [EMITTED] }
    await integrations.webhookEndpoints.create(adminOf(organizationId), endpoint)
  }
}

/** Serves the plugin, after `open`. Every request of a member is by an admin of the organization that it names. */
async function listen() {
  const app = Fastify({ trustProxy: true })
  await app.register(fastifyIntegrations, {
    integrations,
    resolveSession({ headers }) {
      const id = headers['x-organization']
      if (typeof id !== 'string') return null
      return { memberId: `admin-of-${id}`, organizations: [{ id, role: 'admin' }] }
    },
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
}

/** Starts a worker, which gets deliveries leased as their events are recorded. */
async function deliver({ ca }) {
  worker = createDeliveryWorker({ integrations, ca, ...LIFE })
  await worker.start()
}

async function stopDelivering() {
  await worker?.stop()
}

/** Emits `count` events, over the organizations in turn. Repeats each until it is accepted. */
async function emit(options) {
  const { count, organizationIds } = options
  const accepted = []
  let failures = 0
  let next = 0
  async function emitOn() {
    while (next < count) {
      const n = next
      next += 1
      accepted.push(await emitOne(n))
    }
  }
  async function emitOne(n) {
    const organizationId = organizationIds[n % organizationIds.length]
    if (integrations === undefined || organizationId === undefined) throw new Error('open() comes first.')
    for (;;) {
      try {
        return await integrations.emit(EMITTED, { organizationId, data: { n } })
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'StorageError') throw error
        failures += 1
        await sleep(TRY_AGAIN_MS)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, emitOn))
  return { accepted, failures }
}
