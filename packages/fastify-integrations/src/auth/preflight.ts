import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { holdsApiKey } from './key-in-url.ts'

const NAME = 'quickquoteOptions'

/** The constraint of our routes for OPTIONS: they match everything except CORS preflights. */
export const NO_PREFLIGHT = { [NAME]: 'taken' }

type Head = Pick<IncomingMessage, 'method' | 'headers'>

/** Whether a browser asks if a page of another origin may send a request. Preflights carry no key. */
export function isPreflight({ method, headers }: Head): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined &&
    headers['x-api-key'] === undefined
  )
}

/**
 * Leaves preflights to the host, for example to the route of @fastify/cors, which our more specific OPTIONS routes
 * would hide. Except preflights with a key in the URL, which must not reach the host's log.
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
    // The host's routes have no constraint and always match.
    mustMatchWhenDerived: false,
    deriveConstraint(request: IncomingMessage) {
      if (request.method !== 'OPTIONS') return undefined
      return isPreflight(request) && !holdsApiKey(request.url ?? '') ? undefined : NO_PREFLIGHT[NAME]
    },
  })
}
