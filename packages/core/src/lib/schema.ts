import type { Static, TSchema, TUnsafe } from '@sinclair/typebox'
import { Type } from './type.ts'

/** The building blocks of all schemas. They work with Ajv and Fastify's serializer without `anyOf`. */
export const Uuid = Type.String({ format: 'uuid' })

/** ISO 8601, UTC. A `Date` in code, a string on the wire. */
export const Timestamp: TUnsafe<Date> = Type.Unsafe<Date>({ type: 'string', format: 'date-time' })

/** The same schema with a description. */
export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description }
}

/** The same schema, which also allows null. */
export function Nullable<T extends TSchema>(schema: T, description?: string): TUnsafe<Static<T> | null> {
  const { type, ...rest } = description === undefined ? schema : described(schema, description)
  const values = 'enum' in rest ? { enum: [...rest['enum'], null] } : {}
  return Type.Unsafe<Static<T> | null>({ type: [type, 'null'], ...rest, ...values })
}

/**
 * A schema that depends on settings, made once for each. The validator never forgets a schema it has compiled, so one
 * per call or transaction would be a memory leak.
 */
export function schemaOf<S extends object, T extends TSchema>(make: (settings: S) => T): (settings: S) => T {
  const made = new WeakMap<S, T>()
  return (settings) => {
    const known = made.get(settings)
    if (known !== undefined) return known
    const schema = make(settings)
    made.set(settings, schema)
    return schema
  }
}

/** A value that a host may pass to a schema, including read-only lists. */
export type Input<T> = { readonly [Name in keyof T]: InputField<T[Name]> }
type InputField<Value> = Value extends readonly (infer Element)[] ? readonly Element[] : Value

/** One of a fixed list of strings. */
export function OneOf<const T extends readonly string[]>(
  values: T,
  options: { description?: string; default?: T[number] } = {},
) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })
}

/** A timestamp from a client: RFC 3339 with a time zone. Read it with `timeOf`. */
export function SentTimestamp(options: { description: string }) {
  return Type.String({ format: 'date-time', ...options })
}

/** A name from a client: one line of at most `maxLength` code points. */
export function Name(options: { minLength?: 1; maxLength: number; description?: string }) {
  return Type.String({ format: 'name', ...options })
}

/** Text from a client: at most `maxLength` code points, without NUL and lone surrogates, which PostgreSQL cannot store. */
export function Text(options: {
  minLength?: number
  maxLength: number
  pattern?: string
  description?: string
}) {
  return Type.String({ format: 'text', ...options })
}
