import { isDeepStrictEqual } from 'node:util'
import { ERRORS, type Settings } from '@quickquote/core'
import { PROBLEM_MEDIA_TYPE, version } from '@quickquote/core/internal'
import type { ApiDocsOptions, PluginSettings } from '../options.ts'
import { isTitledSchema, mapNodes, mapValues, type Operation, type Paths } from './openapi-shape.ts'
import { openapiWebhooks } from './openapi-webhooks.ts'

const TAGS = {
  Connection: 'For partners, with an API key.',
  'Quick Quotes': 'For partners, with an API key.',
  Proposals: 'For partners, with an API key.',
  'API keys': 'For members of an organization, with their session.',
  Webhooks:
    'For members with `manage_integrations`, with their session; for looking, `view_integrations` is enough.',
  Members: 'The signed-in member.',
  'Audit log': 'For members with `view_integrations`, with their session.',
  Events: 'Events are sent to the webhook endpoints that subscribe to them.',
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
  const components = { schemas: {}, headers: {}, examples: {}, responses: {} }
  const share: Share = (kind, name, part) => {
    const own = nameOf(part, name, components[kind])
    Object.assign(components[kind], { [own]: part })
    return { $ref: `#/components/${kind}/${own}` }
  }
  // Generators use the titles as names.
  const operations = JSON.stringify({ paths: routes.paths, webhooks: openapiWebhooks(integrations.settings) })
  const { paths, webhooks } = mapNodes(JSON.parse(operations), (node) =>
    isTitledSchema(node) ? share('schemas', node.title, node) : node,
  )
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: [description, ...introductionTo(integrations.settings)].join('\n\n'),
      ...(license !== null && { license }),
    },
    servers: [publicUrl === null ? { url: '/', description: 'This server.' } : { url: publicUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    webhooks,
    paths: mapValues(paths as Paths, (path) =>
      mapValues(path, ({ responses, ...operation }) => ({
        ...operation,
        responses: mapValues(responses, (response) => shareResponse(response, share)),
      })),
    ),
    components: { securitySchemes: securitySchemes(settings), ...components },
  }
}

/** What applies to all routes, before the first one: paragraphs without headings, which llms.txt does not allow here. */
function introductionTo({ limits, productName }: Settings): string[] {
  const { ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED } = ERRORS
  const limited = `**Limits.** Each key may send ${limits.requestsPerMinute} requests in any 60 seconds, ${limits.startsPerMinute} of them starts. Responses report what is left in \`RateLimit\`. After 429, wait for the seconds in \`Retry-After\`.`
  return [
    '**Authentication.** Partners send an API key in the `X-API-Key` header, never in the URL. Members use their session.',
    ...(limits.enabled ? [limited] : []),
    '**Idempotency.** Send a new `Idempotency-Key` with each start. For 24 hours, the same request with the same key returns the same quotation.',
    '**IDs.** Resources have UUIDs, events an `evt_` ID. An unknown ID returns 404, as does an ID of another organization to members; partners get 403.',
    `**Errors.** Errors are problem documents (RFC 9457) with a stable \`code\`. An unknown path returns ${ROUTE_NOT_FOUND.status} \`ROUTE_NOT_FOUND\`; an unsupported method returns ${METHOD_NOT_ALLOWED.status} \`METHOD_NOT_ALLOWED\`. Undocumented fields are ignored. After 500, 503 or no response, try again later.`,
    `**Verification.** Webhooks are signed: compute the \`v1\` signature of \`X-${productName}-Signature\` over timestamp, dot and raw body, refuse requests older than five minutes, and deduplicate by event ID.`,
  ]
}

/** Moves a part of the document to `components`, and returns a reference to it. */
type Share = (kind: 'schemas' | 'headers' | 'examples' | 'responses', name: string, part: object) => object

/** The name that it has already, or the first free one: `Link`, then `Link_2`. */
function nameOf(part: object, name: string, parts: Record<string, unknown>): string {
  for (let count = 1; ; count += 1) {
    const own = count === 1 ? name : `${name}_${count}`
    if (parts[own] === undefined || isDeepStrictEqual(parts[own], part)) return own
  }
}

/** Shares the headers, the examples of all codes, and problems with a single code. */
function shareResponse(documented: Operation['responses'][string], share: Share): object {
  const headers = mapValues(documented.headers, (header, name) => share('headers', name, header))
  const response = { ...documented, headers }
  const problem = documented.content?.[PROBLEM_MEDIA_TYPE]
  if (problem === undefined) return response
  const examples = mapValues(problem.examples, (example, code) => share('examples', code, example))
  const shared = { ...response, content: { [PROBLEM_MEDIA_TYPE]: { ...problem, examples } } }
  const [code = '', ...others] = Object.keys(examples)
  return others.length > 0 ? shared : share('responses', code, shared)
}

/** By the names that our routes use. */
export const securitySchemes = ({ sessionScheme }: PluginSettings) => ({
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key of the organization. Never send it in the URL.',
  },
  session: sessionScheme,
})
