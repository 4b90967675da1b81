import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { once } from './once.ts'

/** The OpenAPI document, as an object or YAML. */
export type Swagger = FastifyInstance['swagger']

/**
 * Collects the routes registered after this. @fastify/swagger documents them when somebody first asks, in an app of its
 * own: with its YAML parser it takes 40 ms to load, which the start of a host need not wait for.
 */
export function swaggerWhenAsked(
  fastify: FastifyInstance,
  options: () => FastifyDynamicSwaggerOptions,
): () => Promise<Swagger> {
  const routes: RouteOptions[] = []
  fastify.addHook('onRoute', (route) => void routes.push(route))

  return once(async () => {
    const [{ default: createApp }, { default: swagger }] = await Promise.all([
      import('fastify'),
      import('@fastify/swagger'),
    ])
    const app = createApp({ exposeHeadRoutes: false })
    app.setValidatorCompiler(() => () => true)
    app.setSerializerCompiler(() => JSON.stringify)
    await app.register(swagger, options())
    for (const { method, url, schema, config } of routes.filter(isDocumented))
      app.route({
        method,
        url,
        ...(schema && { schema }),
        ...(config && { config }),
        handler: async () => {},
      })
    await app.ready()
    return (app as FastifyInstance).swagger
  })
}

function isDocumented({ config }: RouteOptions): boolean {
  return config?.swaggerTransform !== undefined && config.swaggerTransform !== false
}
