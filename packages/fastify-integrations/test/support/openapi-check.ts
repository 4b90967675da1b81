import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv2020 from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

export interface Operation {
  operationId: string
  description?: string
  deprecated?: boolean
  tags: string[]
  security?: object[]
  parameters?: { name: string; in: string; required?: boolean; schema: Schema; example?: unknown }[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, Response>
}
interface Response {
  headers?: Record<string, { schema: Schema }>
  content?: Record<string, Media>
}
interface Media {
  schema: Schema
  examples?: Record<string, { value: unknown }>
}
interface Schema {
  type?: string
  enum?: string[]
  pattern?: string
  properties?: Record<string, Schema>
}

/** The parts of an OpenAPI document that tests read. References are only resolved by `openApiCheck`. */
export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string; description: string; license?: object }
  servers: { url: string }[]
  tags: { name: string }[]
  security?: object[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, object> }
}

export interface SeenExchange {
  readonly method: string
  readonly path: string
  /** The sent body, if it is JSON. */
  readonly sent: unknown
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** The headers that a document must name where they are sent. */
const OUR_HEADERS =
  /^(?:ratelimit.*|x-api-key-.*|x-request-id|retry-after|link|location|idempotency-replayed|deprecation|sunset|accept-encoding)$/

/** Cached: compiling is most of the work, and most hosts of a run have the same document. */
const checks = new Map<string, OpenApiCheck>()

type OpenApiCheck = ReturnType<typeof createCheck>

/** Checks requests, responses and examples against an OpenAPI document. */
export function openApiCheck(document: OpenApiDocument): OpenApiCheck {
  const text = JSON.stringify(document)
  const known = checks.get(text) ?? createCheck(structuredClone(document))
  checks.set(text, known)
  return known
}

function createCheck(specification: OpenApiDocument) {
  const document = new Validator().resolveRefs({
    specification: { ...specification },
  }) as unknown as OpenApiDocument
  const ajv = new Ajv2020.default({ strict: false, allErrors: true, validateSchema: false })
  formats.default(ajv)
  ajv.addFormat('text', true)
  ajv.addFormat('name', true)
  ajv.addFormat('header-value', true)

  function check(schema: Schema | undefined, value: unknown, what = 'the value'): void {
    if (schema === undefined) throw new Error(`${what} has no schema: ${JSON.stringify(value)}`)
    if (!ajv.validate(schema, value)) {
      throw new Error(`${what}: ${ajv.errorsText()} in ${JSON.stringify(value)}`)
    }
  }

  /** Headers are text, so text counts as an integer where the document declares one. */
  function checkHeader(schema: Schema, text: string, what: string): void {
    check(schema, schema.type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text, what)
  }

  return {
    /** Without references. */
    document,
    check,
    checkHeader,

    /**
     * Every response must be documented by its route, or be a problem for an unknown path or method. Every accepted request
     * must match its route.
     */
    exchange({ method, path, sent, status, headers, body }: SeenExchange): void {
      const mediaType = headers.get('content-type')?.split(';')[0] ?? ''
      const [template = ''] = Object.keys(document.paths)
        .filter((each) => patternOf(each).test(path.split('?')[0] ?? ''))
        .sort((a, b) => a.split('{').length - b.split('{').length)
      const operation = document.paths[template]?.[method.toLowerCase()]
      if (operation === undefined) {
        if (mediaType === 'application/problem+json') check(document.components.schemas['Problem'], body)
        return
      }
      const { requestBody, responses } = operation
      const name = `${method} ${template}`
      if (status < 300 && sent !== undefined && requestBody !== undefined) {
        check(requestBody.content['application/json']?.schema, sent, `the body of ${name}`)
      }
      const response = responses[status]
      const documented = new Map(
        Object.entries(response?.headers ?? {}).map(([header, { schema }]) => [header.toLowerCase(), schema]),
      )
      for (const [header, text] of headers) {
        const schema = documented.get(header)
        if (schema !== undefined) checkHeader(schema, text, `${header} of ${name}`)
        else if (response !== undefined && OUR_HEADERS.test(header)) {
          throw new Error(`${name} does not document the header ${header} of its ${status}`)
        }
      }
      if (response !== undefined && response.content === undefined && mediaType === '') return
      check(response?.content?.[mediaType]?.schema, body, `${status} ${mediaType} of ${name}`)
    },
  }
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`)
}
