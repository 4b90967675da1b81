import { validateUrlPart } from '@quickquote/core/internal'
import type { TSchema } from '@sinclair/typebox'
import fastJson from 'fast-json-stringify'
import type { FastifyInstance } from 'fastify'

type Serialize = (value: unknown) => string

/**
 * Our own validator and serializer, for our routes only: what the host has set (zod, another Ajv, a
 * reply serializer) stays with the host.
 * Fastify validates what is in the URL, with core's validator; bodies are validated by core itself.
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

  const compiled = new Map<unknown, Serialize>()
  fastify.setSerializerCompiler<TSchema>(({ schema }) => {
    let serialize = compiled.get(schema)
    if (serialize === undefined) {
      serialize = fastJson(schema)
      compiled.set(schema, serialize)
    }
    return serialize
  })

  // A reply serializer of the host's would stand before the schemas, and what they leave out would be sent. Fastify takes
  // null, which is its own default; its types do not say so.
  fastify.setReplySerializer(null as unknown as Parameters<typeof fastify.setReplySerializer>[0])
}
