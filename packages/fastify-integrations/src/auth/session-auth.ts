import { isIP } from 'node:net'
import { IntegrationError, type Member, memberOf, type Session } from '@quickquote/core'
import {
  callHost,
  MemberId,
  OrganizationId,
  requireManageIntegrations,
  validate,
} from '@quickquote/core/internal'
import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SessionResolver } from '../options.ts'
import { isCrossSite } from './cross-site.ts'
import { MEMBER, SESSION } from './request-state.ts'

/** What a resolver must answer. It is the host's code, so it is checked like any input. */
const SessionShape = Type.Object({
  memberId: MemberId,
  organizations: Type.Array(
    Type.Object({
      id: OrganizationId,
      name: Type.Optional(Type.String()),
      role: Type.Optional(Type.String()),
      permissions: Type.Optional(Type.Array(Type.String())),
    }),
  ),
})

export interface SessionAuthentication {
  readonly resolveSession: SessionResolver
  readonly sessionTimeoutMs: number
  readonly trustedOrigins: ReadonlySet<string>
}

/** Finds out which member calls: the resolver is asked once. 401 without a session, 403 without the right to this route. */
export function authenticateMembers(fastify: FastifyInstance, options: SessionAuthentication): void {
  fastify.addHook('onRequest', async (request) => {
    // Asked for at once: it is gone when the client is.
    const clientAddress = addressOf(request)
    const session = await resolve(request, options)
    if (session === null) throw new IntegrationError('SESSION_REQUIRED')
    if (isCrossSite(request, options.trustedOrigins)) throw new IntegrationError('CROSS_SITE_REQUEST')
    const { organizationId } = request.params as { organizationId: string }
    const member = memberOf(session, organizationId, { clientAddress })
    if (request.routeOptions.config.integrations?.access !== 'member') requireManageIntegrations(member)
    request[SESSION] = session
    request[MEMBER] = member
  })
}

/** None on a Unix socket, of a client that hung up, and where a proxy that is trusted says something else. */
function addressOf({ ip }: FastifyRequest): string | null {
  return isIP(ip ?? '') === 0 ? null : ip
}

/** The member of a request that got past the hook. */
export function callerOf(request: FastifyRequest): Member {
  const member = request[MEMBER]
  if (member === null) throw new IntegrationError('SESSION_REQUIRED')
  return member
}

/** The session of a request that got past the hook. */
export function sessionOf(request: FastifyRequest): Session {
  const session = request[SESSION]
  if (session === null) throw new IntegrationError('SESSION_REQUIRED')
  return session
}

async function resolve(
  request: FastifyRequest,
  { resolveSession, sessionTimeoutMs }: SessionAuthentication,
): Promise<Session | null> {
  const answer = await ask(() => resolveSession(request), sessionTimeoutMs)
  if (answer === null || answer === undefined) return null
  try {
    return validate(SessionShape, answer)
  } catch (error) {
    const fields = error instanceof IntegrationError ? error.errors : []
    request.log.error({ fields }, 'resolveSession answered neither a session nor null')
    throw new IntegrationError('INTERNAL_ERROR')
  }
}

/** A resolver that throws an error with status 401 says that nobody is signed in. */
async function ask(call: () => unknown, timeoutMs: number): Promise<unknown> {
  try {
    return await callHost({ hook: 'resolveSession', timeoutMs, isAnswer: isNobody }, call)
  } catch (error) {
    if (isNobody(error)) return null
    throw error
  }
}

function isNobody(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 401
}
