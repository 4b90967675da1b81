import { type AuthenticatedKey, IntegrationError, type Integrations } from '@quickquote/core'
import { isKeyExpiring } from '@quickquote/core/internal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hasParameterOfKey } from './key-in-url.ts'
import { isPreflight } from './preflight.ts'
import { API_KEY, AUTH_ERROR } from './request-state.ts'

/**
 * The first checks of a partner request, in the order of the specification: a parameter named like a key (400), a
 * missing or invalid key (401), a key that may not be used (403). A failure is thrown only after the limiter of failed
 * authentications has counted it: see rate-limits.ts, whose hook runs between these two. CORS preflights do not count
 * as failures. In the last 30 days of a key, every response carries its expiry.
 */
export function authenticatePartners(fastify: FastifyInstance, { apiKeys, settings }: Integrations): void {
  fastify.addHook('onRequest', async (request, reply) => {
    if (hasParameterOfKey(request.url)) throw new IntegrationError('API_KEY_IN_QUERY')
    if (isPreflight(request.raw)) return
    const value = request.headers['x-api-key']
    try {
      if (value === undefined || value === '') throw new IntegrationError('API_KEY_MISSING')
      const key = await apiKeys.authenticate(String(value))
      request[API_KEY] = key
      if (isKeyExpiring(key.expiresAt, settings.now())) {
        reply.header('x-api-key-expires-at', key.expiresAt.toISOString())
      }
    } catch (error) {
      if (!(error instanceof IntegrationError)) throw error
      request[AUTH_ERROR] = error
    }
  })

  fastify.addHook('preParsing', async (request) => {
    if (request[AUTH_ERROR] !== null) throw request[AUTH_ERROR]
  })
}

/** The key of an authenticated request. */
export function apiKeyOf(request: FastifyRequest): AuthenticatedKey {
  const key = request[API_KEY]
  if (key === null) throw new IntegrationError('API_KEY_MISSING')
  return key
}
