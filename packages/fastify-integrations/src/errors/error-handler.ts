import { IntegrationError } from '@quickquote/core'
import {
  DEFAULT_PROBLEM_TYPE_BASE,
  isOutage,
  loggableError,
  PROBLEM_MEDIA_TYPE,
  problemOf,
} from '@quickquote/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { identifyRequest } from '../answers/request-id.ts'
import { holdsApiKey } from '../auth/key-in-url.ts'
import { isEncoded } from '../bodies/content-encoding.ts'
import { seenFrom, toIntegrationError } from './integration-error.ts'

/** A failed database or store is rarely back sooner. A hook of the host may set another value. */
const RETRY_AFTER_SECONDS = 5

/** Answers all errors of our routes with problem documents, and logs those that are our fault. */
export function errorHandler({ typeBase }: { typeBase: string }) {
  return function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = seenFrom(
      request.routeOptions.config?.integrations?.access,
      toIntegrationError(thrown, reply.statusCode),
    )
    const { code, status } = error
    if (isOutage(error.cause)) {
      // The outage has a log line of its own: see logOutages.
      request.log.info({ code }, 'a request to the integrations API failed: the database is unreachable')
    } else if (status >= 500) {
      const err = loggableError(error.cause ?? error)
      request.log.error({ code, err }, 'a request to the integrations API failed')
    } else {
      request.log.info({ code }, 'a request to the integrations API was refused')
    }
    if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER_SECONDS)
    // Not for a media type that is refused (RFC 9110, 12.5.3).
    if (status === 415 && isEncoded(request.headers)) reply.header('accept-encoding', 'identity')
    const requestId = identifyRequest(request, reply)
    reply
      .code(status)
      .header('cache-control', 'no-store')
      .type(PROBLEM_MEDIA_TYPE)
      .send(problemOf(error, { typeBase, requestId }))
  }
}

const answer = errorHandler({ typeBase: DEFAULT_PROBLEM_TYPE_BASE })

/**
 * For the host's `Fastify()` option `frameworkErrors`: answers malformed URLs, which never reach a plugin, with a
 * problem document. Fastify logs such URLs: see `requestSerializer`.
 */
export function answerFrameworkError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  answer(holdsApiKey(request.url) ? new IntegrationError('API_KEY_IN_QUERY') : error, request, reply)
}
