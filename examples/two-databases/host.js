import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import Fastify from 'fastify'
import { integrations } from './integrations.js'
import { databaseOf, fastifyOptions, resolveSession } from './yours.js'

// The paths of members name the organization. A key names none: the database that has it answers, or else one that is away.
async function databaseFor({ url, headers: { 'x-api-key': key = '' } }) {
  const [, id] = /^\/v1\/organizations\/([^/?]+)/.exec(url) ?? []
  if (id !== undefined) return databaseOf(decodeURIComponent(id))
  const ask = async ({ apiKeys }, number) => ((await apiKeys.holds(key)) ? number : Promise.reject())
  return Promise.any(integrations.map(ask)).catch(({ errors }) => Math.max(0, errors.findIndex(Boolean)))
}

// Paths inside this process that nobody can call from outside.
const prefixes = integrations.map((_, number) => (number === 0 ? '' : `/${randomUUID()}`))
const serverFactory = (handle) =>
  createServer(async (request, response) => {
    request.prefix = prefixes[await databaseFor(request).catch(() => 0)]
    handle(request, response)
  })
const rewriteUrl = ({ prefix, url }) => prefix + url
const app = Fastify({ ...fastifyOptions, serverFactory, rewriteUrl })
for (const [number, each] of integrations.entries()) {
  app.register(fastifyIntegrations, { integrations: each, resolveSession, prefix: prefixes[number] })
  app.addHook('onClose', () => each.close())
}
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => app.close())
await app.listen({ port: Number(process.env.PORT ?? 3000) })
