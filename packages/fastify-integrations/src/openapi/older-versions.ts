import { withoutUnused } from './audiences.ts'
import { mapNodes, type OpenApiDocument } from './openapi-shape.ts'

/**
 * Converts the document to OpenAPI 3.0.3, for tools that cannot read 3.1. Drops webhooks, which 3.0 lacks. A schema
 * with several types becomes `anyOf`; if it allows null, each of them is `nullable`, which needs a type beside it.
 */
export function toOpenApi30({ webhooks: _, tags, ...rest }: OpenApiDocument): object {
  return { ...toSchemas30(withoutUnused({ ...rest, tags })), openapi: '3.0.3' }
}

/** Converts the schemas of a part of the document. */
export const toSchemas30 = <Part>(part: Part): Part => mapNodes(part, asSchema30)

/** Swagger 2.0 has one schema for each body, and neither null nor several types. */
export function toSwagger2(operation: object): object {
  return mapNodes(toSchemas30(operation), ({ content = {}, nullable, anyOf: _, examples: __, ...node }) => {
    const [media] = Object.values(content as Record<string, { schema: object }>)
    return { ...media?.schema, ...node, ...(nullable === true && { 'x-nullable': true }) }
  })
}

function asSchema30({ const: only, contentMediaType: _, ...node }: Record<string, unknown>): object {
  const schema = only === undefined ? node : { ...node, enum: [only] }
  const { type, items, ...rest } = schema as { type?: unknown; items?: unknown }
  if (!Array.isArray(type)) return schema
  const types = type.filter((each) => each !== 'null')
  const nullable = types.length < type.length && { nullable: true }
  const typed = types.map((type) => ({ type, ...(type === 'array' && { items: items ?? {} }), ...nullable }))
  return typed.length === 1 ? { ...typed[0], ...rest } : { anyOf: typed, ...rest }
}
