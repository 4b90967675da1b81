// The start of a host's process: first what any host on Fastify, drizzle and postgres loads, then what we add.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { footprint, serveParent } from '@quickquote/dev-servers/child'
import type { FastifyInstance } from 'fastify'
import type { Import } from './start-up-install.ts'
import { ownCpuSeconds } from './usage.ts'

interface StartUpSettings {
  /** Where the packages are installed. */
  readonly folder: string
  readonly databaseUrl: string
}

/** The CPU and heap of a step. */
type Cost = Readonly<Record<'cpuMs' | 'heapMib', number>>

const startUpHost = { migrate, startUp }
export type StartUpHost = typeof startUpHost
serveParent(startUpHost)

async function migrate({ folder, databaseUrl }: StartUpSettings): Promise<void> {
  const { drizzleStorage } = await (await importFrom(folder))('@quickquote/storage-drizzle')
  const storage = drizzleStorage({ connectionString: databaseUrl })
  await storage.migrate()
  await storage.close()
}

async function startUp({ folder, databaseUrl, hasWorker }: StartUpSettings & { hasWorker: boolean }) {
  const load = await importFrom(folder)
  const bare = await costOf(async () => {
    const [{ default: Fastify }, { drizzle }] = await Promise.all([
      load('fastify'),
      load('drizzle-orm/postgres-js'),
      load('postgres'),
    ])
    const db = drizzle(databaseUrl)
    await db.execute('select 1')
    const response = { 200: { type: 'object', properties: { ok: { type: 'boolean' } } } }
    await answer(Fastify(), (app) => app.get('/own', { schema: { response } }, async () => ({ ok: true })))
  })
  const imports = await costOf(async () => {
    await load('@quickquote/core')
    await load('@quickquote/storage-drizzle')
    await load('@quickquote/fastify-integrations')
    if (hasWorker) await load('@quickquote/delivery-worker')
  })
  const start = await costOf(async () => {
    const { default: Fastify } = await load('fastify')
    const { createIntegrations } = await load('@quickquote/core')
    const { drizzleStorage } = await load('@quickquote/storage-drizzle')
    const { fastifyIntegrations } = await load('@quickquote/fastify-integrations')
    const integrations = createIntegrations({
      storage: drizzleStorage({ connectionString: databaseUrl }),
      encryptionKeys: [{ id: 'bench', key: Buffer.alloc(32, 1) }],
      pipeline: {
        async start() {},
        async signDocumentUrl() {
          throw new Error('There are no documents.')
        },
      },
    })
    const worker = hasWorker
      ? (await load('@quickquote/delivery-worker')).createDeliveryWorker({ integrations })
      : undefined
    await answer(Fastify(), (app) =>
      app.register(fastifyIntegrations, {
        integrations,
        resolveSession: () => null,
        ...(worker && { worker }),
      }),
    )
  })
  return { bare, imports, start }
}

async function importFrom(folder: string): Promise<Import> {
  return (await import(pathToFileURL(join(folder, 'import.js')).href)).default
}

/** Starts an app, which then answers a request. */
async function answer(app: FastifyInstance, extend: (app: FastifyInstance) => unknown): Promise<void> {
  extend(app)
  await app.ready()
  await app.inject('/v1/integrations/quotations')
}

async function costOf(step: () => Promise<void>): Promise<Cost> {
  const { heapBytes } = await footprint()
  const cpuSeconds = await ownCpuSeconds()
  await step()
  const cpuMs = ((await ownCpuSeconds()) - cpuSeconds) * 1000
  return { cpuMs, heapMib: ((await footprint()).heapBytes - heapBytes) / 1024 ** 2 }
}
