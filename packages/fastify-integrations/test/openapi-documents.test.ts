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
    ['OpenAPI 3.1', { openapi: { openapi: '3.1.0' } }, 11],
    ['OpenAPI 3.0', { openapi: { openapi: '3.0.3' } }, 11],
    [
      'OpenAPI with a path of the host',
      { openapi: { paths: { '/own': { summary: '', parameters: [] } } } },
      11,
    ],
    // Without the form, whose fields are parameters there.
    ['Swagger 2.0', { swagger: {} }, 10],
  ])('in the form of %s says which bodies are optional', async (_, options, count) => {
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
    expect(withBody).toHaveLength(count)
    expect(withBody.filter(([, required]) => required !== true)).toEqual([
      ['checkWebhookReceiver', false],
      ['rotateWebhookSecret', false],
    ])
    for (const text of [JSON.stringify(paths), app.swagger({ yaml: true })])
      expect(text).not.toContain('x-body')
  })

  it('in the form of Swagger 2.0 has its schemas where that version has them', async () => {
    const app = await openApp({ inHostDocument: true }, { before: (host) => host.register(swagger) })
    await app.ready()
    const document = app.swagger() as unknown as OpenApiDocument
    const start = document.paths['/v1/integrations/quotations']?.['post']
    expect(start).toMatchObject({
      consumes: ['application/json'],
      parameters: [{ in: 'body', schema: { title: 'StartQuotation', type: 'object' } }, { in: 'header' }],
      responses: {
        202: { schema: { type: 'object', properties: {} } },
        400: { schema: { allOf: [{}, {}] } },
      },
    })
    expect(JSON.stringify(document)).not.toMatch(/"(?:content|anyOf|nullable|examples)":/)
    expect((await new Validator().validate(structuredClone({ ...document }))).errors).toBeUndefined()
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
    const anything = Type.Unsafe<typeof like>({
      default: like,
      enum: [like, { title: 'Other', properties: {} }],
      examples: [like],
    })
    const data = Type.Object({
      form: anything,
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

  it('has schemas without titles, which may have the same names as our own', async () => {
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

const DOCUMENTS = ['/json', '/yaml', '/openapi-3.0.json', '/llms.txt', '/partners/openapi-3.0.json']
const PATHS = ['', '/partners', '/members', '/partners/json', '/members/json', ...DOCUMENTS]

describe('the documentation', () => {
  it('is the same for all who ask for it at the first moment', async () => {
    const app = await openApp()
    const get = (path: string) => app.inject(`/api-docs${path}`)
    const first = await Promise.all([...PATHS, ...PATHS].map(get))
    const later = await Promise.all(PATHS.map(get))
    expect(first.map(({ statusCode }) => statusCode)).toEqual(first.map(() => 200))
    expect(first.map(({ body }) => body)).toEqual([...later, ...later].map(({ body }) => body))
  })

  it('is made although the app is closed meanwhile', async () => {
    const app = await openApp()
    await app.ready()
    const asked = PATHS.map((path) => app.inject(`/api-docs${path}`))
    await app.close()
    const statuses = (await Promise.all(asked)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
  })

  it.each(['/', '/p/', '/p'])('leads to its documents below the prefix %s', async (prefix) => {
    const app = await openApp({ prefix })
    const text = (await app.inject(`${prefix.replace(/\/$/, '')}/api-docs/llms.txt`)).body
    const links = [...text.matchAll(/\]\((.*?)\)/g)].map(([, link]) => String(link))
    expect(links).toHaveLength(4)
    for (const link of links) expect([link, (await app.inject(link)).statusCode]).toEqual([link, 200])
    const [, route = ''] = /`GET (.*?\/me)`/.exec(text) ?? []
    expect((await app.inject(route)).statusCode).toBe(401)
  })

  it('of two registrations in one app does not mix', async () => {
    const optionsOf = (name: string) => ({
      prefix: `/${name}`,
      publicUrl: `https://${name}.example`,
      apiDocs: { title: `Docs of ${name}`, brand: { name, tokens: { primary: `#${name}` } } },
    })
    const app = await openApp(optionsOf('aaa'), { productName: 'Aaa' })
    await app.register(fastifyIntegrations, {
      ...optionsOf('bbb'),
      integrations: integrationsOn(NOWHERE, { productName: 'Bbb' }),
      resolveSession: () => null,
    })
    const ask = async (name: string, path: string) => (await app.inject(`/${name}/api-docs${path}`)).body
    const asked = ['aaa', 'bbb'].map((name) => Promise.all(PATHS.map((path) => ask(name, path))))
    for (const [index, bodies] of (await Promise.all(asked)).entries()) {
      const [own, other] = index === 0 ? ['aaa', 'bbb'] : ['bbb', 'aaa']
      for (const body of bodies) {
        expect(body).toContain(`Docs of ${own}`)
        const others = [`docs of ${other}`, `/${other}/`, `//${other}`, `x-${other}-`]
        expect(others.filter((text) => body.toLowerCase().includes(text))).toEqual([])
      }
      const [, style = ''] = /href="\.\/api-docs(.*?css)"/.exec(String(bodies[0])) ?? []
      expect(await ask(String(own), style)).toContain(`--primary: #${own};`)
      expect(await ask(String(other), style)).toContain('Not Found')
    }
  })
})
