import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Characters that are safe in headers, log lines and problem documents. */
const USABLE = /^[\w.~:/;=+@-]{1,128}$/

/**
 * Sets the response's request id. Fastify's id may come from a client's header: if it is too long or has unsafe
 * characters, it is replaced, and the replacement is logged.
 */
export function identifyRequest(request: FastifyRequest, reply: FastifyReply): string {
  if (!USABLE.test(request.id)) {
    request.id = randomUUID()
    request.log.info({ requestId: request.id }, 'the client sent an invalid request ID')
  }
  reply.header('x-request-id', request.id)
  return request.id
}
