import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What may stand in a header, a log line and a problem document as it is. */
const USABLE = /^[\w.~:/;=+@-]{1,128}$/

/**
 * Puts the request id on the answer. It is Fastify's, which the host may take from a header that a client sent: one that is
 * too long or holds odd characters is replaced, and the log says by what.
 */
export function identifyRequest(request: FastifyRequest, reply: FastifyReply): string {
  if (!USABLE.test(request.id)) {
    request.id = randomUUID()
    request.log.info({ requestId: request.id }, 'the client sent a request id that cannot be used')
  }
  reply.header('x-request-id', request.id)
  return request.id
}
