import type { AuthenticatedKey, IntegrationError, Member, Session } from '@quickquote/core'
import type { FastifyInstance } from 'fastify'

/** Request properties of our hooks. Symbols cannot collide with the host's. */
export const API_KEY: unique symbol = Symbol('quickquote: the key of the request')
export const AUTH_ERROR: unique symbol = Symbol('quickquote: why authentication failed')
export const SESSION: unique symbol = Symbol('quickquote: the session of the member')
export const ADMIT_TEST: unique symbol = Symbol('quickquote: counts the test delivery of the request')
export const MEMBER: unique symbol = Symbol('quickquote: the member who calls')

declare module 'fastify' {
  interface FastifyRequest {
    [API_KEY]: AuthenticatedKey | null
    [AUTH_ERROR]: IntegrationError | null
    [SESSION]: Session | null
    [MEMBER]: Member | null
    /** Throws if there are too many. null: tests are not limited. */
    [ADMIT_TEST]: (() => Promise<void>) | null
  }
}

export function decorateRequests(fastify: FastifyInstance): void {
  for (const name of [API_KEY, AUTH_ERROR, SESSION, MEMBER, ADMIT_TEST]) fastify.decorateRequest(name, null)
}
