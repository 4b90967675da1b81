import type { JavaScriptTypeBuilder } from '@sinclair/typebox'

/** By these, TypeBox's own builders know an optional property. */
const OPTIONAL = Symbol.for('TypeBox.Optional')

type Schema = Record<PropertyKey, unknown>
type Properties = Readonly<Record<string, Schema>>

function objectOf(properties: Properties, options?: object): Schema {
  const required = Object.keys(properties).filter((name) => properties[name]?.[OPTIONAL] === undefined)
  return { ...options, type: 'object', ...(required.length > 0 ? { required } : {}), properties }
}

function optional(schema: Schema): Schema {
  return { ...schema, [OPTIONAL]: 'Optional' }
}

const builders = {
  Array: (items: Schema, options?: object) => ({ ...options, type: 'array', items }),
  Boolean: (options?: object) => ({ ...options, type: 'boolean' }),
  /** Of objects with different properties. */
  Composite: (schemas: readonly Schema[], options?: object) =>
    objectOf(Object.assign({}, ...schemas.map(({ properties }) => properties)), options),
  Integer: (options?: object) => ({ ...options, type: 'integer' }),
  Literal: (value: unknown, options?: object) => ({ ...options, const: value, type: typeof value }),
  Object: objectOf,
  Optional: optional,
  Partial({ required: _, properties, ...rest }: Schema, options?: object) {
    const fields = Object.entries(properties as Properties).map(([name, field]) => [name, optional(field)])
    return { ...objectOf(Object.fromEntries(fields), rest), ...options }
  },
  String: (options?: object) => ({ ...options, type: 'string' }),
  Unsafe: (schema: object) => ({ ...schema }),
}

/**
 * The builders of TypeBox that our own schemas use, with TypeBox's types. Its hundreds of modules take 80 ms to load, so
 * hosts import all of `Type` from `@quickquote/core/typebox`.
 */
export const Type = builders as unknown as Pick<JavaScriptTypeBuilder, keyof typeof builders>
