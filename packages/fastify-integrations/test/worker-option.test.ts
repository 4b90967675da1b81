import { createIntegrations } from '@quickquote/core'
import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { fastifyIntegrations } from '../src/index.ts'
import { useDatabase } from './support/host.ts'

const database = useDatabase()
const workers = () => database.sql`select id from quickquote.workers`

function open(connectionString: string) {
  const integrations = createIntegrations({
    storage: drizzleStorage({ connectionString }),
    encryptionKeys: [{ id: 'test', key: Buffer.alloc(32, 7) }],
    pipeline: { start: async () => {}, signDocumentUrl: () => Promise.reject(new Error('not here')) },
  })
  const worker = createDeliveryWorker({ integrations })
  const app = Fastify()
  app.register(fastifyIntegrations, { integrations, worker, resolveSession: () => null })
  app.addHook('onClose', () => integrations.close())
  return { app, worker }
}

it('A worker passed to the plugin starts and stops with the app', async () => {
  const { app, worker } = open(database.url)
  expect(worker.health().state).toBe('stopped')
  await app.listen({ port: 0 })
  expect(worker.health()).toMatchObject({ state: 'running', ready: true })
  expect(await workers()).toHaveLength(1)

  await app.close()

  expect(worker.health().state).toBe('stopped')
  // It deregistered itself: the storage was closed after it.
  expect(await workers()).toHaveLength(0)
})

it('An app whose worker cannot start does not start either', async () => {
  const { app } = open('postgres://127.0.0.1:1/nobody')
  await expect(app.listen({ port: 0 })).rejects.toMatchObject({ name: 'StorageError', statusCode: 503 })
  await app.close()
})
