import { isIP } from 'node:net'
import { IntegrationError, type Integrations, type Member, memberOf, type Session } from '@quickquote/core'
import { readSession, requireManageIntegrations } from '@quickquote/core/internal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isCrossSite } from './cross-site.ts'
import { MEMBER, SESSION } from './request-state.ts'

/**
 * Resolves the member who calls a session route, with their organizations, or null if nobody is signed in. Called once
 * per request. The request fails with 503 if it throws or times out, or with 401 if the error has `statusCode` 401.
 */
export type SessionResolver = (
  request: FastifyRequest,
) => Session | null | undefined | Promise<Session | null | undefined>

export interface SessionAuthentication {
  readonly resolveSession: SessionResolver
  readonly sessionTimeoutMs: number
  readonly trustedOrigins: ReadonlySet<string>
  readonly integrations: Pick<Integrations, 'organizations'>
}

/** Authenticates the member; calls the resolver once. 401 without a session, 403 without the right to this route. */
export function authenticateMembers(fastify: FastifyInstance, options: SessionAuthentication): void {
  fastify.addHook('onRequest', async (request) => {
    // Read immediately: it is lost when the client disconnects.
    const clientAddress = addressOf(request)
    const session = await readSession(() => options.resolveSession(request), {
      timeoutMs: options.sessionTimeoutMs,
      logger: request.log,
    })
    if (session === null) throw new IntegrationError('SESSION_REQUIRED')
    if (isCrossSite(request, options.trustedOrigins)) throw new IntegrationError('CROSS_SITE_REQUEST')
    const { organizationId } = request.params as { organizationId: string }
    const member = memberOf(session, organizationId, { clientAddress })
    if (request.routeOptions.config.integrations?.access !== 'member') requireManageIntegrations(member)
    await options.integrations.organizations.refuseErasing(member.organizationId)
    request[SESSION] = session
    request[MEMBER] = member
  })
}

/** null for Unix sockets, disconnected clients, and invalid values of a trusted proxy. */
function addressOf({ ip }: FastifyRequest): string | null {
  return isIP(ip ?? '') === 0 ? null : ip
}

/** The member of an authenticated request. */
export function callerOf(request: FastifyRequest): Member {
  const member = request[MEMBER]
  if (member === null) throw new IntegrationError('SESSION_REQUIRED')
  return member
}

/** The session of an authenticated request. */
export function sessionOf(request: FastifyRequest): Session {
  const session = request[SESSION]
  if (session === null) throw new IntegrationError('SESSION_REQUIRED')
  return session
}
