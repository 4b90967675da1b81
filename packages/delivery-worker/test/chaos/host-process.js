// A host that emits events, whatever happens to its database.
import { setTimeout as sleep } from 'node:timers/promises'
import { serveParent } from '@quickquote/dev-servers/child'
import { adminOf } from '@quickquote/dev-servers/host'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { CHAOS_EVENT, createChaosIntegrations } from './integrations.js'

const AT_ONCE = 16
const TRY_AGAIN_MS = 100
serveParent({ open, emit })
let integrations

/** Migrates, and creates organizations whose endpoints are these receivers. */
async function open({ databaseUrl, urls, organizationIds }) {
  const storage = drizzleStorage({ connectionString: databaseUrl })
  await storage.migrate()
  integrations = createChaosIntegrations(storage)
  for (const [n, url] of urls.entries()) {
    const organizationId = organizationIds[n % organizationIds.length]
    const endpoint = { name: 'Chaos', url, events: [CHAOS_EVENT] }
    await integrations.webhookEndpoints.create(adminOf(organizationId), endpoint)
  }
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
        return await integrations.emit(CHAOS_EVENT, { organizationId, data: { n } })
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
