import { type ApiKeys, type AuthenticatedKey, IntegrationError, type Integrations } from '@quickquote/core'
import { isKeyExpiring } from '@quickquote/core/internal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ipOf } from './client-address.ts'
import { hasParameterOfKey } from './key-in-url.ts'
import { isPreflight } from './preflight.ts'
import { API_KEY, AUTH_ERROR, SEEN_KEY } from './request-state.ts'

/**
 * The first checks of a partner request, in the order of the specification: a parameter named like a key (400), a
 * missing or invalid key (401), a key that may not be used (403). A failure is thrown only after the limiter of failed
 * authentications has counted it: see rate-limits.ts, whose hook runs between these two. CORS preflights do not count
 * as failures. Each request with a key that exists is noted for its uses. In the last 30 days of a key, every response
 * carries its expiry.
 */
export function authenticatePartners(fastify: FastifyInstance, { apiKeys, settings }: Integrations): void {
  fastify.addHook('onRequest', async (request, reply) => {
    if (hasParameterOfKey(request.url)) throw new IntegrationError('API_KEY_IN_QUERY')
    if (isPreflight(request.raw)) return
    try {
      const key = await authenticate(apiKeys, request, (id) => {
        request[SEEN_KEY] = id
      })
      request[API_KEY] = key
      if (isKeyExpiring(key.expiresAt, settings.now())) {
        reply.header('x-api-key-expires-at', key.expiresAt.toISOString())
      }
    } catch (error) {
      if (!(error instanceof IntegrationError)) throw error
      request[AUTH_ERROR] = error
    }
  })

  // Not a promise: there is nothing to wait for.
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const id = request[SEEN_KEY]
    if (id !== null) {
      const { method, routeOptions, id: request_id } = request
      const { url: route = '*' } = routeOptions
      apiKeys.noteRequest(id, { method, route, status: reply.statusCode, address: ipOf(request), request_id })
    }
    done()
  })

  fastify.addHook('preParsing', async (request) => {
    if (request[AUTH_ERROR] !== null) throw request[AUTH_ERROR]
  })
}

/**
 * Checks the key of a request. A handler that has waited calls it again before it reads what it returns: meanwhile the
 * key may have been revoked.
 * @throws IntegrationError API_KEY_MISSING, API_KEY_INVALID, API_KEY_INACTIVE, API_KEY_EXPIRED, API_KEY_REVOKED
 */
export async function authenticate(
  apiKeys: Pick<ApiKeys, 'authenticate'>,
  { headers }: FastifyRequest,
  seen?: (id: string) => void,
): Promise<AuthenticatedKey> {
  const value = headers['x-api-key']
  if (value === undefined || value === '') throw new IntegrationError('API_KEY_MISSING')
  return apiKeys.authenticate(String(value), seen)
}

/** The key of an authenticated request. */
export function apiKeyOf(request: FastifyRequest): AuthenticatedKey {
  const key = request[API_KEY]
  if (key === null) throw new IntegrationError('API_KEY_MISSING')
  return key
}
