import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { mayHoldKey, redactApiKeys } from './key-in-url.ts'

type RequestSerializer = (request: FastifyRequest) => unknown

/** Where pino and its children keep their serializers. */
const PINO_SERIALIZERS = Symbol.for('pino.serializers')

/**
 * Keeps keys in URLs out of Fastify's own log lines for our routes, 404s included: Fastify logs `req.url` before any hook
 * runs, so the logger of the request itself must know better. What the host made of `req` stays, with another URL in it.
 */
export function keepKeysOutOfLogs(fastify: FastifyInstance): void {
  const inherited = fastify.childLoggerFactory
  fastify.setChildLoggerFactory(function childLogger(logger, bindings, options, rawRequest) {
    if (!mayHoldKey(rawRequest.url ?? '')) return inherited.call(this, logger, bindings, options, rawRequest)
    const req: RequestSerializer = (request) => serializerOf(logger)(withoutKeys(request))
    const serializers = { ...options.serializers, req }
    return inherited.call(this, logger, bindings, { ...options, serializers }, rawRequest)
  })
}

/**
 * Logs what Fastify logs of a request, without what may be a key in its URL. For the logger of the host, since Fastify logs
 * a URL that it cannot read before any plugin sees it: `Fastify({ logger: { serializers: { req: requestSerializer } } })`.
 */
export function requestSerializer(request: FastifyRequest): Record<string, unknown> {
  const { method, url, headers, host, ip, socket } = request
  return {
    method,
    url: redactApiKeys(url),
    version: headers['accept-version'],
    host,
    remoteAddress: ip,
    remotePort: socket?.remotePort,
  }
}

function serializerOf(logger: FastifyBaseLogger): RequestSerializer {
  const { [PINO_SERIALIZERS]: serializers } = logger as { [PINO_SERIALIZERS]?: { req?: RequestSerializer } }
  return serializers?.req ?? (({ method, url }) => ({ method, url }))
}

/** The same request, seen without keys in its URL, however a serializer gets at it. */
function withoutKeys(request: FastifyRequest): FastifyRequest {
  const { raw } = request
  const url = redactApiKeys(raw.url ?? '')
  const originalUrl = { value: redactApiKeys(request.originalUrl) }
  const query = Object.fromEntries(new URLSearchParams(url.split('?')[1]))
  const params = Object.fromEntries(
    Object.entries(request.params ?? {}).map(([name, value]) => [name, redactApiKeys(String(value))]),
  )
  return Object.create(request, {
    raw: { value: Object.create(raw, { url: { value: url }, originalUrl }) },
    originalUrl,
    query: { value: query },
    params: { value: params },
  })
}
