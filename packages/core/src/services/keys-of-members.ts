import { IntegrationError } from '../lib/errors.ts'
import { type ApiKey, apiKeyStatus } from '../model/api-key.ts'
import type { RequestedBy } from '../model/erasure.ts'
import { checkMemberIds } from '../model/ids.ts'
import type { Context } from '../settings.ts'
import type { StoredApiKey } from '../storage/api-keys.ts'
import { audit, auditChanges, authorOf } from './audit-log.ts'

type KeyContext = Context<'apiKeys' | 'auditLog'>

/** See `ApiKeys.revokeOfMember`. */
export async function revokeKeysOf(
  { storage, settings }: KeyContext,
  organizationId: string,
  memberId: string,
  options?: RequestedBy,
): Promise<readonly ApiKey[]> {
  checkMemberIds({ organizationId, memberId })
  const by = authorOf(organizationId, options)
  await settings.clock.ready()
  return storage.transaction(async (transaction) => {
    const keys = await transaction.apiKeys.lockOfOwner(organizationId, memberId)
    const now = settings.now()
    const revoked: StoredApiKey[] = []
    for (const before of keys) {
      const key: StoredApiKey = { ...before, status: 'revoked', updated_at: now }
      await transaction.apiKeys.save(key)
      const changes = auditChanges({ ...before, status: apiKeyStatus(before, now) }, key)
      await audit(transaction, 'api_key.revoked', key, { by, changes, at: now })
      revoked.push(key)
    }
    return revoked
  })
}

/** See `ApiKeys.transfer`. */
export async function transferKeys(
  { storage, settings }: KeyContext,
  organizationId: string,
  { from, to }: { readonly from: string; readonly to: string },
  options?: RequestedBy,
): Promise<readonly ApiKey[]> {
  for (const memberId of [from, to]) checkMemberIds({ organizationId, memberId })
  const by = authorOf(organizationId, options)
  if (from === to) return []
  const maximum = settings.limits.apiKeysPerMember
  await settings.clock.ready()
  return storage.transaction(async (transaction) => {
    const keys = await transaction.apiKeys.lockOfOwner(organizationId, from)
    if (keys.length === 0) return []
    const now = settings.now()
    const ids = keys.map(({ id }) => id)
    if (!(await transaction.apiKeys.transfer(organizationId, ids, to, { maximum, now }))) {
      throw keyLimitReached('A member', maximum)
    }
    const changes = [{ field: 'owner_id', from, to }]
    const transferred = keys.map((key) => ({ ...key, owner_id: to, updated_at: now }))
    for (const key of transferred) {
      await audit(transaction, 'api_key.transferred', key, { by, changes, at: now })
    }
    return transferred.map((key) => ({ ...key, status: apiKeyStatus(key, now) }))
  })
}

export function keyLimitReached(owner: 'A member' | 'An organization', maximum: number): IntegrationError {
  return new IntegrationError(
    'API_KEY_LIMIT_REACHED',
    `${owner} may have at most ${maximum} API keys that are neither revoked nor expired.`,
  )
}
