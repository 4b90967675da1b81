import type { FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { expect } from 'vitest'
import { z } from 'zod'
import { json, useHostMatrix } from './matrix.ts'

const beside = useHostMatrix()

function useZod(app: FastifyInstance): void {
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
}

function zodRoutes(app: FastifyInstance): void {
  const zod = app.withTypeProvider<ZodTypeProvider>()
  const answer = z.object({ shown: z.string() })
  zod.get('/host/answer', { schema: { response: { 200: answer } } }, async () => ({
    shown: 'a',
    hidden: 'b',
  }))
  const body = z.object({ count: z.coerce.number() })
  zod.post('/host/body', { schema: { body } }, async (request) => ({ got: request.body }))
}

const zodOwn = [
  json('/host/body', '{"count":"5"}', { status: 200, body: '{"got":{"count":5}}' }),
  json('/host/body', '{"count":"five"}', { status: 400 }),
]

beside('zod, compilers set before', { before: useZod, schemaRoutes: zodRoutes, own: zodOwn })
beside('zod, compilers set after', { after: useZod, schemaRoutes: zodRoutes, own: zodOwn })

/** A validator that refuses everything, and a serializer that always returns the same text. */
function useOwnCompilers(app: FastifyInstance): void {
  app.setValidatorCompiler(() => () => ({ error: new Error('the validator of the host') }))
  app.setSerializerCompiler(() => () => '"the serializer of the host"')
}

const ownCompilers = [
  json('/host/body', '{}', { status: 400, body: expect.stringContaining('the validator of the host') }),
  { method: 'GET', path: '/host/answer', expected: { body: '"the serializer of the host"' } },
]

beside('its own compilers, set before', { before: useOwnCompilers, own: ownCompilers })
beside('its own compilers, set after', { after: useOwnCompilers, own: ownCompilers })

beside('its own compilers, through schemaController', {
  fastify: {
    schemaController: {
      compilersFactory: {
        // The type requires a whole Ajv.
        buildValidator: (() => () => () => ({ error: new Error('the validator of the host') })) as never,
        buildSerializer: () => () => () => '"the serializer of the host"',
      },
    },
  },
  own: ownCompilers,
})

beside('an Ajv that coerces, and removes unknown fields', {
  fastify: { ajv: { customOptions: { removeAdditional: 'all', coerceTypes: 'array', useDefaults: true } } },
  own: [json('/host/body', '{"count":"5","more":1}', { body: '{"got":{"count":5}}' })],
})

beside('a schema error formatter', {
  before(app) {
    app.setSchemaErrorFormatter(() => new Error('formatted by the host'))
  },
  own: [json('/host/body', '{"count":"five"}', { body: expect.stringContaining('formatted by the host') })],
})

for (const when of ['before', 'after'] as const) {
  beside(`a reply serializer of its own, set ${when}`, {
    [when]: (app: FastifyInstance) => {
      app.setReplySerializer((payload) => `of the host: ${JSON.stringify(payload)}`)
    },
    own: [
      { method: 'GET', path: '/host/answer', expected: { body: expect.stringMatching(/^of the host: /) } },
    ],
  })
}

beside('its own named schemas', {
  before(app) {
    for (const $id of ['Quotation', 'Problem', 'Proposal']) app.addSchema({ $id, type: 'string' })
  },
  own: [{ method: 'GET', path: '/host/answer', expected: { body: '{"shown":"a"}' } }],
})
