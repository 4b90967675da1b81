import type { AuthenticatedKey, IntegrationError, Member, Session } from '@quickquote/core'
import type { FastifyInstance } from 'fastify'

/** Request properties of our hooks. Symbols cannot collide with the host's. */
export const API_KEY: unique symbol = Symbol('quickquote: the key of the request')
export const SEEN_KEY: unique symbol = Symbol('quickquote: the id of the key of the request, accepted or not')
export const AUTH_ERROR: unique symbol = Symbol('quickquote: why authentication failed')
export const CALLER: unique symbol = Symbol('quickquote: the member who calls')
export const ADMIT_TEST: unique symbol = Symbol('quickquote: counts the test deliveries of the request')

/** Who calls a session route. */
export interface Caller {
  /** In the organization of the path. */
  readonly member: Member
  readonly session: Session
}

declare module 'fastify' {
  interface FastifyRequest {
    [API_KEY]: AuthenticatedKey | null
    [SEEN_KEY]: string | null
    [AUTH_ERROR]: IntegrationError | null
    [CALLER]: Caller | null
    /** Counts so many tests. Throws if they are too many. null: tests are not limited. */
    [ADMIT_TEST]: ((tests: number) => Promise<void>) | null
  }
}

export function decorateRequests(fastify: FastifyInstance): void {
  for (const name of [API_KEY, SEEN_KEY, AUTH_ERROR, CALLER, ADMIT_TEST]) fastify.decorateRequest(name, null)
}
