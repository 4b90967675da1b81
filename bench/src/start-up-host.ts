// The start of a host's process: first what any host on Fastify, drizzle and postgres loads, then what we add.
import { footprint, serveParent } from '@quickquote/dev-servers/child'
import type { FastifyInstance } from 'fastify'
import { ownCpuSeconds } from './usage.ts'

interface StartUpSettings {
  readonly databaseUrl: string
  readonly hasWorker: boolean
}

/** The CPU and heap of a step. */
type Cost = Readonly<Record<'cpuMs' | 'heapMib', number>>

const startUpHost = { startUp }
export type StartUpHost = typeof startUpHost
serveParent(startUpHost)

async function startUp({ databaseUrl, hasWorker }: StartUpSettings) {
  const bare = await costOf(async () => {
    const [{ default: Fastify }, { drizzle }] = await Promise.all([
      import('fastify'),
      import('drizzle-orm/postgres-js'),
      import('postgres'),
    ])
    const db = drizzle(databaseUrl)
    await db.execute('select 1')
    const response = { 200: { type: 'object', properties: { ok: { type: 'boolean' } } } }
    await answer(Fastify(), (app) => app.get('/own', { schema: { response } }, async () => ({ ok: true })))
  })
  const imports = await costOf(async () => {
    await import('@quickquote/core')
    await import('@quickquote/storage-drizzle')
    await import('@quickquote/fastify-integrations')
    if (hasWorker) await import('@quickquote/delivery-worker')
  })
  const start = await costOf(async () => {
    const { default: Fastify } = await import('fastify')
    const { createIntegrations } = await import('@quickquote/core')
    const { drizzleStorage } = await import('@quickquote/storage-drizzle')
    const { fastifyIntegrations } = await import('@quickquote/fastify-integrations')
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
      ? (await import('@quickquote/delivery-worker')).createDeliveryWorker({ integrations })
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
