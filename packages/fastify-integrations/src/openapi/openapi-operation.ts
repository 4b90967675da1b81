import { isDeepStrictEqual } from 'node:util'
import { ERRORS, type ErrorCode } from '@quickquote/core'
import {
  PROBLEM_MEDIA_TYPE,
  Problem,
  problemOf,
  problemType,
  type TObject,
  type TSchema,
  Type,
} from '@quickquote/core/internal'
import type { FastifyContextConfig, FastifySchema } from 'fastify'
import type { Deprecation, PluginSettings } from '../options.ts'
import { paramsOf, type Route } from '../route.ts'
import { EXAMPLE } from './examples.ts'
import { toSchemas30 } from './openapi-30.ts'
import { BODY_IS_OPTIONAL, securitySchemes } from './openapi-document.ts'
import { mapValues } from './openapi-shape.ts'

const CODES = Object.keys(ERRORS) as ErrorCode[]

const REQUEST_ID = Type.String({ description: 'The ID of the request. Include it in support requests.' })

const RETRY_AFTER = Type.Integer({ description: 'Seconds to wait.' })

const ACCEPT_ENCODING = Type.Literal('identity', {
  description: 'Sent if the body has a `Content-Encoding`: send it without one.',
})

const KEY_HEADERS = {
  'X-API-Key-Expires-At': Type.String({
    format: 'date-time',
    description: 'The expiry of the API key. Sent only during its last 30 days.',
  }),
  'RateLimit-Policy': Type.String({
    description: 'The limits that apply to this route (IETF RateLimit fields).',
  }),
  RateLimit: Type.String({
    description: 'The requests left (`r`), and the seconds until there are more (`t`).',
  }),
}

function deprecationHeaders({ sunset, link }: Deprecation) {
  return {
    Deprecation: Type.String({
      description: 'Since when the route is deprecated: `@` and Unix time in seconds (RFC 9745).',
    }),
    ...(sunset && {
      Sunset: Type.String({ description: 'When it stops working: an HTTP date (RFC 8594).' }),
    }),
    ...(link && { Link: Type.String({ description: 'What to do instead: `<…>; rel="deprecation"`.' }) }),
  }
}

type SwaggerTransform = Exclude<FastifyContextConfig['swaggerTransform'], false | undefined>

/**
 * How @fastify/swagger documents a route, in our own document as in the host's. Its parts are made when somebody asks for
 * a document, so that the app starts sooner.
 */
export function documentation(settings: PluginSettings): (route: Route) => SwaggerTransform {
  const schemes = securitySchemes(settings)
  return (route) =>
    ({ url, ...context }) => {
      const operation = operationOf(route, settings)
      // Swagger 2.0 has no sessions in cookies.
      if (!('openapiObject' in context)) return { url, schema: toSchemas30(operation) }
      const document: SwaggerDocument = context.openapiObject
      const scheme = route.access === 'api_key' ? 'apiKey' : 'session'
      const security = [{ [declare(scheme, schemes[scheme], document)]: [] }]
      const schema = document.openapi?.startsWith('3.0') ? toSchemas30(operation) : operation
      return { url, schema: { ...schema, security } }
    }
}

/** The document that @fastify/swagger is writing: its `components` are not the host's own object. */
interface SwaggerDocument {
  readonly openapi?: string
  readonly components?: { securitySchemes?: Record<string, object> }
}

/**
 * Declares a security scheme in a document. Another scheme of the host keeps the name.
 * @returns the name of our scheme
 */
function declare(name: string, scheme: object, { components = {} }: SwaggerDocument): string {
  const declared = components.securitySchemes ?? {}
  const free =
    declared[name] === undefined || isSameScheme(declared[name], scheme) ? name : `quickquote_${name}`
  components.securitySchemes = { [free]: scheme, ...declared }
  return free
}

/** Descriptions may differ. */
function isSameScheme(one: object, other: object): boolean {
  return isDeepStrictEqual({ ...one, description: '' }, { ...other, description: '' })
}

