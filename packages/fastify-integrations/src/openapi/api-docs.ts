import { ConfigurationError } from '@quickquote/core'
import { type Content, contentAnswer, contentOf, FIXED, trimEndOf } from '@quickquote/core/internal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiDocsOptions, PluginSettings } from '../options.ts'
import { UNDOCUMENTED } from '../route.ts'
import { pageFiles, pageHtml } from './api-docs-page.ts'
import { documentFor } from './audiences.ts'
import { llmsText } from './llms-text.ts'
import { toOpenApi30 } from './older-versions.ts'
import { once } from './once.ts'
import { openapiDocument } from './openapi-document.ts'
import type { OpenApiDocument } from './openapi-shape.ts'
import { type DocumentedRoute, swaggerWhenAsked } from './swagger.ts'

/** Everything comes from this server; nothing is inline. The page calls the API where clients reach it. */
const securityHeaders = (publicUrl: string | null) => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${publicUrl === null ? '' : ` ${new URL(publicUrl).origin}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
})

/**
 * Serves the OpenAPI document of the routes with swagger-ui. The host may have its own @fastify/swagger.
 * @throws ConfigurationError below a prefix with parameters: the page could not find its files
 */
export async function serveApiDocs(
  fastify: FastifyInstance,
  settings: PluginSettings,
  options: Required<ApiDocsOptions>,
  routes: readonly DocumentedRoute[],
): Promise<void> {
  if (fastify.prefix.includes(':')) {
    throw new ConfigurationError(
      `fastifyIntegrations: the documentation cannot be served below a prefix with parameters (${fastify.prefix}): pass apiDocs: false.`,
    )
  }
  const at = (settings.publicUrl ?? '') + trimEndOf(fastify.prefix, '/') + options.path
  const swagger = swaggerWhenAsked(routes, (documented) => openapiDocument(documented, settings, options))
  const whole = async () => (await swagger())() as unknown as OpenApiDocument
  const partners = async () => documentFor('partners', await whole())
  const members = async () => documentFor('members', await whole())
  const others: Record<string, () => Promise<object | string>> = {
    yaml: async () => (await swagger())({ yaml: true }),
    'openapi-3.0.json': async () => toOpenApi30(await whole()),
    'llms.txt': async () => llmsText(await whole(), at),
    'partners/openapi-3.0.json': async () => toOpenApi30(await partners()),
  }
  const security = securityHeaders(settings.publicUrl)
  const serveAll = async (inner: FastifyInstance) => {
    inner.addHook('onRoute', (route) => {
      route.config = { ...route.config, integrations: { access: 'public' }, ...UNDOCUMENTED }
      route.schema = { hide: true }
    })
    // After the host's hooks, and so instead of its policy.
    inner.addHook('onSend', async (_, reply) => void reply.headers(security))
    for (const [name, make] of Object.entries(others)) serve(inner, `/${name}`, kept(name, make))
    await servePages(inner, options, { '': whole, '/partners': partners, '/members': members })
  }
  await fastify.register(serveAll, { prefix: options.path })
}

/** Content that is made at its first request, when all routes are known. */
function kept(name: string, make: () => Promise<object | string>): () => Promise<Content> {
  return once(async () => {
    const made = await make()
    return contentOf(name, typeof made === 'string' ? made : JSON.stringify(made))
  })
}

/** Serves documents with their pages, by the paths of the pages. */
async function servePages(
  fastify: FastifyInstance,
  options: Required<ApiDocsOptions>,
  documents: Readonly<Record<string, () => Promise<OpenApiDocument>>>,
): Promise<void> {
  const files = once(() => pageFiles(options))
  const named = async (file: string) =>
    Object.values(await files()).find(({ name }) => name === file)?.content
  serve(fastify, '/static/:file', ({ params }) => named((params as { file: string }).file), FIXED)
  for (const [prefix, document] of Object.entries(documents)) {
    serve(fastify, `${prefix}/json`, kept('json', document))
    const page = (base: string) =>
      kept('page.html', async () => {
        const at = { files: `${base}${prefix && '/..'}/static`, document: `${base}/json` }
        return pageHtml(await document(), await files(), options, at)
      })
    // Below a prefix, Fastify serves it with and without a slash.
    const routes = async (scope: FastifyInstance) => {
      const [plain, slashed] = [page(`./${scope.prefix.split('/').at(-1)}`), page('.')]
      serve(scope, '/', ({ originalUrl }) => (originalUrl.split('?')[0]?.endsWith('/') ? slashed() : plain()))
    }
    await fastify.register(routes, { prefix })
  }
}

function serve(
  fastify: FastifyInstance,
  url: string,
  find: (request: FastifyRequest) => Promise<Content | undefined>,
  cacheControl = 'no-cache',
): void {
  fastify.get(url, async (request, reply) => {
    const content = await find(request)
    if (content === undefined) return reply.callNotFound()
    const { status, headers, body } = contentAnswer(content, cacheControl, request.headers)
    return reply.code(status).headers(headers).send(body)
  })
}
