import type { FastifyInstance } from 'fastify'
import { json, useHostMatrix } from './matrix.ts'

const beside = useHostMatrix()

const handlers = (app: FastifyInstance) => {
  app.setErrorHandler((error, _request, reply) => {
    reply.code(418).send({ host: (error as Error).message })
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ host: 'no such page' }))
}
const own = [
  { method: 'GET', path: '/host/fails', expected: { status: 418, body: '{"host":"of the host"}' } },
  { method: 'GET', path: '/host/nothing', expected: { status: 404, body: '{"host":"no such page"}' } },
  json('/host/json', '{', { status: 418 }),
]

beside('an error handler and a not-found handler, set before', { before: handlers, own })
beside('an error handler and a not-found handler, set after', { after: handlers, own })
beside('an error handler that may be set only once', {
  fastify: { allowErrorHandlerOverride: false },
  before: handlers,
  own,
})

beside('a not-found handler with hooks, and a route for every path', {
  before(app) {
    app.setNotFoundHandler({ preValidation: async () => {} }, async (_request, reply) => {
      return reply.code(404).send('no such page')
    })
    app.get('/*', async (request) => ({ page: request.url }))
    app.options('/*', async () => 'options of the host')
  },
  own: [
    { method: 'GET', path: '/host/nothing', expected: { body: '{"page":"/host/nothing"}' } },
    { method: 'DELETE', path: '/host/nothing', expected: { body: 'no such page' } },
  ],
})

beside('hooks that see every response', {
  before(app) {
    app.addHook('onSend', async (_request, reply, payload) => {
      reply.header('x-host', 'yes')
      return payload
    })
    app.addHook('onError', async (_request, reply) => void reply.header('x-host-error', 'yes'))
    app.decorateRequest('apiKey', null)
    app.decorateReply('problem', null)
    app.decorate('integrations', { mine: true })
  },
  own: [
    {
      method: 'GET',
      path: '/host/fails',
      expected: { status: 500, headers: { 'x-host': 'yes', 'x-host-error': 'yes' } },
    },
  ],
})
