import { IntegrationError } from '@quickquote/core'
import {
  type Content,
  contentAnswer,
  contentOf,
  FIXED,
  fixedName,
  readSession,
  SESSION_TIMEOUT_MS,
  themeRule,
} from '@quickquote/core/internal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { element, files, style } from '#assets'
import { answerProblem } from './answer-problem.ts'
import { pageHtml } from './html.ts'
import { jsonOf } from './json.ts'
import { checkOptions, type FastifyPortalOptions, PORTAL_FEATURES } from './options.ts'

const JSON_MEDIA_TYPE = 'application/json; charset=utf-8'

/**
 * Hidden from the host's OpenAPI document. `config.integrations` shows the host's guards who may call the route, as on the
 * routes of `fastifyIntegrations`.
 */
function routeFor(access: 'public' | 'member'): { config: object; schema: object } {
  return { config: { integrations: { access }, swaggerTransform: false }, schema: { hide: true } }
}

async function plugin(fastify: FastifyInstance, options: FastifyPortalOptions): Promise<void> {
  checkOptions(options)
  const { brand, resolveSession } = options
  const theme = themeRule(':root:root:has(#portal)', brand ?? {})
  const themed = theme === null ? null : await contentOf('theme.css', theme)
  const themeFile = themed === null ? null : fixedName('theme.css', themed)
  const html = pageHtml(settingsOf(fastify.prefix, options), {
    title: brand?.name ?? 'Integrations',
    themeFile,
  })

  const security = securityHeaders(options.frameAncestors)
  // The plugin's hooks run after the host's, so this policy overrides the host's headers.
  fastify.addHook('onSend', async (_, reply) => void reply.headers(security))

  const page = await contentOf('page.html', html)
  fastify.get('/', routeFor('public'), async (request, reply) => {
    const slash = slashed(request)
    if (slash !== null) return reply.redirect(slash)
    return send(request, reply, page, 'no-cache')
  })
  for (const [name, text] of Object.entries(files)) serve(`/${name}`, await contentOf(name, text), FIXED)
  if (themed !== null) serve(`/${themeFile}`, themed, FIXED)
  serve('/element.js', await contentOf('element.js', element), 'no-cache')
  // A stable name, so that the host's own pages can use the style.
  serve('/style.css', await contentOf('style.css', files[style] ?? ''), 'no-cache')

  function serve(path: string, content: Content, cacheControl: string): void {
    fastify.get(path, routeFor('public'), async (request, reply) =>
      send(request, reply, content, cacheControl),
    )
  }

  if (resolveSession !== undefined) {
    fastify.get(
      '/organizations',
      { ...routeFor('member'), errorHandler: answerProblem },
      async (request, reply) => {
        const session = await readSession(() => resolveSession(request), {
          timeoutMs: SESSION_TIMEOUT_MS,
          logger: request.log,
        })
        if (session === null) throw new IntegrationError('SESSION_REQUIRED')
        const organizations = session.organizations.map((each) => ({ id: each.id, name: nameOf(each) }))
        return reply.header('cache-control', 'no-store').type(JSON_MEDIA_TYPE).send(jsonOf(organizations))
      },
    )
  }
}

/** A host's sessions may name their organizations. */
function nameOf(organization: { id: string; name?: string | undefined }): string | null {
  return organization.name ?? null
}

/**
 * The address with a trailing slash if the page was requested without one, because relative addresses need it. Relative
 * to the browser's address, whatever a proxy or `rewriteUrl` made of it.
 */
function slashed({ originalUrl }: FastifyRequest): string | null {
  const [path = '', ...search] = originalUrl.split('?')
  if (path.endsWith('/')) return null
  const last = path.slice(path.lastIndexOf('/') + 1)
  return `./${last}/${search.length === 0 ? '' : `?${search.join('?')}`}`
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
  cacheControl: string,
): FastifyReply {
  const { status, headers, body } = contentAnswer(content, cacheControl, request.headers)
  return reply.code(status).headers(headers).send(body)
}

/** The settings for the page: nothing secret, and no one's data. */
function settingsOf(prefix: string, options: FastifyPortalOptions): object {
  const { integrations, apiPrefix = '', brand, resolveSession, readOnly = false } = options
  const { signInUrl, signOutUrl, homeUrl, apiReferenceUrl, locale, messages } = options
  const { features = PORTAL_FEATURES } = options
  const { productName, delivery } = integrations.settings
  const depth = prefix.split('/').filter((part) => part !== '').length
  const root = depth === 0 ? './' : '../'.repeat(depth)
  return {
    apiUrl: `${root}${apiPrefix.slice(1)}${apiPrefix === '' ? '' : '/'}`,
    ...(resolveSession === undefined ? {} : { organizationsUrl: './organizations' }),
    signInUrl,
    signOutUrl,
    homeUrl,
    apiReferenceUrl,
    locale,
    messages,
    readOnly,
    features,
    productName,
    brand: { name: brand?.name ?? '', logo: brand?.logo },
    maxAttempts: delivery.maxAttempts,
    timeoutMs: delivery.timeoutMs,
  }
}

/** Its own policy: nothing inline, no eval, nothing from other origins. */
function securityHeaders(frameAncestors: readonly string[] = ["'self'"]): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  }
}

/**
 * The portal: screens for the members of an organization, as a page at the prefix. Encapsulated: it does not affect the
 * host's routes.
 * @throws ConfigurationError at startup, for an option that is missing or invalid
 */
export const fastifyPortal: typeof plugin = Object.assign(plugin, {
  // What the package fastify-plugin sets. Front ends install this package for the element alone, so it has no dependencies.
  [Symbol.for('fastify.display-name')]: '@quickquote/portal',
  [Symbol.for('plugin-meta')]: { name: '@quickquote/portal', fastify: '^5.1.0' },
})
