import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { json, useHostMatrix } from './matrix.ts'

const beside = useHostMatrix()

const documented =
  (options: object = {}) =>
  async (app: FastifyInstance): Promise<void> => {
    await app.register(swagger, {
      openapi: { openapi: '3.0.3', info: { title: 'Of the host', version: '1' } },
      ...options,
    })
    await app.register(swaggerUi, { routePrefix: '/documentation' })
  }

const own = [
  { method: 'GET', path: '/documentation', expected: { status: 200 } },
  { method: 'GET', path: '/documentation/static/swagger-ui.css', expected: { status: 200 } },
  {
    method: 'GET',
    path: '/documentation/json',
    expected: { status: 200, body: expect.stringContaining('Of the host') },
  },
]

beside('its own @fastify/swagger and swagger-ui, registered before', { before: documented(), own })
beside('its own @fastify/swagger and swagger-ui, registered after', { after: documented(), own })

beside(
  '@fastify/swagger that also shows our routes',
  { before: documented(), plugin: { inHostDocument: true }, own: own.slice(0, 2) },
  (row) => {
    it('documents all our routes beside its own', async () => {
      const { body } = await row.host.call('GET', '/documentation/json')
      const paths = Object.keys(body['paths'] as object)
      expect(paths).toEqual(expect.arrayContaining([...Object.keys(row.host.openapi.paths), '/host/answer']))
      expect(Object.keys(row.host.openapi.paths)).not.toContain('/host/answer')
      expect(paths.filter((path) => path.startsWith('/portal'))).toEqual([])
    })
  },
)

const zodRoutes = (app: FastifyInstance) => {
  app.get('/host/answer', { schema: { response: { 200: z.object({ shown: z.string() }) } } }, async () => ({
    shown: 'a',
    hidden: 'b',
  }))
  app.post('/host/body', { schema: { body: z.object({ count: z.coerce.number() }) } }, async (request) => ({
    got: request.body,
  }))
}
const withZod = async (app: FastifyInstance) => {
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  await documented({ transform: jsonSchemaTransform })(app)
}
const zodOwn = [...own, json('/host/body', '{"count":"5"}', { body: '{"got":{"count":5}}' })]

for (const when of ['before', 'after'] as const) {
  beside(`a document made of zod schemas, registered ${when}`, {
    [when]: withZod,
    schemaRoutes: zodRoutes,
    own: zodOwn,
  })
}
beside('a document of zod schemas that also shows our routes', {
  before: withZod,
  plugin: { inHostDocument: true },
  schemaRoutes: zodRoutes,
  own: zodOwn.filter(({ path }) => !path.endsWith('/json')),
})
