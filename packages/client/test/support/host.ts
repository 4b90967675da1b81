import type { Integrations, Quote } from '@quickquote/core'
import { integrationsOn, type TestOptions } from '@quickquote/dev-servers/host'
import { useDatabase } from '@quickquote/dev-servers/vitest'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { createTestKit, type Partner, type TestKit } from '@quickquote/test-kit'
import Fastify from 'fastify'
import { afterAll, beforeAll } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../src/index.ts'

export const DOCUMENT = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'

interface TestedHost {
  readonly url: string
  readonly databaseUrl: string
  readonly kit: TestKit
  readonly integrations: Integrations
  /** The calls of the pipeline hook. */
  readonly started: readonly Quote[]
  /** A partner, and a client with its key. */
  partner(options?: Partial<ClientOptions>): Promise<{ partner: Partner; client: Client }>
}

/** A listening host with our plugin, for a whole test file. */
export function useHost(options: TestOptions = {}): () => TestedHost {
  const database = useDatabase()
  let host: TestedHost & { close(): Promise<void> }
  beforeAll(async () => {
    host = await startHost(database.url, options)
  })
  afterAll(() => host.close())
  return () => host
}

async function startHost(databaseUrl: string, options: TestOptions) {
  const started: Quote[] = []
  const app = Fastify()
  const integrations = integrationsOn(drizzleStorage({ connectionString: databaseUrl, maxConnections: 4 }), {
    pipeline: { start: async (quote) => void started.push(quote) },
    ...options,
  })
  await app.register(fastifyIntegrations, { integrations, resolveSession: () => null })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const kit = createTestKit({ integrations, app })
  return {
    url,
    databaseUrl,
    kit,
    integrations,
    started,
    async partner(clientOptions: Partial<ClientOptions> = {}) {
      const partner = await kit.partner()
      return { partner, client: createClient({ baseUrl: url, apiKey: partner.key, ...clientOptions }) }
    },
    async close() {
      await kit.close()
      await app.close()
      await integrations.close()
    },
  }
}
