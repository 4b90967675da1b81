import { IntegrationError } from '@quickquote/core'
import {
  DEFAULT_PROBLEM_TYPE_BASE,
  loggableError,
  PROBLEM_MEDIA_TYPE,
  problemOf,
} from '@quickquote/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { jsonOf } from './json.ts'

/** A failed session resolver rarely recovers sooner. */
const RETRY_AFTER_SECONDS = 5

/** Answers with the problem document that the API would send. Errors of the host's own hooks are left to the host. */
export function answerProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (!(error instanceof IntegrationError)) throw error
  const { code, status } = error
  if (status >= 500) {
    request.log.error({ code, err: loggableError(error.cause ?? error) }, 'a request of the portal failed')
  }
  if (status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS)
  reply
    .code(status)
    .header('cache-control', 'no-store')
    .type(PROBLEM_MEDIA_TYPE)
    .send(jsonOf(problemOf(error, { typeBase: DEFAULT_PROBLEM_TYPE_BASE, requestId: request.id })))
}
