import { isDeepStrictEqual } from 'node:util'
import { PROBLEM_MEDIA_TYPE, version } from '@quickquote/core/internal'
import {
  type ApiDocsOptions,
  DEFAULT_SESSION_SCHEME,
  type PluginSettings,
  type SessionScheme,
} from '../options.ts'
import { introductionTo } from './introduction.ts'
import { isTitledSchema, mapValues, type Operation, type Paths, type Response } from './openapi-shape.ts'
import { EVENTS_TAG, openapiWebhooks } from './openapi-webhooks.ts'

const TAGS = {
  Connection: 'For partners, with an API key.',
  'Quick Quotes': 'For partners, with an API key.',
  Proposals: 'For partners, with an API key.',
  'API keys': 'For members of an organization, with their session.',
  Webhooks:
    'For members with `manage_integrations`, with their session; for looking, `view_integrations` is enough.',
  Members: 'The signed-in member.',
  'Audit log': 'For members with `view_integrations`, with their session.',
  [EVENTS_TAG]: 'Events are sent to the webhook endpoints that subscribe to them.',
}

/**
 * The OpenAPI document. For readers and generators, repeated parts move to `components`.
 * @param routes as @fastify/swagger documents them
 */
export function openapiDocument(
  routes: { readonly paths?: object },
  settings: PluginSettings,
  { title, description, license }: Required<ApiDocsOptions>,
): object {
  const { integrations, publicUrl } = settings
  const shared: Shared = { schemas: {}, headers: {}, examples: {}, responses: {} }
  const share: Share = (kind, name, part) => {
    const own = nameOf(part, name, shared[kind])
    shared[kind][own] = part
    return { $ref: `#/components/${kind}/${own}` }
  }
  // Generators use the titles as names.
  const { paths, webhooks } = JSON.parse(
    JSON.stringify({ paths: routes.paths, webhooks: openapiWebhooks(integrations.settings) }),
    (_, node) => (isTitledSchema(node) ? share('schemas', node.title, node) : node),
  )
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: `${description}\n\n${introductionTo(integrations.settings)}`,
      ...(license !== null && { license }),
    },
    servers: [publicUrl === null ? { url: '/', description: 'This server.' } : { url: publicUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    webhooks,
    paths: mapValues(paths as Paths, (path) =>
      mapValues(path, (operation) => finishOperation(operation, share)),
    ),
    components: { securitySchemes: securitySchemes(settings), ...shared },
  }
}

/** Parts by kind and name. */
type Shared = Record<'schemas' | 'headers' | 'examples' | 'responses', Record<string, object>>

/** Moves a part of the document to `components`, and returns a reference to it. */
type Share = (kind: keyof Shared, name: string, part: object) => { readonly $ref: string }

/** The name that it has already, or the first free one: `Link`, then `Link_2`. */
function nameOf(part: object, name: string, parts: Readonly<Record<string, object>>): string {
  for (let count = 1; ; count += 1) {
    const own = count === 1 ? name : `${name}_${count}`
    if (parts[own] === undefined || isDeepStrictEqual(parts[own], part)) return own
  }
}

function finishOperation(documented: Operation & { [BODY_IS_OPTIONAL]?: true }, share: Share): object {
  const { [BODY_IS_OPTIONAL]: isOptional, ...operation } = documented
  return {
    ...operation,
    ...(isOptional && { requestBody: { ...operation.requestBody, required: false } }),
    responses: mapValues(operation.responses, (response) => shareResponse(response, share)),
  }
}

/** Shares the headers, the examples of all codes, and problems with a single code. */
function shareResponse({ headers, content, ...rest }: Response, share: Share): object {
  const response = { ...rest, headers: mapValues(headers, (header, name) => share('headers', name, header)) }
  const problem = content?.[PROBLEM_MEDIA_TYPE]
  if (problem === undefined) return { ...response, ...(content && { content }) }
  const examples = mapValues(problem.examples, (example, code) => share('examples', code, example))
  const shared = { ...response, content: { [PROBLEM_MEDIA_TYPE]: { ...problem, examples } } }
  const [code = '', ...others] = Object.keys(examples)
  return others.length > 0 ? shared : share('responses', code, shared)
}

/** Marks an optional body: @fastify/swagger declares every body as required. */
export const BODY_IS_OPTIONAL = 'x-body-is-optional'

/** By the names that our routes use. */
export function securitySchemes({ apiDocs }: PluginSettings): Record<'apiKey' | 'session', SessionScheme> {
  return {
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'An API key of the organization. Never send it in the URL.',
    },
    session: apiDocs?.sessionScheme ?? DEFAULT_SESSION_SCHEME,
  }
}
