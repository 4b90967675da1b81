import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { PROBLEM_MEDIA_TYPE, version } from '@quickquote/core/internal'
import type { ApiDocsOptions, PluginSettings, SessionScheme } from '../options.ts'
import { introductionTo } from './introduction.ts'
import { mapValues } from './openapi-shape.ts'
import { EVENTS_TAG } from './openapi-webhooks.ts'

/** Marks our documents among the host's. */
const ownInfos = new WeakSet<object>()

/** Whether @fastify/swagger is generating our document, and not the host's. */
export function isOwnDocument(context: object): boolean {
  const { openapiObject } = context as { openapiObject?: { info?: object } }
  return openapiObject?.info !== undefined && ownInfos.has(openapiObject.info)
}

/** The parts of the document that do not come from the route table. */
export function openapiFrame(
  { integrations, publicUrl }: PluginSettings,
  { sessionScheme, title, description, license }: Required<ApiDocsOptions>,
): NonNullable<FastifyDynamicSwaggerOptions['openapi']> {
  const info = {
    title,
    version,
    description: `${description}\n\n${introductionTo(integrations.settings)}`,
    ...(license !== null && { license }),
  }
  ownInfos.add(info)
  return {
    openapi: '3.1.0',
    info,
    servers: [publicUrl === null ? { url: '/', description: 'This server.' } : { url: publicUrl }],
    tags: [
      { name: 'Connection', description: 'For partners, with an API key.' },
      { name: 'Quick Quotes', description: 'For partners, with an API key.' },
      { name: 'Proposals', description: 'For partners, with an API key.' },
      { name: 'API keys', description: 'For members of an organization, with their session.' },
      {
        name: 'Webhooks',
        description:
          'For members with `manage_integrations`, with their session; for looking, `view_integrations` is enough.',
      },
      { name: 'Members', description: 'The signed-in member.' },
      { name: 'Audit log', description: 'For members with `view_integrations`, with their session.' },
      { name: EVENTS_TAG, description: 'Events are sent to the webhook endpoints that subscribe to them.' },
    ],
    components: { securitySchemes: securitySchemes(sessionScheme) },
  }
}

/** By the names that our routes use. */
export function securitySchemes(session: SessionScheme): Record<string, SessionScheme> {
  return {
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'An API key of the organization. Never send it in the URL.',
    },
    session,
  }
}

type Json = null | boolean | number | string | Json[] | JsonObject
interface JsonObject {
  [name: string]: Json
}

/** Marks an optional body: @fastify/swagger declares every body as required. */
export const BODY_IS_OPTIONAL = 'x-body-is-optional'

/** Improves the output of @fastify/swagger for readers and generators: repeated parts move to `components`. */
export function finishDocument(document: object): object {
  const schemas = sharedParts<JsonObject>()
  const named: unknown = nameSchemas(JSON.parse(JSON.stringify(document)), schemas)
  const { paths, components, ...rest } = named as PlainDocument
  const shared: Shared = { headers: sharedParts(), examples: {}, responses: sharedParts() }
  const finished = mapValues(paths, (path) =>
    mapValues(path, (operation) => finishOperation(operation, shared)),
  )
  const { headers, examples, responses } = shared
  return {
    ...rest,
    paths: finished,
    components: {
      ...components,
      schemas: schemas.parts,
      headers: headers.parts,
      examples,
      responses: responses.parts,
    },
  }
}

interface PlainDocument {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: object
}

interface Operation {
  readonly [BODY_IS_OPTIONAL]?: true
  readonly requestBody?: object
  readonly responses: Record<string, Response>
}

interface Response {
  readonly headers?: Record<string, object>
  readonly content?: Record<string, { readonly examples?: Record<string, object> }>
}

interface Shared {
  readonly headers: SharedParts<object>
  readonly examples: Record<string, object>
  readonly responses: SharedParts<Response>
}

function finishOperation({ [BODY_IS_OPTIONAL]: isOptional, ...operation }: Operation, shared: Shared) {
  return {
    ...operation,
    ...(isOptional ? { requestBody: { ...operation.requestBody, required: false } } : {}),
    responses: mapValues(operation.responses, (response) =>
      shareProblem(shareHeaders(response, shared), shared),
    ),
  }
}

/** Shares responses with a single code and the same headers, and the examples of all codes. */
function shareProblem(response: Response, shared: Shared): object {
  const media = response.content?.[PROBLEM_MEDIA_TYPE]
  if (media?.examples === undefined) return response
  Object.assign(shared.examples, media.examples)
  const examples = mapValues(media.examples, (_, code) => ({ $ref: `#/components/examples/${code}` }))
  const problem = { ...response, content: { [PROBLEM_MEDIA_TYPE]: { ...media, examples } } }
  const [code, ...others] = Object.keys(examples)
  if (code === undefined || others.length > 0) return problem
  return { $ref: `#/components/responses/${shared.responses.nameOf(code, problem)}` }
}

function shareHeaders(response: Response, { headers }: Shared): Response {
  if (response.headers === undefined) return response
  const refer = (header: object, name: string) => ({
    $ref: `#/components/headers/${headers.nameOf(name, header)}`,
  })
  return { ...response, headers: mapValues(response.headers, refer) }
}

interface SharedParts<T> {
  readonly parts: Record<string, T>
  /** The name of a shared part: `name`, or with a number if others have it. */
  nameOf(name: string, part: T): string
}

function sharedParts<T extends object>(): SharedParts<T> {
  const parts: Record<string, T> = {}
  const named = new Map<string, Map<string, string>>()
  return {
    parts,
    nameOf(name, part) {
      const known = named.get(name) ?? new Map<string, string>()
      named.set(name, known)
      const text = JSON.stringify(part)
      const own = known.get(text) ?? (known.size === 0 ? name : `${name}_${known.size + 1}`)
      known.set(text, own)
      parts[own] ??= part
      return own
    },
  }
}

/** Moves titled schemas to `schemas`, in place, so that generators use their names. */
function nameSchemas(node: Json, schemas: SharedParts<JsonObject>): Json {
  if (typeof node !== 'object' || node === null) return node
  const parent = node as JsonObject
  for (const name of Object.keys(parent)) parent[name] = nameSchemas(parent[name] as Json, schemas)
  const { title } = parent
  if (typeof title !== 'string' || parent['properties'] === undefined) return node
  if (schemas.nameOf(title, parent) !== title) throw new Error(`Two schemas are called ${title}`)
  return { $ref: `#/components/schemas/${title}` }
}
