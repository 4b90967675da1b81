import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { holdsApiKey } from './key-in-url.ts'

const NAME = 'quickquoteOptions'

/** The constraint of our routes for OPTIONS: they take all requests but CORS preflights. */
export const NO_PREFLIGHT = { [NAME]: 'taken' }

type Head = Pick<IncomingMessage, 'method' | 'headers'>

/** Whether a browser asks if a page of another origin may send a request. Browsers send no key along. */
export function isPreflight({ method, headers }: Head): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined &&
    headers['x-api-key'] === undefined
  )
}

/**
 * Leaves preflights to the host, which may answer them in a route of its own (as @fastify/cors has one): a route of ours
 * for OPTIONS, being more specific, would hide it. A preflight with a key in its URL is not left to the host's log.
 */
export function leavePreflightsToHost(fastify: FastifyInstance): void {
  if (fastify.hasConstraintStrategy(NAME)) return
  fastify.addConstraintStrategy({
    name: NAME,
    storage() {
      const handlers = new Map()
      return {
        get: (value) => handlers.get(value) ?? null,
        set: (value, handler) => void handlers.set(value, handler),
      }
    },
    validate() {},
    // Routes without the constraint, which are all those of the host, match in any case.
    mustMatchWhenDerived: false,
    deriveConstraint(request: IncomingMessage) {
      if (request.method !== 'OPTIONS') return undefined
      return isPreflight(request) && !holdsApiKey(request.url ?? '') ? undefined : NO_PREFLIGHT[NAME]
    },
  })
}
