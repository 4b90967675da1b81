import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

export interface Operation {
  operationId: string
  description?: string
  deprecated?: boolean
  tags: string[]
  parameters?: { name: string; in: string; required?: boolean; schema: object }[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, Response | Reference>
}
interface Response {
  headers?: Record<string, { schema: object }>
  content?: Record<string, Media>
}
interface Media {
  schema: object
  examples?: Record<string, { value: unknown } | Reference>
}
interface Reference {
  $ref: string
}

/** The parts of an OpenAPI document that tests read. */
export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string; description: string; license: object }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, { properties: Record<string, { enum?: string[] }> }> }
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
  const known = checks.get(text) ?? createCheck(document)
  checks.set(text, known)
  return known
}

function createCheck(document: OpenApiDocument) {
  const compiled = new Map<string, ValidateFunction>()
  const ajv = new Ajv2020.default({ strict: false, allErrors: true, validateSchema: false })
  formats.default(ajv)
  ajv.addFormat('text', true)
  ajv.addFormat('name', true)
  ajv.addFormat('header-value', true)
  ajv.addSchema(document, 'openapi.json')

  /** The value, and its place in the document. */
  function resolve(pointer: readonly string[]): { at: readonly string[]; value: unknown } {
    let at: readonly string[] = []
    let value: unknown = document
    for (const part of pointer) {
      at = [...at, part]
      value = (value as Record<string, unknown> | undefined)?.[part]
      const reference = (value as Reference | undefined)?.$ref
      if (reference !== undefined) {
        at = reference.slice(2).split('/')
        value = resolve(at).value
      }
    }
    return { at, value }
  }

  function check(pointer: readonly string[], value: unknown): void {
    const { at } = resolve(pointer)
    const path = at.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    const $ref = `openapi.json#/${path.join('/')}`
    const validate = compiled.get($ref) ?? ajv.compile({ $ref })
    compiled.set($ref, validate)
    if (!validate(value)) {
      throw new Error(`${pointer.join(' ')}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`)
    }
  }

  /** Headers are text, so text counts as an integer where the document declares one. */
  function checkHeader(pointer: readonly string[], text: string): void {
    const isInteger = (resolve(pointer).value as { type?: string }).type === 'integer'
    check(pointer, isInteger && /^-?\d+$/.test(text) ? Number(text) : text)
  }

  return {
    check,
    checkHeader,
    resolve: (pointer: readonly string[]) => resolve(pointer).value,

    /**
     * Every response must be documented by its route, or be a problem for an unknown path or method. Every accepted request
     * must match its route.
     */
    exchange({ method, path, sent, status, headers, body }: SeenExchange): void {
      const mediaType = headers.get('content-type')?.split(';')[0] ?? ''
      const [template] = Object.keys(document.paths)
        .filter((each) => patternOf(each).test(path.split('?')[0] ?? ''))
        .sort((a, b) => a.split('{').length - b.split('{').length)
      const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()]
      if (template === undefined || operation === undefined) {
        if (mediaType === 'application/problem+json') check(['components', 'schemas', 'Problem'], body)
        return
      }
      const at = ['paths', template, method.toLowerCase()]
      if (status < 300 && sent !== undefined && operation.requestBody !== undefined) {
        check([...at, 'requestBody', 'content', 'application/json', 'schema'], sent)
      }
      const responseAt = [...at, 'responses', String(status)]
      const response = resolve(responseAt).value as Response | undefined
      const documented = new Map(
        Object.keys(response?.headers ?? {}).map((name) => [name.toLowerCase(), name]),
      )
      for (const [header, text] of headers) {
        const name = documented.get(header)
        if (name !== undefined) checkHeader([...responseAt, 'headers', name, 'schema'], text)
        else if (response !== undefined && OUR_HEADERS.test(header)) {
          throw new Error(`${method} ${template} does not document the header ${header} of its ${status}`)
        }
      }
      if (response !== undefined && response.content === undefined && mediaType === '') return
      if (response?.content?.[mediaType] === undefined) {
        throw new Error(
          `${method} ${template} does not document ${status} ${mediaType}: ${JSON.stringify(body)}`,
        )
      }
      check([...responseAt, 'content', mediaType, 'schema'], body)
    },
  }
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`)
}
