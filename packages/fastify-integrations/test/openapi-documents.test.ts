import swagger from '@fastify/swagger'
import { defineEvents } from '@quickquote/core'
import { Type } from '@quickquote/core/typebox'
import { integrationsOn, NOWHERE, type TestOptions } from '@quickquote/dev-servers/host'
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type FastifyIntegrationsOptions, fastifyIntegrations } from '../src/index.ts'
import { operationsOf } from '../src/openapi/openapi-shape.ts'
import { type OpenApiDocument, openApiCheck } from './support/openapi-check.ts'

/** A host that needs no database, because nobody calls its API. */
async function openApp(
  plugin: Partial<FastifyIntegrationsOptions> & { prefix?: string } = {},
  { before, ...options }: TestOptions & { before?: (app: FastifyInstance) => unknown } = {},
) {
  const app = Fastify()
  await before?.(app)
  await app.register(fastifyIntegrations, {
    integrations: integrationsOn(NOWHERE, options),
    resolveSession: () => null,
    ...plugin,
  })
  onTestFinished(() => app.close())
  return app
}

const documentAt = async (app: FastifyInstance, url: string): Promise<OpenApiDocument> =>
  (await app.inject(url)).json()

describe('the document of a host', () => {
  it.each([
    ['OpenAPI 3.1', { openapi: { openapi: '3.1.0' } }],
    ['OpenAPI 3.0', { openapi: { openapi: '3.0.3' } }],
    [
      'OpenAPI with a path of the host',
      { openapi: { paths: { '/own': { summary: 'Own', parameters: [] } } } },
    ],
    ['Swagger 2.0', { swagger: {} }],
  ])('in the form of %s says which bodies are optional', async (_, options) => {
    const app = await openApp(
      { inHostDocument: true },
      { before: (host) => host.register(swagger, options as object) },
    )
    await app.ready()
    const { paths } = app.swagger() as unknown as OpenApiDocument
    const withBody = operationsOf(paths).flatMap(({ operationId, requestBody, parameters = [] }) => {
      const body = requestBody ?? parameters.find?.((parameter) => parameter.in === 'body')
      return body === undefined ? [] : [[operationId, body.required]]
    })
    expect(withBody).toHaveLength(11)
    expect(withBody.filter(([, required]) => required !== true)).toEqual([
      ['checkWebhookReceiver', false],
      ['rotateWebhookSecret', false],
    ])
    for (const text of [JSON.stringify(paths), app.swagger({ yaml: true })])
      expect(text).not.toContain('x-body')
  })

  it('in the form of Swagger 2.0 can have fields of forms instead of bodies', async () => {
    const options = { swagger: { consumes: ['multipart/form-data'] } }
    const app = await openApp({ inHostDocument: true }, { before: (host) => host.register(swagger, options) })
    await app.ready()
    expect(JSON.stringify(app.swagger())).not.toContain('x-body')
  })
})

/** Data that looks like a schema with a title. */
const like = { title: 'Quotation', properties: { const: 'a', type: ['string', 'null'] } }

describe('data of a host’s event', () => {
  it('stays as it is in every document, whatever it looks like', async () => {
    const any = Type.Unsafe<typeof like>({
      default: like,
      enum: [like, { title: 'Other', properties: {} }],
      examples: [like],
    })
    const data = Type.Object({
      form: any,
      same: Type.Unsafe<typeof like>({ const: like }),
      link: Type.String(),
    })
    const example = { form: like, same: like, link: '#/components/schemas/Nothing' }
    const events = defineEvents({ 'form.filled': { description: 'A form was filled.', data, example } })
    const app = await openApp({}, { events })
    const plain = await openApp()
    for (const url of ['/api-docs/json', '/api-docs/partners/json']) {
      const document = await documentAt(app, url)
      const { schemas } = (await documentAt(plain, url)).components
      expect(Object.keys(document.components.schemas)).toEqual(Object.keys(schemas))
      const content = document.webhooks['form.filled']?.post.requestBody?.content['application/json']
      expect(content).toMatchObject({
        schema: { allOf: [{}, { properties: { data: JSON.parse(JSON.stringify(data)) } }] },
        examples: { example: { value: { data: example } } },
      })
      expect((await new Validator().validate({ ...document })).errors).toBeUndefined()
    }
  })

  it('has schemas without titles, which may have the names of ours', async () => {
    const inner = Type.Object({ a: Type.Integer() }, { title: 'Problem' })
    const data = Type.Object(
      { title: Type.String(), properties: inner, example: inner, default: Type.Array(inner) },
      { title: 'Not a name/!', patternProperties: { '^x-': inner }, additionalProperties: false },
    )
    const values = { properties: { a: 1 }, example: { a: 2 }, default: [{ a: 3 }] }
    const example = { title: 'Quotation', ...values }
    const events = defineEvents({ 'form.filled': { description: 'A form was filled.', data, example } })
    const document = await documentAt(await openApp({}, { events }), '/api-docs/partners/json')
    const media = document.webhooks['form.filled']?.post.requestBody?.content['application/json']
    expect(JSON.stringify(media?.schema)).not.toMatch(/"title":"/)
    const { check, document: resolved } = openApiCheck(document)
    const { schema, examples } =
      resolved.webhooks['form.filled']?.post.requestBody?.content['application/json'] ?? expect.fail()
    check(schema, examples?.['example']?.value)
  })
})
