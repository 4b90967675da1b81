import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { mapValues } from '../../src/openapi/openapi-shape.ts'
import type { OpenApiDocument } from '../support/openapi-check.ts'
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

    it('is OpenAPI 3.0, like the rest of its document', async () => {
      const { body } = await row.host.call('GET', '/documentation/json')
      const { valid, errors } = await new Validator().validate(structuredClone(body))
      expect(errors ?? []).toEqual([])
      expect(valid).toBe(true)
      expect(JSON.stringify(body['paths'])).not.toMatch(/"const":|"type":\[/)
    })

    it('has the security schemes of our routes', async () => {
      const { body } = await row.host.call('GET', '/documentation/json')
      const { paths, components } = body as unknown as OpenApiDocument
      expect(components.securitySchemes).toMatchObject({
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
      })
      for (const [path, operations] of Object.entries(row.host.openapi.paths)) {
        expect(paths[path]).toMatchObject(mapValues(operations, ({ security }) => ({ security })))
      }
    })
  },
)

const bearer = { type: 'http', scheme: 'bearer' } as const
const ownSchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Own-Key' },
  session: { ...bearer, description: 'Of the host.' },
} as const
const plugin = { inHostDocument: true, apiDocs: { sessionScheme: bearer } }

beside(
  '@fastify/swagger with security schemes of its own',
  {
    before: documented({
      openapi: {
        openapi: '3.0.3',
        info: { title: 'Of the host', version: '1' },
        components: { securitySchemes: ownSchemes },
        security: [{ apiKey: [] }],
      },
    }),
    plugin,
    own: own.slice(0, 2),
  },
  (row) => {
    it('keeps them: ours get another name, unless they are the same', async () => {
      const { body } = await row.host.call('GET', '/documentation/json')
      const { paths, components } = body as unknown as OpenApiDocument
      expect(components.securitySchemes).toEqual({
        ...ownSchemes,
        quickquote_apiKey: expect.objectContaining({ name: 'X-API-Key' }),
      })
      expect(paths['/v1/integrations/quotations']?.['get']?.security).toEqual([{ quickquote_apiKey: [] }])
      expect(paths['/v1/organizations/{organizationId}/webhooks']?.['get']?.security).toEqual([
        { session: [] },
      ])
    })
  },
)

beside('@fastify/swagger in the form of Swagger 2.0', {
  before: documented({ openapi: undefined, swagger: { info: { title: 'Of the host', version: '1' } } }),
  plugin,
  own: own.slice(0, 2),
})

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
