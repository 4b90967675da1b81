import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { integrationsOn, keepLogs, NOWHERE } from '@quickquote/dev-servers/host'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { fastifyIntegrations } from '../src/index.ts'
import { useDatabase } from './support/host.ts'

const database = useDatabase()
const workers = () => database.sql`select id from quickquote.workers`

function open(databaseUrl: string) {
  const { logger, lines } = keepLogs()
  const integrations = integrationsOn(databaseUrl, { logger })
  const worker = createDeliveryWorker({ integrations })
  const app = Fastify()
  const plugin = () => app.register(fastifyIntegrations, { integrations, worker, resolveSession: () => null })
  return { app, worker, plugin, integrations, lines }
}

it('A worker passed to the plugin starts and stops with the app', async () => {
  const { app, worker, plugin, integrations } = open(database.url)
  plugin()
  app.addHook('onClose', () => integrations.close())
  expect(worker.health().state).toBe('stopped')
  await app.listen({ port: 0 })
  expect(worker.health()).toMatchObject({ state: 'running', ready: true })
  expect(await workers()).toHaveLength(1)

  await app.close()

  expect(worker.health().state).toBe('stopped')
  // It deregistered itself: the storage was closed after it.
  expect(await workers()).toHaveLength(0)
})

it.each([
  ['after an awaited registration', ['plugin', 'hook']],
  ['before the registration', ['hook', 'plugin']],
])('A hook that closes the integrations, added %s, lets the worker finish first', async (_, order) => {
  const { app, worker, plugin, integrations, lines } = open(database.url)
  const steps: Record<string, () => unknown> = {
    plugin,
    hook: () => app.addHook('onClose', () => integrations.close()),
  }
  for (const step of order) await steps[step]?.()
  await app.listen({ port: 0 })
  expect(await workers()).toHaveLength(1)

  await app.close()

  expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
  expect(worker.health().state).toBe('stopped')
  expect(await workers()).toHaveLength(0)
})

it('An app whose worker cannot start does not start either', async () => {
  const { app, plugin, integrations } = open(NOWHERE)
  plugin()
  app.addHook('onClose', () => integrations.close())
  await expect(app.listen({ port: 0 })).rejects.toMatchObject({ name: 'StorageError', statusCode: 503 })
  await app.close()
})
