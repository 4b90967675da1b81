import { ConfigurationError } from '@quickquote/core'
import { type Content, contentAnswer, contentOf, FIXED } from '@quickquote/core/internal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiDocsOptions, PluginSettings } from '../options.ts'
import { UNDOCUMENTED } from '../route.ts'
import { pageFiles, pageHtml } from './api-docs-page.ts'
import { documentFor } from './audiences.ts'
import { llmsText } from './llms-text.ts'
import { once } from './once.ts'
import { toOpenApi30 } from './openapi-30.ts'
import { openapiDocument } from './openapi-document.ts'
import type { OpenApiDocument } from './openapi-shape.ts'
import { type DocumentedRoute, type Swagger, swaggerWhenAsked } from './swagger.ts'

/** Everything comes from this server; nothing is inline. The page calls the API where clients reach it. */
const contentSecurityPolicy = (publicUrl: string | null) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${publicUrl === null ? '' : ` ${new URL(publicUrl).origin}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

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
  const swagger = swaggerWhenAsked(routes, (documented) => openapiDocument(documented, settings, options))
  const policy = contentSecurityPolicy(settings.publicUrl)
  await fastify.register(async (inner) => {
    inner.addHook('onRoute', (route) => {
      route.config = { ...route.config, integrations: { access: 'public' }, ...UNDOCUMENTED }
      route.schema = { hide: true }
    })
    // After the host's hooks, and so instead of its policy.
    inner.addHook('onSend', async (_, reply) => {
      reply.headers({
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
      })
    })
    await serveContent(inner, swagger, {
      ...options,
      at: (settings.publicUrl ?? '') + fastify.prefix + options.path,
    })
  })
}

/** All content is made at its first request, when all routes are known, and kept. */
async function serveContent(
  fastify: FastifyInstance,
  swagger: () => Promise<Swagger>,
  { path, at, ...look }: Required<ApiDocsOptions> & { readonly at: string },
): Promise<void> {
  const files = once(() => pageFiles(look))
  const whole = async () => (await swagger())() as unknown as OpenApiDocument

  fastify.get<{ Params: { file: string } }>(`${path}/static/:file`, async (request, reply) => {
    const file = (await files()).byName.get(request.params.file)
    return file === undefined ? reply.callNotFound() : send(request, reply, file, FIXED)
  })

  function serve(name: string, make: () => Promise<string>): void {
    const content = once(async () => contentOf(name, await make()))
    fastify.get(`${path}/${name}`, async (request, reply) => send(request, reply, await content()))
  }

  async function servePage(
    url: string,
    document: () => Promise<OpenApiDocument>,
    filesAt: string,
  ): Promise<void> {
    const page = (base: string) =>
      once(async () => {
        const at = { files: `${base}/${filesAt}`, document: `${base}/json` }
        return contentOf('page.html', pageHtml(await document(), await files(), look, at))
      })
    const [plain, slashed] = [page(`.${url.slice(url.lastIndexOf('/'))}`), page('.')]
    // Below a prefix, Fastify serves it with and without a slash.
    const routes = async (scope: FastifyInstance) => {
      scope.get('/', async (request, reply) => {
        const isSlashed = request.originalUrl.split('?')[0]?.endsWith('/')
        return send(request, reply, await (isSlashed ? slashed : plain)())
      })
    }
    await fastify.register(routes, { prefix: url })
  }

  await servePage(path, whole, 'static')
  serve('json', async () => JSON.stringify(await whole()))
  serve('yaml', async () => (await swagger())({ yaml: true }))
  serve('openapi-3.0.json', async () => JSON.stringify(toOpenApi30(await whole())))
  serve('llms.txt', async () => llmsText(await whole(), at))
  for (const audience of ['partners', 'members'] as const) {
    const part = async () => documentFor(audience, await whole())
    await servePage(`${path}/${audience}`, part, '../static')
    serve(`${audience}/json`, async () => JSON.stringify(await part()))
  }
  serve('partners/openapi-3.0.json', async () =>
    JSON.stringify(toOpenApi30(documentFor('partners', await whole()))),
  )
}

function send(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  content: Content,
  cacheControl = 'no-cache',
): FastifyReply {
  const answer = contentAnswer(content, cacheControl, headers)
  return reply.code(answer.status).headers(answer.headers).send(answer.body)
}
