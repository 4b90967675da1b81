import { ConfigurationError, type Limits } from '@quickquote/core'
import { trimEndOf } from '@quickquote/core/internal'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { identifyRequest } from './answers/request-id.ts'
import { compileSchemas } from './answers/schema-compilers.ts'
import { refuseUnknownRoutes } from './answers/unknown-routes.ts'
import { refuseKeysInUrls } from './auth/key-in-url.ts'
import { authenticatePartners } from './auth/partner-auth.ts'
import { keepKeysOutOfLogs } from './auth/request-log.ts'
import { decorateRequests } from './auth/request-state.ts'
import { authenticateMembers } from './auth/session-auth.ts'
import { ignoreBodies, parseJsonOnly } from './bodies/json-body.ts'
import { formBytes, refuseOtherBodies, takeMultipart } from './bodies/multipart.ts'
import { dropUnreadBodies } from './bodies/unread-body.ts'
import { errorHandler } from './errors/error-handler.ts'
import { shareLogger } from './errors/share-logger.ts'
import { createRateLimiter, limitRequests, limitTests, type RateLimiter } from './limits/rate-limits.ts'
import { serveApiDocs } from './openapi/api-docs.ts'
import type { DocumentedRoute } from './openapi/swagger.ts'
import {
  checkDeprecated,
  type FastifyIntegrationsOptions,
  type PluginSettings,
  resolveOptions,
  type StartableWorker,
} from './options.ts'
import { createRegisterRoute, type RegisterRoute } from './register-routes.ts'
import type { Area, PartnerRoute, SessionRoute } from './route.ts'
import { routeTable } from './route-table.ts'
import { endSilentConnections } from './silent-connections.ts'

async function plugin(fastify: FastifyInstance, options: FastifyIntegrationsOptions): Promise<void> {
  const settings = resolveOptions(options)
  const { integrations, problemTypeBase } = settings
  const { limits } = integrations.settings
  const areas = routeTable(integrations, settings)
  checkDeprecated(
    settings,
    areas.flatMap(({ routes }) => routes.map(({ operationId }) => operationId)),
  )
  const documented: DocumentedRoute[] = []
  const register = createRegisterRoute(settings, documented)
  checkServer(fastify)
  refuseSecondRegistration(fastify, areas)
  if (settings.inHostDocument && !fastify.hasDecorator('swagger')) {
    throw new ConfigurationError(
      'fastifyIntegrations: inHostDocument needs your own @fastify/swagger. Register it before this plugin.',
    )
  }
  shareLogger(fastify, integrations.settings)

  decorateRequests(fastify)
  compileSchemas(fastify)
  parseJsonOnly(fastify, limits.jsonBodyBytes)
  dropUnreadBodies(fastify, formBytes(limits))
  keepKeysOutOfLogs(fastify)
  fastify.setErrorHandler(errorHandler({ typeBase: problemTypeBase }))
  fastify.addHook('onRequest', async (request, reply) => void identifyRequest(request, reply))
  refuseKeysInUrls(fastify)
  endSilentConnections(fastify)

  // Reports a wrong clock at startup, and not only at the first request.
  fastify.addHook('onReady', async () => integrations.settings.clock.ready())
  // Not awaited: the app starts while the database is away.
  fastify.addHook('onReady', async () => void integrations.repairFeed())
  if (settings.worker !== undefined) runWithApp(fastify, settings.worker)

  if (settings.apiDocs !== null) await serveApiDocs(fastify, settings, settings.apiDocs, documented)
  const limiter = createRateLimiter(settings, integrations.settings.logger)
  for (const area of areas) {
    await fastify.register((inner) => serveArea(inner, area, { settings, limits, register, limiter }), {
      prefix: area.prefix,
    })
  }
}

function runWithApp(fastify: FastifyInstance, worker: StartableWorker): void {
  fastify.addHook('onReady', () => worker.start())
  // Requests in progress have been answered by then, including tests, which need a worker.
  fastify.addHook('onClose', () => worker.stop())
}

