import { v7 as uuidv7 } from 'uuid'
import { type ApiKey, apiKeyStatus, createApiKeyBody } from './api-key.ts'
import { generateApiKeyValue, hashApiKey, isWellFormedApiKey, maskApiKey } from './api-key-value.ts'
import { IntegrationError, validationFailed } from './errors.ts'
import type { SecretValue } from './secret-value.ts'
import type { Member } from './session.ts'
import type { Settings } from './settings.ts'
import type { Storage, StoredApiKey } from './storage.ts'
import { validate } from './validator.ts'

/** The key that a partner request came with, once it was found good. */
export interface AuthenticatedKey {
  readonly id: string
  readonly organizationId: string
}

export interface ApiKeys {
  /**
   * Makes a key for a member (any member may). `key` holds the plaintext for the only time.
   * @throws IntegrationError VALIDATION_FAILED
   */
  create(member: Member, body: unknown): Promise<ApiKey & { key: SecretValue }>
  /**
   * Finds out whose key a request came with (specification, "Authentication"). A string that cannot be a key is refused
   * without a query. `last_used_at` follows within a second.
   * @throws IntegrationError API_KEY_INVALID, API_KEY_INACTIVE, API_KEY_EXPIRED, API_KEY_REVOKED
   */
  authenticate(value: string): Promise<AuthenticatedKey>
}

const DAY_MS = 24 * 60 * 60 * 1000

export function createApiKeys(storage: Storage, settings: Settings): ApiKeys {
  const bodySchema = createApiKeyBody(settings.limits)

  return {
    async create(member, body) {
      const { name, expires_at } = validate(bodySchema, body)
      const now = settings.now()
      const key = generateApiKeyValue()
      const record: StoredApiKey = {
        id: uuidv7(),
        organization_id: member.organizationId,
        owner_id: member.memberId,
        name,
        masked_key: maskApiKey(key.reveal()),
        status: 'active',
        expires_at: checkExpiry(new Date(expires_at), now, settings.limits.apiKeyLifetimeDays),
        last_used_at: null,
        created_at: now,
        updated_at: now,
      }
      await storage.insertApiKey(record, hashApiKey(key.reveal()))
      return { ...record, key }
    },

    async authenticate(value) {
      const key = isWellFormedApiKey(value) ? await storage.findApiKeyByHash(hashApiKey(value)) : null
      if (key === null) throw new IntegrationError('API_KEY_INVALID')
      const now = settings.now()
      switch (apiKeyStatus(key, now)) {
        case 'inactive':
          throw new IntegrationError('API_KEY_INACTIVE')
        case 'expired':
          throw new IntegrationError('API_KEY_EXPIRED')
        case 'revoked':
          throw new IntegrationError('API_KEY_REVOKED')
        case 'active':
          settings.keyUses.note(key.id, now)
          return { id: key.id, organizationId: key.organization_id }
      }
    },
  }
}

function checkExpiry(expiresAt: Date, now: Date, lifetimeDays: number): Date {
  const latest = new Date(now.getTime() + lifetimeDays * DAY_MS)
  if (expiresAt <= now) throw validationFailed([{ pointer: '/expires_at', detail: 'must be in the future' }])
  if (expiresAt > latest) {
    throw validationFailed([{ pointer: '/expires_at', detail: `must be at most ${lifetimeDays} days away` }])
  }
  return expiresAt
}
