import { callHost } from '../lib/call-host.ts'
import { IntegrationError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { Type } from '../lib/type.ts'
import { validate } from '../lib/validator.ts'
import { MemberId, OrganizationId } from '../model/ids.ts'
import type { Session } from '../model/session.ts'

/** Default timeout of a session resolver, in milliseconds. */
export const SESSION_TIMEOUT_MS = 10_000

/** Validates the resolver's result: it is the host's code. */
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

/**
 * Asks the host's resolver for the session.
 * @returns null if nobody is signed in, also if the resolver throws an error with status 401
 * @throws IntegrationError SERVICE_UNAVAILABLE if it throws or times out, INTERNAL_ERROR if its result is invalid
 */
export async function readSession(
  resolve: () => unknown,
  { timeoutMs, logger }: { timeoutMs: number; logger: Pick<Logger, 'error'> },
): Promise<Session | null> {
  const answer = await callHost({ hook: 'resolveSession', timeoutMs, isAnswer: isNobody }, resolve).catch(
    (error: unknown) => {
      if (isNobody(error)) return null
      throw error
    },
  )
  if (answer === null || answer === undefined) return null
  try {
    return validate(SessionShape, answer)
  } catch (error) {
    const fields = error instanceof IntegrationError ? error.errors : []
    logger.error({ fields }, 'resolveSession returned neither a session nor null')
    throw new IntegrationError('INTERNAL_ERROR')
  }
}

function isNobody(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 401
}