/** Ids in our paths are UUIDs. */
const LONGEST_PARAMETER = 36

function checkServer({ initialConfig }: FastifyInstance): void {
  const { routerOptions, maxParamLength } = initialConfig
  if ((routerOptions?.maxParamLength ?? maxParamLength ?? LONGEST_PARAMETER) >= LONGEST_PARAMETER) return
  throw new ConfigurationError(
    `fastifyIntegrations: Fastify's maxParamLength must be at least ${LONGEST_PARAMETER}, the length of the IDs in our paths.`,
  )
}

function refuseSecondRegistration(fastify: FastifyInstance, areas: readonly Area[]): void {
  for (const { prefix, routes } of areas) {
    const path = trimEndOf(fastify.prefix, '/') + prefix
    for (const { method, url } of routes) {
      if (!fastify.hasRoute({ method, url: path + url })) continue
      throw new ConfigurationError(
        'fastifyIntegrations is registered twice below the same path, or your app already has this route: ' +
          `${method} ${path}${url}. Give each registration its own \`prefix\`.`,
      )
    }
  }
}

/** Shared by the routes of all areas. */
interface Means {
  readonly settings: PluginSettings
  readonly limits: Limits
  readonly register: RegisterRoute
  readonly limiter: RateLimiter
}

async function serveArea(fastify: FastifyInstance, area: Area, means: Means): Promise<void> {
  fastify.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store'))
  if (area.kind === 'partner') await servePartners(fastify, area.routes, means)
  else await serveMembers(fastify, area.routes, means)
  refuseUnknownRoutes(fastify, area)
}

async function servePartners(
  fastify: FastifyInstance,
  routes: readonly PartnerRoute[],
  { settings, limits, register, limiter }: Means,
): Promise<void> {
  authenticatePartners(fastify, settings.integrations)
  limitRequests(fastify, limiter, limits)
  const starts = routes.filter(({ limit }) => limit === 'starts')
  await fastify.register(async (both) => {
    takeMultipart(both)
    for (const route of starts) if (takesJson(route)) register(both, route)
  })
  await fastify.register(async (forms) => {
    refuseOtherBodies(forms)
    takeMultipart(forms)
    for (const route of starts) if (!takesJson(route)) register(forms, route)
  })
  for (const route of routes) {
    if (route.limit === undefined && !hasIgnoredBody(route)) register(fastify, route)
  }
  await fastify.register(async (withoutBodies) => {
    ignoreBodies(withoutBodies)
    for (const route of routes) if (hasIgnoredBody(route)) register(withoutBodies, route)
  })
}

function takesJson({ body }: PartnerRoute): boolean {
  return body !== undefined && 'application/json' in body
}

function hasIgnoredBody({ method, body }: PartnerRoute): boolean {
  return method !== 'GET' && body === undefined
}

async function serveMembers(
  fastify: FastifyInstance,
  routes: readonly SessionRoute[],
  { settings, limits, register, limiter }: Means,
): Promise<void> {
  parseJsonOnly(fastify, limits.sessionBodyBytes)
  authenticateMembers(fastify, settings)
  await fastify.register(async (tests) => {
    limitTests(tests, limiter, limits)
    for (const route of routes) if (route.limit === 'tests') register(tests, route)
  })
  for (const route of routes) if (route.limit === undefined) register(fastify, route)
}

/**
 * The Fastify plugin: partner API, key and webhook routes, interactive documentation. Encapsulated: its parsers,
 * compilers, hooks and error handler do not affect the host's routes.
 * @throws ConfigurationError at startup, for an option that is missing or invalid
 */
export const fastifyIntegrations = fp(plugin, {
  name: '@quickquote/fastify-integrations',
  fastify: '^5.1.0',
  encapsulate: true,
})
