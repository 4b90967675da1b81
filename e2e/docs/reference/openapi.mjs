import { createIntegrations } from '@quickquote/core'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify from 'fastify'
import openapiTypes, { astToString } from 'openapi-typescript'
import ts from 'typescript'

/**
 * The plugin with its default options: the documents that it serves, the whole one also without references, the catalog of
 * events, its settings, and the access and limit of each route (by `METHOD /path`).
 */
export async function readService() {
  const app = Fastify()
  const access = new Map()
  app.addHook('onRoute', ({ method, url, config }) => {
    const path = url.replaceAll(/:(\w+)/g, '{$1}')
    for (const each of [method].flat()) access.set(`${each} ${path}`, config?.integrations)
  })
  const integrations = createIntegrations({
    // Never connects: the document comes from the route table.
    storage: drizzleStorage({ connectionString: 'postgres://127.0.0.1:1/nowhere' }),
    encryptionKeys: [{ id: 'none', key: Buffer.alloc(32) }],
    pipeline: { async start() {}, async signDocumentUrl() {} },
  })
  await app.register(fastifyIntegrations, { integrations, resolveSession: () => null })
  const at = async (path) => (await app.inject(path)).json()
  const document = await at('/api-docs/json')
  const documents = {
    partners: await at('/api-docs/partners/json'),
    members: await at('/api-docs/members/json'),
  }
  await app.close()
  await integrations.close()
  const resolved = new Validator().resolveRefs({ specification: structuredClone(document) })
  const catalog = Object.entries(document.webhooks).map(([type, { post }]) => {
    const { value } = post.requestBody.content['application/json'].examples.example
    return { type, description: post.summary, example: value }
  })
  return { document, resolved, documents, catalog, access, settings: integrations.settings }
}

/** Without this, generators treat a file as a string. */
function transform({ format }) {
  return format === 'binary' ? ts.factory.createTypeReferenceNode('Blob') : undefined
}

/** The types of a document for openapi-fetch, without webhooks. */
export async function typesOf({ webhooks: _, ...document }) {
  // Fields with a default are optional; an object without fields may have any.
  const options = { transform, defaultNonNullable: false, emptyObjectsUnknown: true }
  return astToString(await openapiTypes(document, options))
}

/** An example of each event, for `trigger` of `@quickquote/client`. */
export function eventExamples({ catalog }) {
  const examples = catalog.map(({ example }) => example)
  return `// Generated from the OpenAPI document.\nexport const EXAMPLES = ${JSON.stringify(examples, null, 2)} as const\n`
}
