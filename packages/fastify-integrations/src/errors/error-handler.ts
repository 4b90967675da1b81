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
import { seenFrom, toIntegrationError } from './integration-error.ts'

/** What is away, be it the database or a store of the host's, is seldom back sooner. A hook of the host may say otherwise. */
const RETRY_AFTER_SECONDS = 5

/** Answers every error of our routes with a problem document, and logs those that are our fault. */
export function errorHandler({ typeBase }: { typeBase: string }) {
  return function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = seenFrom(request.routeOptions.config?.integrations?.access, toIntegrationError(thrown))
    const { code, status } = error
    if (isOutage(error.cause)) {
      // One line tells of the outage, and not one for each request.
      request.log.info({ code }, 'a request of the integrations API found the database away')
    } else if (status >= 500) {
      const err = loggableError(error.cause ?? error)
      request.log.error({ code, err }, 'a request of the integrations API failed')
    } else {
      request.log.info({ code }, 'a request of the integrations API was refused')
    }
    if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER_SECONDS)
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
 * For the `frameworkErrors` option of the host's `Fastify()`: answers malformed URLs, which never reach a plugin, with the
 * problem documents that our routes use. Fastify logs such a URL: see `requestSerializer`.
 */
export function answerFrameworkError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  answer(holdsApiKey(request.url) ? new IntegrationError('API_KEY_IN_QUERY') : error, request, reply)
}
