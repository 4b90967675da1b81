import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { ConfigurationError } from '@quickquote/core'
import type { FastifyInstance } from 'fastify'
import type { ApiDocsOptions, PluginSettings } from '../options.ts'
import { UNDOCUMENTED } from '../route.ts'
import { finishDocument, openapiFrame } from './openapi-document.ts'

/** Everything comes from this server; swagger-ui sets styles of elements, but needs no inline script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Collects the routes that are registered after this, and serves their OpenAPI document with swagger-ui. It
 * goes along with an @fastify/swagger of the host's: both decorate, but each its own context.
 * @throws ConfigurationError below a prefix with parameters: the page could not find its own files
 */
export async function serveApiDocs(
  fastify: FastifyInstance,
  settings: PluginSettings,
  { path, sessionScheme }: Required<ApiDocsOptions>,
): Promise<void> {
  if (fastify.prefix.includes(':')) {
    throw new ConfigurationError(
      `fastifyIntegrations: the documentation cannot be below a prefix with parameters (${fastify.prefix}): pass apiDocs: false.`,
    )
  }
  await fastify.register(swagger, {
    openapi: openapiFrame(settings, sessionScheme),
    transformObject: (context) => finishDocument('openapiObject' in context ? context.openapiObject : {}),
  })
  await fastify.register(async (inner) => {
    inner.addHook('onRoute', (route) => {
      route.config = { ...route.config, integrations: { access: 'public' }, ...UNDOCUMENTED }
    })
    await inner.register(swaggerUi, {
      routePrefix: path,
      indexPrefix: fastify.prefix,
      staticCSP: CONTENT_SECURITY_POLICY,
      theme: { title: 'Quick Quote integrations' },
      uiConfig: { layout: 'BaseLayout', docExpansion: 'list' },
    })
  })
}
