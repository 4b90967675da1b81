import type { FastifyInstance, RouteOptions } from 'fastify'
import { once } from './once.ts'

/** A route as @fastify/swagger sees it. */
export type DocumentedRoute = Pick<RouteOptions, 'method' | 'url' | 'config'>

/**
 * @fastify/swagger documents the routes when somebody first asks, in an app of its own: with its YAML parser it takes 40 ms
 * to load, which the start of a host need not wait for.
 * @param routes may still grow until then
 * @param documentOf makes the whole document of them
 */
export function swaggerWhenAsked(
  routes: readonly DocumentedRoute[],
  documentOf: (routes: { paths?: object }) => object,
): () => Promise<FastifyInstance['swagger']> {
  return once(async () => {
    const { default: createApp } = await import('fastify')
    const app = createApp()
    await app.register(import('@fastify/swagger'), {
      openapi: { openapi: '3.1.0' },
      transformObject: (made) => documentOf('openapiObject' in made ? made.openapiObject : {}),
    })
    for (const route of routes) app.route({ ...route, handler: async () => {} })
    await app.ready()
    return (app as FastifyInstance).swagger
  })
}
