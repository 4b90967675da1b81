import { readFileSync } from 'node:fs'
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { ERRORS } from '@quickquote/core'
import { openapiWebhooks } from './openapi-webhooks.ts'
import type { PluginSettings, SessionScheme } from './options.ts'

const packageJson = new URL('../package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(packageJson, 'utf8')) as { version: string }

const INFO = {
  title: 'Quick Quote integrations',
  version,
  description: [
    'Start and read Quick Quotes from another system, and be told by webhooks how they go.',
    '',
    'Errors are problem documents (RFC 9457) with a stable `code`. A path that does not exist is answered with',
    `${ERRORS.ROUTE_NOT_FOUND.status} \`ROUTE_NOT_FOUND\`, a method that a path does not take with`,
    `${ERRORS.METHOD_NOT_ALLOWED.status} \`METHOD_NOT_ALLOWED\`. Fields that are not documented are ignored.`,
  ].join('\n'),
}

/** Whether @fastify/swagger is writing our document, or one of the host's. */
export function isOwnDocument(context: object): boolean {
  const { openapiObject } = context as { openapiObject?: { info?: unknown } }
  return openapiObject?.info === INFO
}

/** All of the document that does not come from the route table. */
export function openapiFrame(
  { integrations }: PluginSettings,
  sessionScheme: SessionScheme,
): NonNullable<FastifyDynamicSwaggerOptions['openapi']> {
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/', description: 'The server of this document.' }],
    tags: [
      { name: 'Quick Quotes', description: 'For partners, with an API key.' },
      { name: 'Proposals', description: 'For partners, with an API key.' },
      { name: 'API keys', description: 'For members of an organization, with their session.' },
      { name: 'Webhooks', description: 'For holders of `manage_integrations`, with their session.' },
    ],
    webhooks: openapiWebhooks(integrations.settings.productName),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'A key of the organization. Never in the URL.',
        },
        session: sessionScheme,
      },
    },
  }
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Marks an operation whose body may be left out: @fastify/swagger takes every body for required. */
export const BODY_IS_OPTIONAL = 'x-body-is-optional'

/** What @fastify/swagger wrote, in the form that readers and generators want. */
export function finishDocument(document: object): object {
  const plain = nameSchemas(JSON.parse(JSON.stringify(document)))
  for (const operation of Object.values(plain.paths ?? {}).flatMap((path) => Object.values(path))) {
    if (!operation[BODY_IS_OPTIONAL]) continue
    delete operation[BODY_IS_OPTIONAL]
    operation['requestBody'] = { ...(operation['requestBody'] as object), required: false }
  }
  return plain
}

interface PlainDocument {
  readonly paths?: Record<string, Record<string, { [name: string]: Json }>>
  readonly components: { schemas?: { [name: string]: Json } }
}

/** Moves every schema that has a title to `components.schemas`, so that its name is seen. */
function nameSchemas(document: { [name: string]: Json }): PlainDocument {
  const schemas: { [name: string]: Json } = {}
  const named = replaceNamed(document, schemas) as unknown as PlainDocument
  named.components.schemas = { ...named.components.schemas, ...schemas }
  return named
}

function replaceNamed(node: Json, schemas: { [name: string]: Json }): Json {
  if (Array.isArray(node)) return node.map((each) => replaceNamed(each, schemas))
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, replaceNamed(value, schemas)]),
  )
  if (typeof copy['title'] !== 'string' || copy['properties'] === undefined) return copy
  schemas[copy['title']] = copy
  return { $ref: `#/components/schemas/${copy['title']}` }
}
