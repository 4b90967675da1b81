import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { serveApiDocs } from './api-docs.ts'
import { errorHandler } from './error-handler.ts'
import { parseJsonOnly } from './json-body.ts'
import { takeMultipart } from './multipart.ts'
import { documentation } from './openapi-operation.ts'
import { checkOptions, type FastifyIntegrationsOptions, type PluginSettings } from './options.ts'
import { authenticatePartners } from './partner-auth.ts'
import { limitRequests, limitStarts } from './rate-limits.ts'
import { type Documentation, registerRoute } from './register-routes.ts'
import { identifyRequest } from './request-id.ts'
import { keepKeysOutOfLogs } from './request-log.ts'
import { decorateRequests } from './request-state.ts'
import type { Area, PartnerRoute, SessionRoute } from './route.ts'
import { routeTable } from './route-table.ts'
import { compileSchemas } from './schema-compilers.ts'
import { authenticateMembers } from './session-auth.ts'
import { refuseUnknownRoutes } from './unknown-routes.ts'

async function plugin(scope: FastifyInstance, options: FastifyIntegrationsOptions): Promise<void> {
  const settings = checkOptions(options)
  const { integrations, problemTypeBase } = settings
  const areas = routeTable(integrations, { apiKeyRoutes: settings.apiKeyRoutes })
  const document = documentation(settings)

  decorateRequests(scope)
  compileSchemas(scope)
  parseJsonOnly(scope, integrations.settings.limits.jsonBodyBytes)
  keepKeysOutOfLogs(scope)
  scope.setErrorHandler(errorHandler({ typeBase: problemTypeBase }))
  scope.addHook('onRequest', async (request, reply) => void identifyRequest(request, reply))

  if (settings.apiDocs !== null) await serveApiDocs(scope, settings, settings.apiDocs)
  for (const area of areas) {
    await scope.register((inner) => serveArea(inner, area, settings, document), { prefix: area.prefix })
  }
}

async function serveArea(
  scope: FastifyInstance,
  area: Area,
  settings: PluginSettings,
  document: Documentation,
): Promise<void> {
  scope.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store'))
  if (area.kind === 'partner') await servePartners(scope, area.routes, settings, document)
  else serveMembers(scope, area.routes, settings, document)
  refuseUnknownRoutes(scope, area)
}

async function servePartners(
  scope: FastifyInstance,
  routes: readonly PartnerRoute[],
  settings: PluginSettings,
  document: Documentation,
): Promise<void> {
  const { integrations } = settings
  const { limits } = integrations.settings
  authenticatePartners(scope, integrations)
  await limitRequests(scope, limits, settings)
  await scope.register(async (starts) => {
    await limitStarts(starts, limits, settings)
    takeMultipart(starts)
    for (const route of routes) if (route.limit === 'starts') registerRoute(starts, route, document)
  })
  for (const route of routes) if (route.limit === undefined) registerRoute(scope, route, document)
}

function serveMembers(
  scope: FastifyInstance,
  routes: readonly SessionRoute[],
  settings: PluginSettings,
  document: Documentation,
): void {
  authenticateMembers(scope, settings)
  for (const route of routes) registerRoute(scope, route, document)
}

/**
 * The Fastify plugin: partner API, key and webhook routes, interactive documentation. Encapsulated: nothing that it sets
 * (parsers, compilers, hooks, error handler) reaches the routes of the host.
 * @throws ConfigurationError at boot, for an option that is missing or wrong
 */
export const fastifyIntegrations = fp(plugin, {
  name: '@quickquote/fastify-integrations',
  fastify: '5.x',
  encapsulate: true,
})
