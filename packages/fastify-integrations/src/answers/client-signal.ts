import { IntegrationError } from '@quickquote/core'
import type { FastifyReply } from 'fastify'

/** Aborts if the client disconnects before it has its response. */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(new IntegrationError('MALFORMED_REQUEST', 'The client hung up.'))
  if (raw.destroyed) abort()
  else raw.once('close', abort)
  return controller.signal
}
