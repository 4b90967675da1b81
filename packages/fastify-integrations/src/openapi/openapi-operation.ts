import { isDeepStrictEqual } from 'node:util'
import type { SwaggerTransform } from '@fastify/swagger'
import { ERRORS, type ErrorCode } from '@quickquote/core'
import { PROBLEM_MEDIA_TYPE, Problem, problemOf, problemType, Type } from '@quickquote/core/internal'
import type { Deprecation, PluginSettings } from '../options.ts'
import { paramsOf, type Route } from '../route.ts'
import { EXAMPLE } from './examples.ts'
import { toSchemas30, toSwagger2 } from './older-versions.ts'
import { securitySchemes } from './openapi-document.ts'
import { jsonContent, mapValues, narrowed } from './openapi-shape.ts'

/** In an operation until `finishBodies`. */
const BODY_IS_REQUIRED = 'x-body-is-required'

const header = (description: string) => Type.String({ description })
const REQUEST_ID = header('The ID of the request. Include it in support requests.')
const RETRY_AFTER = Type.Integer({ description: 'Seconds to wait.' })
const ACCEPT_ENCODING = Type.Literal('identity', {
  description: 'Sent if the body has a `Content-Encoding`: send it without one.',
})

const KEY_HEADERS = {
  'X-API-Key-Expires-At': Type.String({
    format: 'date-time',
    description: 'The expiry of the API key. Sent only during its last 30 days.',
  }),
  'RateLimit-Policy': header('The limits that apply to this route (IETF RateLimit fields).'),
  RateLimit: header('The requests left (`r`), and the seconds until there are more (`t`).'),
}

function deprecationHeaders({ sunset, link }: Deprecation) {
  return {
    Deprecation: header('Since when the route is deprecated: `@` and Unix time in seconds (RFC 9745).'),
    ...(sunset && { Sunset: header('When it stops working: an HTTP date (RFC 8594).') }),
    ...(link && { Link: header('What to do instead: `<…>; rel="deprecation"`.') }),
  }
}

/**
 * How @fastify/swagger documents a route, in our own document as in the host's. Its parts are made when somebody asks for
 * a document, so that the app starts sooner.
 */
export function documentation(route: Route, settings: PluginSettings): SwaggerTransform {
  return ({ url, ...context }) => {
    finishBodies('openapiObject' in context ? context.openapiObject : context.swaggerObject)
    const operation = operationOf(route, settings)
    // Swagger 2.0 has no sessions in cookies.
    if (!('openapiObject' in context)) return { url, schema: toSwagger2(operation) }
    const { openapi, components } = context.openapiObject
    const name = route.access === 'api_key' ? 'apiKey' : 'session'
    const security = [{ [declare(name, securitySchemes(settings)[name], components)]: [] }]
    const schema = openapi?.startsWith('3.0') ? toSchemas30(operation) : operation
    return { url, schema: { ...schema, security } }
  }
}

/**
 * @fastify/swagger declares all bodies as required, or none, and calls us only before it documents a route: so each route
 * finishes those before it. Our last routes have no bodies.
 */
function finishBodies({ paths = {} }: { readonly paths?: object }): void {
  for (const operation of Object.values(paths).flatMap(Object.values)) {
    const required = operation?.[BODY_IS_REQUIRED]
    if (required === undefined) continue
    const { requestBody, parameters = [] } = operation
    const body = requestBody ?? parameters.find((parameter: { in: string }) => parameter.in === 'body')
    Object.assign(body ?? {}, { required })
    delete operation[BODY_IS_REQUIRED]
  }
}

/**
 * Declares a security scheme in a document. Another scheme of the host keeps the name.
 * @param components of the document that @fastify/swagger is writing: not the host's own object
 * @returns the name of our scheme
 */
function declare(name: string, scheme: object, components: { securitySchemes?: object } = {}): string {
  const declared = { [name]: scheme, ...components.securitySchemes }
  // Descriptions may differ.
  const isSame = isDeepStrictEqual({ ...declared[name], description: '' }, { ...scheme, description: '' })
  const free = isSame ? name : `quickquote_${name}`
  components.securitySchemes = { [free]: scheme, ...components.securitySchemes }
  return free
}

/** All codes of a route: its own, and those of its access, parameters and body. */
function errorCodesOf({ access, method, errors }: Route): ErrorCode[] {
  const codes: ErrorCode[] = [...errors, 'API_KEY_IN_QUERY', 'VALIDATION_FAILED', 'MALFORMED_REQUEST']
  codes.push('INTERNAL_ERROR', 'SERVICE_UNAVAILABLE')
  const isWrite = method !== 'GET'
  if (isWrite) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (access === 'api_key') {
    codes.push('API_KEY_MISSING', 'API_KEY_INVALID', 'API_KEY_INACTIVE', 'API_KEY_EXPIRED', 'API_KEY_REVOKED')
    codes.push('RATE_LIMITED')
  } else {
    codes.push('SESSION_REQUIRED', 'NOT_A_MEMBER')
    if (isWrite) codes.push('CROSS_SITE_REQUEST')
    if (access !== 'member') codes.push('PERMISSION_REQUIRED')
  }
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.includes(code))
}

/** The `id` in the path of a route. */
const ID_OF_TAG: Readonly<Record<string, string>> = {
  'Quick Quotes': EXAMPLE.quotationId,
  Proposals: EXAMPLE.proposalId,
  'API keys': EXAMPLE.apiKeyId,
  Webhooks: EXAMPLE.endpointId,
}

/** The route in the form that @fastify/swagger expects. */
function operationOf(route: Route, { problemTypeBase, deprecated }: PluginSettings) {
  const { answer } = route
  const ids: Readonly<Record<string, string | undefined>> = { ...EXAMPLE, id: ID_OF_TAG[route.tag] }
  const params = mapValues(paramsOf(route).properties, (id, name) => ({ ...id, examples: [ids[name]] }))
  const bodies = mapValues(route.body ?? {}, ({ schema, example }) => ({
    schema: { ...schema, 'x-examples': { example: { value: example } } },
  }))
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
    params: Type.Object(params),
    querystring: route.query,
    headers: route.requestHeaders,
    consumes: route.body && Object.keys(route.body),
    body: route.body && { content: bodies },
    [BODY_IS_REQUIRED]: route.body && !route.bodyIsOptional,
    response: {
      [answer.status]: {
        description: answer.description,
        headers: { ...headers, ...keyHeaders, ...answer.headers },
        ...(answer.status === 204 ? { type: 'null' } : { content: jsonContent(answer) }),
      },
      ...Object.fromEntries(problems),
    },
  }
}

function problemContent(status: number, codes: readonly ErrorCode[], typeBase: string) {
  const examples = codes.map((code) => {
    const { title } = ERRORS[code]
    const errors = code === 'VALIDATION_FAILED' ? [{ pointer: '/name', detail: 'must be a string' }] : []
    const context = { typeBase, requestId: EXAMPLE.requestId }
    return [code, { summary: title, value: problemOf({ code, message: title, errors }, context) }]
  })
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join(' '),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: narrowed(Problem, {
          type: { type: 'string', enum: codes.map((code) => problemType(code, typeBase)) },
          status: { type: 'integer', enum: [status] },
          code: { type: 'string', enum: codes },
        }),
        examples: Object.fromEntries(examples),
      },
    },
  }
}
