import { IntegrationError } from '@quickquote/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { leavePreflightsToHost, NO_PREFLIGHT } from '../auth/preflight.ts'
import { type Access, type Area, UNDOCUMENTED } from '../route.ts'

/**
 * Answers everything else: 405 with `Allow` for a known path, otherwise 404. These are routes, and not just a not-found
 * handler, so that no route of the host (`/*`, or OPTIONS of `*`) captures paths below our prefixes. The handler is for
 * methods without routes in Fastify.
 */
export function refuseUnknownRoutes(fastify: FastifyInstance, { kind, routes }: Area): void {
  const { routerOptions, caseSensitive } = fastify.initialConfig
  const flags = (routerOptions?.caseSensitive ?? caseSensitive) === false ? 'i' : ''
  const patterns = routes.map(({ url, method }) => ({ url, method, pattern: patternOf(url, flags) }))

  async function refuse(request: FastifyRequest, reply: FastifyReply): Promise<never> {
    const rest = (request.params as { '*'?: string })['*']
    const path = rest === undefined ? '' : `/${rest}`
    const allowed = withHead(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))
    if (allowed.length === 0) throw new IntegrationError('ROUTE_NOT_FOUND')
    // The router does not match overlong parameters.
    if (allowed.includes(request.method))
      throw new IntegrationError('MALFORMED_REQUEST', 'A part of the path is too long.')
    reply.header('allow', allowed.join(', '))
    throw new IntegrationError('METHOD_NOT_ALLOWED')
  }

  const access: Access = kind === 'partner' ? 'api_key' : 'member'
  leavePreflightsToHost(fastify)
  const config = { integrations: { access }, ...UNDOCUMENTED }
  for (const url of ['', '/*']) {
    const taken = withHead(routes.filter((route) => route.url === url).map(({ method }) => method))
    const method = fastify.supportedMethods.filter((each) => each !== 'OPTIONS' && !taken.includes(each))
    // Runs before the body is read: its content does not matter.
    const refused = { url, config, schema: { hide: true }, preParsing: refuse, handler: refuse }
    fastify.route({ ...refused, method })
    fastify.route({ ...refused, method: 'OPTIONS', constraints: NO_PREFLIGHT })
  }
  fastify.setNotFoundHandler(refuse)
}

function withHead(methods: readonly string[]): string[] {
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}

function patternOf(url: string, flags: string): RegExp {
  return new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`, flags)
}
