import swagger from '@fastify/swagger'
import swaggerUi, { type FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import { ConfigurationError } from '@quickquote/core'
import type { FastifyInstance } from 'fastify'
import type { ApiDocsLogo, ApiDocsOptions, PluginSettings } from '../options.ts'
import { UNDOCUMENTED } from '../route.ts'
import { AUDIENCES, documentFor } from './audiences.ts'
import { llmsText } from './llms-text.ts'
import { toOpenApi30 } from './openapi-30.ts'
import { finishDocument, openapiFrame } from './openapi-document.ts'

/** Everything comes from this server. swagger-ui needs inline styles, but no inline scripts. */
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
 * Collects the routes registered after this, and serves their OpenAPI document with swagger-ui. Compatible with the
 * host's own @fastify/swagger: each decorates its own context.
 * @throws ConfigurationError below a prefix with parameters: the page could not find its files
 */
export async function serveApiDocs(
  fastify: FastifyInstance,
  settings: PluginSettings,
  options: Required<ApiDocsOptions>,
): Promise<void> {
  const { path, title, logo } = options
  if (fastify.prefix.includes(':')) {
    throw new ConfigurationError(
      `fastifyIntegrations: the documentation cannot be served below a prefix with parameters (${fastify.prefix}): pass apiDocs: false.`,
    )
  }
  await fastify.register(swagger, {
    openapi: openapiFrame(settings, options),
    transformObject: (context) => finishDocument('openapiObject' in context ? context.openapiObject : {}),
  })
  await fastify.register(async (inner) => {
    inner.addHook('onRoute', (route) => {
      route.config = { ...route.config, integrations: { access: 'public' }, ...UNDOCUMENTED }
    })
    const page = {
      indexPrefix: fastify.prefix,
      staticCSP: CONTENT_SECURITY_POLICY,
      theme: { title, ...(logo !== null && { css: [{ filename: 'logo.css', content: logoStyle(logo) }] }) },
      uiConfig: { layout: 'BaseLayout', docExpansion: 'list' },
    } as const
    const serve = (options: FastifySwaggerUiOptions) =>
      // It decorates, so each page needs its own context.
      inner.register(async (scope) => void (await scope.register(swaggerUi, { ...page, ...options })))
    await serve({ routePrefix: path })
    for (const audience of AUDIENCES) {
      await serve({
        routePrefix: `${path}/${audience}`,
        transformSpecification: (document) => documentFor(audience, document),
      })
    }
    const whole = () => fastify.swagger() as unknown as Record<string, unknown>
    const hidden = { schema: { hide: true } }
    inner.get(`${path}/openapi-3.0.json`, hidden, async () => toOpenApi30(whole()))
    inner.get(`${path}/partners/openapi-3.0.json`, hidden, async () =>
      toOpenApi30(documentFor('partners', whole())),
    )
    inner.get(`${path}/llms.txt`, hidden, async (_, reply) =>
      reply.type('text/plain; charset=utf-8').send(llmsText(whole(), fastify.prefix + path)),
    )
  })
}

/** An image in a style sheet runs no scripts. */
function logoStyle({ type, content }: ApiDocsLogo): string {
  const image = `data:${type};base64,${Buffer.from(content).toString('base64')}`
  return `.swagger-ui .info::before { content: ''; display: block; height: 48px; margin-bottom: 24px; background: url("${image}") left / contain no-repeat; }`
}
