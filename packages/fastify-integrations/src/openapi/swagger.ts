import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { once } from './once.ts'

/** The OpenAPI document, as an object or YAML. */
export type Swagger = FastifyInstance['swagger']

/** A route as @fastify/swagger sees it. */
export type DocumentedRoute = Pick<RouteOptions, 'method' | 'url' | 'config'>

/**
 * @fastify/swagger documents the routes when somebody first asks, in an app of its own: with its YAML parser it takes 40 ms
 * to load, which the start of a host need not wait for.
 * @param routes may still grow until then
 */
export function swaggerWhenAsked(
  routes: readonly DocumentedRoute[],
  options: () => FastifyDynamicSwaggerOptions,
): () => Promise<Swagger> {
  return once(async () => {
    const [{ default: createApp }, { default: swagger }] = await Promise.all([
      import('fastify'),
      import('@fastify/swagger'),
    ])
    const app = createApp()
    await app.register(swagger, options())
    for (const route of routes) app.route({ ...route, handler: async () => {} })
    await app.ready()
    return (app as FastifyInstance).swagger
  })
}
