import { IntegrationError, type Integrations, type Member, memberOf, type Session } from '@quickquote/core'
import {
  KNOWN_ROLES,
  readSession,
  requireManageIntegrations,
  requireViewIntegrations,
} from '@quickquote/core/internal'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { MemberAccess } from '../route.ts'
import { ipOf } from './client-address.ts'
import { isCrossSite } from './cross-site.ts'
import { CALLER, type Caller } from './request-state.ts'

/**
 * Resolves the member who calls a session route, with their organizations, or null if nobody is signed in. Called once
 * per request. The request fails with 503 if it throws or times out, or with 401 if the error has `statusCode` 401.
 */
export type SessionResolver = (
  request: FastifyRequest,
) => Session | null | undefined | Promise<Session | null | undefined>

/** Each unknown role is logged once, up to this many: a host could return a new one with every request. */
const MAX_NAMED_ROLES = 20

export interface SessionAuthentication {
  readonly resolveSession: SessionResolver
  readonly sessionTimeoutMs: number
  readonly trustedOrigins: readonly string[]
  readonly integrations: Pick<Integrations, 'organizations'>
}

const REQUIRE: Readonly<Record<MemberAccess, (member: Member) => void>> = {
  member: () => {},
  view_integrations: requireViewIntegrations,
  manage_integrations: requireManageIntegrations,
}

/** Authenticates the member; calls the resolver once. 401 without a session, 403 without the right to this route. */
export function authenticateMembers(fastify: FastifyInstance, options: SessionAuthentication): void {
  const namedRoles = new Set<string>()
  fastify.addHook('onRequest', async (request) => {
    // Read immediately: it is lost when the client disconnects.
    const clientAddress = ipOf(request)
    const session = await readSession(() => options.resolveSession(request), {
      timeoutMs: options.sessionTimeoutMs,
      logger: request.log,
    })
    if (session === null) throw new IntegrationError('SESSION_REQUIRED')
    nameUnknownRoles(session, namedRoles, request.log)
    if (isCrossSite(request, options.trustedOrigins)) throw new IntegrationError('CROSS_SITE_REQUEST')
    const { organizationId } = request.params as { organizationId: string }
    const member = memberOf(session, organizationId, { clientAddress })
    REQUIRE[
      (request.routeOptions.config.integrations?.access as MemberAccess | undefined) ?? 'manage_integrations'
    ](member)
    await options.integrations.organizations.refuseErasing(member.organizationId)
    request[CALLER] = { member, session }
  })
}

/** A typo such as `ADMIN` would otherwise deny everything in silence. */
function nameUnknownRoles(session: Session, named: Set<string>, logger: FastifyBaseLogger): void {
  for (const { role, permissions } of session.organizations) {
    if (role === undefined || permissions !== undefined || KNOWN_ROLES.includes(role)) continue
    if (named.has(role) || named.size >= MAX_NAMED_ROLES) continue
    named.add(role)
    logger.info(
      { role, known_roles: KNOWN_ROLES },
      'resolveSession returned a role that has no permissions; return a known role, or list permissions',
    )
  }
}

/** The caller of an authenticated request. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = request[CALLER]
  if (caller === null) throw new IntegrationError('SESSION_REQUIRED')
  return caller
}
