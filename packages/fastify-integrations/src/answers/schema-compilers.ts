import { type TSchema, validateUrlPart } from '@quickquote/core/internal'
import fastJson from 'fast-json-stringify'
import type { FastifyInstance } from 'fastify'

type Serialize = (value: unknown) => string

/** By the text of their schemas, which many responses share. Compiled when a response first needs one. */
const serializers = new Map<string, Serialize>()

/**
 * Sets our own validator and serializer for our routes only, instead of the host's (zod, another Ajv, a reply
 * serializer). Fastify validates URLs with core's validator; core itself validates bodies.
 */
export function compileSchemas(fastify: FastifyInstance): void {
  fastify.setValidatorCompiler<TSchema>(({ schema, httpPart }) => {
    const where = httpPart === 'params' ? ':' : '?'
    return (value: unknown) => {
      try {
        return { value: validateUrlPart(schema, value, where) }
      } catch (error) {
        return { error: error as Error }
      }
    }
  })

  fastify.setSerializerCompiler<TSchema>(({ schema }) => {
    const text = JSON.stringify(schema)
    const serialize = serializers.get(text) ?? compiledWhenUsed(schema)
    serializers.set(text, serialize)
    return serialize
  })

  // A reply serializer of the host would bypass our schemas, and with them the removal of undeclared fields. Fastify
  // accepts null, its own default, although its types do not.
  fastify.setReplySerializer(null as unknown as Parameters<typeof fastify.setReplySerializer>[0])
}

function compiledWhenUsed(schema: TSchema): Serialize {
  let serialize: Serialize | undefined
  return (value) => {
    serialize ??= fastJson(schema)
    return serialize(value)
  }
}
