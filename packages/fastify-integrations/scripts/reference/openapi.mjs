import { createIntegrations } from '@quickquote/core'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import Fastify from 'fastify'
import openapiTypes, { astToString } from 'openapi-typescript'
import ts from 'typescript'

/**
 * What the plugin has with its default options: the document that it serves at /api-docs/json, who may call each route and
 * which limit it has of its own (by `METHOD /path`), and its settings.
 */
export async function readService() {
  const app = Fastify()
  const access = new Map()
  app.addHook('onRoute', ({ method, url, config }) => {
    const path = url.replaceAll(/:(\w+)/g, '{$1}')
    for (const each of [method].flat()) access.set(`${each} ${path}`, config?.integrations)
  })
  const integrations = createIntegrations({
    // Nothing connects: the document is made of the route table alone.
    storage: drizzleStorage({ connectionString: 'postgres://127.0.0.1:1/nowhere' }),
    encryptionKeys: [{ id: 'none', key: Buffer.alloc(32) }],
    pipeline: { async start() {}, async signDocumentUrl() {} },
  })
  await app.register(fastifyIntegrations, { integrations, resolveSession: () => null })
  const answer = await app.inject('/api-docs/json')
  await app.close()
  await integrations.close()
  return { document: answer.json(), access, settings: integrations.settings }
}

/** A file is text in JSON, so generators take it for a string. */
function transform({ format }) {
  return format === 'binary' ? ts.factory.createTypeReferenceNode('Blob') : undefined
}

/** The types of the client in test/typed-client.test.ts. */
export async function clientTypes({ document }) {
  // Fields that have a default may be left out; an object without fields is one of any.
  const options = { transform, defaultNonNullable: false, emptyObjectsUnknown: true }
  return astToString(await openapiTypes(document, options))
}

/** The types of `@quickquote/client`: the routes that an API key opens, and what they refer to. */
export function partnerTypes({ document: { openapi, info, components, ...document } }) {
  const paths = Object.fromEntries(
    Object.entries(document.paths).filter(([path]) => path.startsWith('/v1/integrations/')),
  )
  return clientTypes({ document: { openapi, info, paths, components: referred(paths, components) } })
}

/** The components that `part` refers to, directly or not. */
function referred(part, components) {
  const found = {}
  const collect = (each) => {
    for (const [, kind, name] of JSON.stringify(each).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      if (found[kind]?.[name] !== undefined) continue
      const component = components[kind][name]
      found[kind] = { ...found[kind], [name]: component }
      collect(component)
    }
  }
  collect(part)
  return found
}

/** An example of each event, for `trigger` of `@quickquote/client`. */
export function eventExamples({ document }) {
  const examples = Object.values(document.webhooks).map(
    ({ post }) => post.requestBody.content['application/json'].examples.example.value,
  )
  return `// Generated from the OpenAPI document.\nexport const EXAMPLES = ${JSON.stringify(examples, null, 2)} as const\n`
}
