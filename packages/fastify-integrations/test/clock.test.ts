import { adminOf, integrationsOn, keepLogs } from '@quickquote/dev-servers/host'
import { useDatabase } from '@quickquote/dev-servers/vitest'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import Fastify from 'fastify'
import { expect, it } from 'vitest'

const HOUR_MS = 60 * 60 * 1000
const ORGANIZATION = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'

const database = useDatabase()

it('a host with a wrong clock logs it at startup, and uses the time of the database', async () => {
  const storage = drizzleStorage({ connectionString: database.url })
  const { logger, lines } = keepLogs()
  // The same the other way round: the database's clock is two hours behind this machine's.
  const clock = { read: async () => new Date((await storage.clock.read()).getTime() - 2 * HOUR_MS) }
  const integrations = integrationsOn({ ...storage, clock }, { logger })
  const app = Fastify()
  await app.register(fastifyIntegrations, { integrations, resolveSession: () => null })

  await app.ready()

  const message = "the clock of this machine is wrong: correct it (NTP); the database's time is used"
  expect(lines).toMatchObject([{ message }])
  const expires_at = new Date(Date.now() - HOUR_MS).toISOString()
  const { created_at } = await integrations.apiKeys.create(adminOf(ORGANIZATION), {
    name: 'A key',
    expires_at,
  })
  expect(Math.abs(Date.now() - 2 * HOUR_MS - created_at.getTime())).toBeLessThan(60_000)

  await app.close()
  await integrations.close()
})
