import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { mayHoldKey, redactApiKeys } from './key-in-url.ts'

type RequestSerializer = (request: FastifyRequest) => unknown

/** Where pino and its children keep their serializers. */
const PINO_SERIALIZERS = Symbol.for('pino.serializers')

/**
 * Keeps keys in URLs out of Fastify's own log lines for our routes, 404s included: Fastify logs `req.url` before any hook
 * runs, so the logger of the request itself must know better. What the host made of `req` stays, with another URL in it.
 */
export function keepKeysOutOfLogs(scope: FastifyInstance): void {
  const inherited = scope.childLoggerFactory
  scope.setChildLoggerFactory(function childLogger(logger, bindings, options, rawRequest) {
    if (!mayHoldKey(rawRequest.url ?? '')) return inherited.call(this, logger, bindings, options, rawRequest)
    const req: RequestSerializer = (request) => serializerOf(logger)(withoutKeys(request))
    const serializers = { ...options.serializers, req }
    return inherited.call(this, logger, bindings, { ...options, serializers }, rawRequest)
  })
}

function serializerOf(logger: FastifyBaseLogger): RequestSerializer {
  const { [PINO_SERIALIZERS]: serializers } = logger as { [PINO_SERIALIZERS]?: { req?: RequestSerializer } }
  return serializers?.req ?? (({ method, url }) => ({ method, url }))
}

/** The same request, seen without keys in its URL, however a serializer gets at it. */
function withoutKeys(request: FastifyRequest): FastifyRequest {
  const { raw } = request
  const url = redactApiKeys(raw.url ?? '')
  const query = Object.fromEntries(new URLSearchParams(url.split('?')[1]))
  return Object.create(request, {
    raw: { value: Object.create(raw, { url: { value: url }, originalUrl: { value: url } }) },
    query: { value: query },
  })
}
