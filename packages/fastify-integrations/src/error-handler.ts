import { loggableError } from '@quickquote/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DEFAULT_PROBLEM_TYPE_BASE, PROBLEM_MEDIA_TYPE, problemOf } from './problem.ts'
import { toRefusal } from './refusal.ts'
import { identifyRequest } from './request-id.ts'

/** Answers every error of our routes with a problem document, and logs those that are our fault. */
export function errorHandler({ typeBase }: { typeBase: string }) {
  return function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const refusal = toRefusal(error)
    const { code, status } = refusal
    if (status >= 500) {
      const err = loggableError(refusal.cause ?? refusal)
      request.log.error({ code, err }, 'a request of the integrations API failed')
    } else {
      request.log.info({ code }, 'a request of the integrations API was refused')
    }
    const requestId = identifyRequest(request, reply)
    reply
      .code(status)
      .header('cache-control', 'no-store')
      .type(PROBLEM_MEDIA_TYPE)
      .send(problemOf(refusal, { typeBase, requestId }))
  }
}

/**
 * For the `frameworkErrors` option of the host's `Fastify()`: answers malformed URLs, which never reach a plugin, with the
 * problem documents that our routes use.
 */
export const answerFrameworkError = errorHandler({ typeBase: DEFAULT_PROBLEM_TYPE_BASE })
