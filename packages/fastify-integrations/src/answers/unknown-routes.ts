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

  /** The methods of a path. A fixed path is not one with a parameter (`/events` is no `/:id`). */
  function methodsOf(path: string): string[] {
    const matching = patterns.filter(({ pattern }) => pattern.test(path))
    const fixed = matching.filter(({ url }) => !url.includes(':'))
    return withHead((fixed.length > 0 ? fixed : matching).map(({ method }) => method))
  }

  /** @param path below the area. Default: that of the request's wildcard */
  const refuse = (path?: string) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { '*': rest } = request.params as { '*'?: string }
    const allowed = methodsOf(path ?? (rest === undefined ? '' : `/${rest}`))
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
  // Runs before the body is read: its content does not matter.
  const refused = (url: string, path?: string) => {
    const handler = refuse(path)
    return { url, config, schema: { hide: true }, preParsing: handler, handler }
  }
  for (const url of ['', '/*']) {
    const taken = url === '' ? methodsOf('') : []
    const method = fastify.supportedMethods.filter((each) => each !== 'OPTIONS' && !taken.includes(each))
    fastify.route({ ...refused(url), method })
    fastify.route({ ...refused(url), method: 'OPTIONS', constraints: NO_PREFLIGHT })
  }
  // Beside a path with a parameter, whose other methods it would get.
  for (const path of new Set(
    routes.map(({ url }) => url).filter((url) => url !== '' && !url.includes(':')),
  )) {
    const all = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    const method = withHead(all).filter((each) => !methodsOf(path).includes(each))
    if (method.length > 0) fastify.route({ ...refused(path, path), method })
  }
  fastify.setNotFoundHandler(refuse())
}

function withHead(methods: readonly string[]): string[] {
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}

function patternOf(url: string, flags: string): RegExp {
  return new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`, flags)
}
