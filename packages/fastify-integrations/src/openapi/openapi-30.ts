import { withoutUnused } from './audiences.ts'
import type { OpenApiDocument } from './openapi-shape.ts'

/** Keys whose content is data, not schemas, and is not converted. */
const DATA = new Set(['example', 'examples', 'value', 'default', 'enum'])

/** Objects whose keys are names: a property may be called `example`. */
const NAMED = new Set(['properties', 'schemas', 'paths', 'responses', 'headers', 'content'])

/**
 * Converts the document to OpenAPI 3.0.3, for tools that cannot read 3.1. Drops webhooks, which 3.0 lacks. A schema
 * with several types becomes `anyOf`; one that allows null becomes `nullable`.
 */
export function toOpenApi30({ webhooks: _, tags, ...rest }: OpenApiDocument): object {
  return { ...toSchemas30(withoutUnused({ ...rest, tags })), openapi: '3.0.3' }
}

/** Converts the schemas of a part of the document. */
export function toSchemas30<Part>(part: Part, holdsNames = false): Part {
  if (Array.isArray(part)) return part.map((each) => toSchemas30(each)) as Part
  if (typeof part !== 'object' || part === null) return part
  const copy = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      !holdsNames && DATA.has(key) ? value : toSchemas30(value, !holdsNames && NAMED.has(key)),
    ]),
  )
  return (holdsNames ? copy : asSchema30(copy)) as Part
}

function asSchema30({ const: only, contentMediaType: _, ...node }: Record<string, unknown>): object {
  const schema = only === undefined ? node : { ...node, enum: [only] }
  const { type, items, ...rest } = schema as { type?: unknown; items?: unknown }
  if (!Array.isArray(type)) return schema
  const types = type.filter((each) => each !== 'null')
  const nullable = types.length < type.length && { nullable: true }
  const typed = types.map((each) => ({ type: each, ...(each === 'array' && { items: items ?? {} }) }))
  return typed.length === 1 ? { ...typed[0], ...rest, ...nullable } : { anyOf: typed, ...rest, ...nullable }
}