/** All codes of a route: its own, and those of its access, parameters and body. */
function errorCodesOf({ access, method, errors }: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>(errors)
  const add = (...more: ErrorCode[]) => more.forEach((code) => void codes.add(code))
  const isWrite = method !== 'GET'
  add('API_KEY_IN_QUERY', 'VALIDATION_FAILED', 'MALFORMED_REQUEST', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE')
  if (isWrite) add('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (access === 'api_key') {
    add('API_KEY_MISSING', 'API_KEY_INVALID', 'API_KEY_INACTIVE', 'API_KEY_EXPIRED', 'API_KEY_REVOKED')
    add('RATE_LIMITED')
  } else {
    add('SESSION_REQUIRED', 'NOT_A_MEMBER')
    if (isWrite) add('CROSS_SITE_REQUEST')
    if (access !== 'member') add('PERMISSION_REQUIRED')
  }
  return CODES.filter((code) => codes.has(code))
}

/** The route in the form that @fastify/swagger expects. */
function operationOf(
  route: Route,
  { problemTypeBase, deprecated }: PluginSettings,
): FastifySchema & Record<string, unknown> {
  const { answer, body } = route
  const deprecation = deprecated[route.operationId]
  const headers = { 'X-Request-Id': REQUEST_ID, ...(deprecation && deprecationHeaders(deprecation)) }
  const keyHeaders = route.access === 'api_key' ? KEY_HEADERS : {}
  const codes = errorCodesOf(route)
  const problems = [...new Set(codes.map((code) => ERRORS[code].status))].map((status) => {
    const ofStatus = codes.filter((code) => ERRORS[code].status === status)
    const problemHeaders = {
      ...headers,
      ...(status === 415 ? { 'Accept-Encoding': ACCEPT_ENCODING } : {}),
      ...(status === 429 || status === 503 ? { 'Retry-After': RETRY_AFTER } : {}),
      // Without a valid key, there is nothing to report.
      ...(status === 401 ? {} : keyHeaders),
    }
    return [status, { headers: problemHeaders, ...problemContent(status, ofStatus, problemTypeBase) }]
  })
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    deprecated: deprecation !== undefined,
    params: withExamples(paramsOf(route), route),
    querystring: inOneParameter(route.query),
    headers: route.requestHeaders,
    body: body && { content: mapValues(body, documentBody) },
    [BODY_IS_OPTIONAL]: route.bodyIsOptional,
    response: {
      [answer.status]: {
        description: answer.description,
        headers: { ...headers, ...keyHeaders, ...answer.headers },
        ...(answer.status === 204 ? { type: 'null' } : documentAnswer(answer)),
      },
      ...Object.fromEntries(problems),
    },
  }
}

const ID_OF_TAG: Readonly<Record<string, string>> = {
  'Quick Quotes': EXAMPLE.quotationId,
  Proposals: EXAMPLE.proposalId,
  'API keys': EXAMPLE.apiKeyId,
  Webhooks: EXAMPLE.endpointId,
}

function withExamples({ properties }: TObject, { tag }: Route): TObject {
  const ids: Readonly<Record<string, string | undefined>> = { ...EXAMPLE, id: ID_OF_TAG[tag] }
  return Type.Object(mapValues(properties, (schema, name) => ({ ...schema, examples: [ids[name]] })))
}

/** A list is one parameter, separated by commas: @fastify/swagger reads the style of all parameters here. */
function inOneParameter(query: TObject | undefined): TObject | undefined {
  const hasList = Object.values(query?.properties ?? {}).some(({ type }) => type === 'array')
  return query !== undefined && hasList ? { ...query, style: 'form', explode: false } : query
}

function documentAnswer({ schema, example }: Route['answer']) {
  return { content: { 'application/json': { schema, examples: { example: { value: example } } } } }
}

function documentBody({ schema, example }: { schema: TSchema; example: unknown }) {
  return { schema: { ...schema, 'x-examples': { example: { value: example } } } }
}

function problemContent(status: number, codes: readonly ErrorCode[], typeBase: string) {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join(' '),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: {
          allOf: [
            // With every code.
            {
              ...Problem,
              properties: { ...Problem.properties, code: { ...Problem.properties.code, enum: CODES } },
            },
            {
              type: 'object',
              properties: {
                type: { type: 'string', enum: codes.map((code) => problemType(code, typeBase)) },
                status: { type: 'integer', enum: [status] },
                code: { type: 'string', enum: codes },
              },
            },
          ],
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: ERRORS[code].title, value: exampleProblem(code, typeBase) }]),
        ),
      },
    },
  }
}

function exampleProblem(code: ErrorCode, typeBase: string): Problem {
  const errors = code === 'VALIDATION_FAILED' ? [{ pointer: '/name', detail: 'must be a string' }] : []
  return problemOf({ code, message: ERRORS[code].title, errors }, { typeBase, requestId: EXAMPLE.requestId })
}
