import { Type } from '@sinclair/typebox'
import { callHost } from '../lib/call-host.ts'
import { IntegrationError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { validate } from '../lib/validator.ts'
import { MemberId, OrganizationId } from '../model/ids.ts'
import type { Session } from '../model/session.ts'

/** Milliseconds that a session resolver may take, unless the host says otherwise. */
export const SESSION_TIMEOUT_MS = 10_000

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

/**
 * Asks the host's resolver who calls. A resolver that throws an error with status 401 says that nobody is signed in.
 * @returns null when nobody is signed in
 * @throws IntegrationError SERVICE_UNAVAILABLE when it throws or takes too long, INTERNAL_ERROR when it answers something else
 */
export async function readSession(
  resolve: () => unknown,
  { timeoutMs, logger }: { timeoutMs: number; logger: Pick<Logger, 'error'> },
): Promise<Session | null> {
  const answer = await ask(resolve, timeoutMs)
  if (answer === null || answer === undefined) return null
  try {
    return validate(SessionShape, answer)
  } catch (error) {
    const fields = error instanceof IntegrationError ? error.errors : []
    logger.error({ fields }, 'resolveSession answered neither a session nor null')
    throw new IntegrationError('INTERNAL_ERROR')
  }
}

async function ask(resolve: () => unknown, timeoutMs: number): Promise<unknown> {
  try {
    return await callHost({ hook: 'resolveSession', timeoutMs, isAnswer: isNobody }, resolve)
  } catch (error) {
    if (isNobody(error)) return null
    throw error
  }
}

function isNobody(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 401
}
