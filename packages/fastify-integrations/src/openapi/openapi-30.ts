import { withoutUnused } from './audiences.ts'
import { mapNodes, type OpenApiDocument } from './openapi-shape.ts'

/**
 * Converts the document to OpenAPI 3.0.3, for tools that cannot read 3.1. Drops webhooks, which 3.0 lacks. A schema
 * with several types becomes `anyOf`; one that allows null becomes `nullable`.
 */
export function toOpenApi30({ webhooks: _, tags, ...rest }: OpenApiDocument): object {
  return { ...toSchemas30(withoutUnused({ ...rest, tags })), openapi: '3.0.3' }
}

/** Converts the schemas of a part of the document. */
export const toSchemas30 = <Part>(part: Part): Part => mapNodes(part, asSchema30)

function asSchema30({ const: only, contentMediaType: _, ...node }: Record<string, unknown>): object {
  const schema = only === undefined ? node : { ...node, enum: [only] }
  const { type, items, ...rest } = schema as { type?: unknown; items?: unknown }
  if (!Array.isArray(type)) return schema
  const types = type.filter((each) => each !== 'null')
  const nullable = types.length < type.length && { nullable: true }
  const typed = types.map((each) => ({ type: each, ...(each === 'array' && { items: items ?? {} }) }))
  if (typed.length === 1) return { ...typed[0], ...rest, ...nullable }
  // Beside a type only.
  return { anyOf: typed.map((each) => ({ ...each, ...nullable })), ...rest }
}
