import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

interface Operation {
  operationId: string
  parameters?: object[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { headers?: Record<string, object>; content?: Record<string, Media> }>
}
interface Media {
  schema: object
  examples?: Record<string, { value: unknown }>
}

/** An OpenAPI document, as far as tests look into it. */
export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string; description: string }
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, { properties: Record<string, { enum?: string[] }> }> }
}

export interface SeenAnswer {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Checks answers and examples against an OpenAPI document. */
export function openApiCheck(document: OpenApiDocument) {
  const ajv = new Ajv2020.default({ strict: false, allErrors: true, validateSchema: false })
  formats.default(ajv)
  ajv.addFormat('text', true)
  ajv.addSchema(document, 'openapi.json')

  function check(pointer: readonly string[], value: unknown): void {
    const path = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    const validate: ValidateFunction = ajv.compile({ $ref: `openapi.json#/${path.join('/')}` })
    if (!validate(value)) {
      throw new Error(`${pointer.join(' ')}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`)
    }
  }

  return {
    check,

    /** Every answer of ours is one that its route documents; unknown paths and methods are answered with a problem. */
    answer({ method, path, status, headers, body }: SeenAnswer): void {
      const mediaType = headers.get('content-type')?.split(';')[0] ?? ''
      const [template] = Object.keys(document.paths)
        .filter((each) => patternOf(each).test(path.split('?')[0] ?? ''))
        .sort((a, b) => a.split('{').length - b.split('{').length)
      const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()]
      if (template === undefined || operation === undefined) {
        if (mediaType === 'application/problem+json') check(['components', 'schemas', 'Problem'], body)
        return
      }
      const response = operation.responses[status]
      if (response !== undefined && response.content === undefined && mediaType === '') return
      const documented = response?.content?.[mediaType]
      if (documented === undefined) {
        throw new Error(
          `${method} ${template} does not document ${status} ${mediaType}: ${JSON.stringify(body)}`,
        )
      }
      check(
        [
          'paths',
          template,
          method.toLowerCase(),
          'responses',
          String(status),
          'content',
          mediaType,
          'schema',
        ],
        body,
      )
    },
  }
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`)
}
