import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { mayHoldKey, redactApiKeys } from './key-in-url.ts'

type RequestSerializer = (request: FastifyRequest) => unknown

/** Where pino and its children keep their serializers. */
const PINO_SERIALIZERS = Symbol.for('pino.serializers')

/**
 * Keeps keys in URLs out of Fastify's own log lines for our routes, including 404s. Fastify logs `req.url` before any
 * hook, so this wraps the serializer of the request's logger. The host's serializer still applies, with a redacted URL.
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
 * Serializes a request like Fastify, with keys removed from its URL. Use it for the host's logger, because Fastify logs
 * unreadable URLs before any plugin sees them: `Fastify({ logger: { serializers: { req: requestSerializer } } })`.
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

/** A view of the request without keys in its URL, for any serializer. */
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
