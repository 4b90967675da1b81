import { IntegrationError } from '@quickquote/core'
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import { apiKeyOf } from './partner-auth.ts'
import { Problem } from './problem.ts'
import type { Answer, Route } from './route.ts'
import { callerOf } from './session-auth.ts'

/** How a row looks in an OpenAPI document of @fastify/swagger: ours, or the host's. */
export type Documentation = (route: Route) => {
  readonly hide: boolean
  readonly swaggerTransform: NonNullable<FastifyContextConfig['swaggerTransform']>
}

/** Turns a row of the route table into a route of the scope, which has its authentication already. */
export function registerRoute(scope: FastifyInstance, route: Route, document: Documentation): void {
  const { hide, swaggerTransform } = document(route)
  const { status, schema } = route.answer
  scope.route({
    method: route.method,
    url: route.url,
    ...(route.method === 'GET' ? { exposeHeadRoute: true } : {}),
    config: {
      integrations: { access: route.access, limit: 'limit' in route ? route.limit : undefined },
      swaggerTransform,
    },
    // A schema for every status: what is not declared is never sent.
    schema: {
      hide,
      params: route.params,
      response: {
        ...(status === 204 ? {} : { [status]: schema, '2xx': schema }),
        '4xx': Problem,
        '5xx': Problem,
      },
    },
    async handler(request, reply) {
      if (route.body !== undefined && !route.bodyIsOptional && request.body === undefined) {
        throw new IntegrationError('MALFORMED_REQUEST', 'The body is empty.')
      }
      const { body, headers } = await handle(route, request)
      reply.code(status).headers({ ...headers })
      return body
    },
  })
}

function handle(route: Route, request: FastifyRequest): Promise<Answer<unknown>> {
  const { params, query, body } = request
  const call = { params, query, body, request }
  return route.access === 'api_key'
    ? route.handle({ ...call, apiKey: apiKeyOf(request) })
    : route.handle({ ...call, member: callerOf(request) })
}
