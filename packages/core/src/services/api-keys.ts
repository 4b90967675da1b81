import { IntegrationError, invalidField } from '../lib/errors.ts'
import { newId } from '../lib/new-id.ts'
import { type Page, readPage } from '../lib/page.ts'
import type { SecretValue } from '../lib/secret-value.ts'
import { timeOf } from '../lib/timestamp.ts'
import { validate, validateUrlPart } from '../lib/validator.ts'
import {
  type ApiKey,
  ApiKeyListQuery,
  type ApiKeyMove,
  apiKeyStatus,
  type CreateApiKeyBody,
  createApiKeyBody,
  DEFAULT_OVERLAP_SECONDS,
  moveApiKey,
  type RollApiKeyBody,
  rollApiKeyBody,
  type UpdateApiKeyBody,
  updateApiKeyBody,
} from '../model/api-key.ts'
import {
  type ApiKeyRequest,
  dayOf,
  MOST_QUOTATIONS_OF_KEY,
  type NotedRequest,
  type QuotationOfApiKey,
  toDays,
  USE_DAYS,
  type UsesOfApiKey,
} from '../model/api-key-use.ts'
import { generateApiKeyValue, hashApiKey, isWellFormedApiKey, maskApiKey } from '../model/api-key-value.ts'
import type { AuditAction } from '../model/audit-entry.ts'
import type { RequestedBy } from '../model/erasure.ts'
import { checkMemberIds } from '../model/ids.ts'
import {
  type Member,
  managesIntegrations,
  requireViewIntegrations,
  viewsIntegrations,
} from '../model/session.ts'
import type { Context, Settings } from '../settings.ts'
import type { ApiKeyMaximum, StoredApiKey } from '../storage/api-keys.ts'
import type { Storage } from '../storage/storage.ts'
import { audit, auditChanges } from './audit-log.ts'
import { keyLimitReached, revokeKeysOf, transferKeys } from './keys-of-members.ts'
import type { NotesByKey } from './notes-by-key.ts'

/** The verified key of a partner request. */
export interface AuthenticatedKey {
  readonly id: string
  readonly organizationId: string
  readonly expiresAt: Date
}

/**
 * The API keys of an organization. Members reach their own keys, holders of `manage_integrations` all keys; other keys
 * are API_KEY_NOT_FOUND. Holders of `view_integrations` read them, and changing them is PERMISSION_REQUIRED. Every
 * actual change is in the audit log.
 */
export interface ApiKeys {
  /**
   * Creates a key for any member. Only this result contains the plaintext, as `key`.
   * @throws IntegrationError VALIDATION_FAILED, API_KEY_LIMIT_REACHED
   */
  create(member: Member, body: CreateApiKeyBody): Promise<ApiKey & { key: SecretValue }>
  /**
   * Lists keys in every state, newest first. `query` is an ApiKeyListQuery.
   * @throws IntegrationError VALIDATION_FAILED, PERMISSION_REQUIRED for the keys of all members
   */
  list(member: Member, query?: unknown): Promise<Page<ApiKey>>
  /** @throws IntegrationError API_KEY_NOT_FOUND */
  get(member: Member, id: string): Promise<ApiKey>
  /**
   * Renames a key that is not revoked.
   * @throws IntegrationError VALIDATION_FAILED, API_KEY_NOT_FOUND, STATE_CONFLICT
   */
  update(member: Member, id: string, body: UpdateApiKeyBody): Promise<ApiKey>
  /**
   * Creates a key with the same name in place of an active one, which keeps working for `overlap_seconds` (default a
   * day), but not beyond its own expiry. The caller owns the new key. The old one counts for no limit any more.
   * @throws IntegrationError VALIDATION_FAILED, API_KEY_NOT_FOUND, API_KEY_LIMIT_REACHED; STATE_CONFLICT for a key that
   * is not active or has been rolled
   */
  roll(member: Member, id: string, body: RollApiKeyBody): Promise<ApiKey & { key: SecretValue }>
  /**
   * Reactivates an inactive key. Has no effect on an active one.
   * @throws IntegrationError API_KEY_NOT_FOUND, STATE_CONFLICT for an expired or revoked key
   */
  activate(member: Member, id: string): Promise<ApiKey>
  /**
   * Disables an active key until it is reactivated. Has no effect on an inactive one.
   * @throws IntegrationError API_KEY_NOT_FOUND, STATE_CONFLICT for an expired or revoked key
   */
  deactivate(member: Member, id: string): Promise<ApiKey>
  /**
   * Disables a key permanently and keeps its record. Has no effect on a revoked one.
   * @throws IntegrationError API_KEY_NOT_FOUND
   */
  revoke(member: Member, id: string): Promise<ApiKey>
  /**
   * Revokes all keys of a member who leaves. For the host's own code.
   * @param options.by the member who requested it, for the audit log
   * @returns the newly revoked keys
   * @throws IntegrationError VALIDATION_FAILED
   */
  revokeOfMember(organizationId: string, memberId: string, options?: RequestedBy): Promise<readonly ApiKey[]>
  /**
   * Transfers all keys of a member that are not revoked to another member. They keep working. For the
   * host's own code, which must know that `to` is a member of the organization.
   * @param options.by the member who requested it, for the audit log
   * @returns the transferred keys
   * @throws IntegrationError VALIDATION_FAILED, API_KEY_LIMIT_REACHED
   */
  transfer(
    organizationId: string,
    members: { readonly from: string; readonly to: string },
    options?: RequestedBy,
  ): Promise<readonly ApiKey[]>
  /**
   * Authenticates a request by its key (specification, "Authentication"). Refuses malformed keys without a query.
   * `last_used_at` follows within a second.
   * @param seen is called with the id of a key that exists, also of one that is refused, for `noteRequest`
   * @throws IntegrationError API_KEY_INVALID, API_KEY_INACTIVE, API_KEY_EXPIRED, API_KEY_REVOKED
   */
  authenticate(value: string, seen?: (id: string) => void): Promise<AuthenticatedKey>
  /**
   * Notes a request with a key and its response, for `uses`. Written within ten seconds; a crash loses the rest. The
   * plugin calls it for the partner API.
   */
  noteRequest(id: string, request: Omit<ApiKeyRequest, 'at'>): void
  /**
   * What was done with a key: its requests per day, and the newest ones.
   * @throws IntegrationError API_KEY_NOT_FOUND
   */
  uses(member: Member, id: string): Promise<UsesOfApiKey>
  /**
   * The newest 20 quotes of the last 30 days that were started with a key. None if you keep quotes in your own tables.
   * @throws IntegrationError API_KEY_NOT_FOUND
   */
  quotations(member: Member, id: string): Promise<readonly QuotationOfApiKey[]>
  /**
   * Whether this storage has a key, whatever its state: a host with several databases finds the one of a request. Writes
   * nothing, not even `last_used_at`, and counts towards no limit. A malformed key is false, without a query.
   */
  holds(value: string): Promise<boolean>
  /**
   * The record of the key that authenticated a request, as it is now.
   * @throws IntegrationError API_KEY_INVALID if it has been erased since
   */
  describe(key: Pick<AuthenticatedKey, 'id' | 'organizationId'>): Promise<ApiKey>
}

const DAY_MS = 24 * 60 * 60 * 1000

type KeyContext = Context<'apiKeys' | 'auditLog'>

export function createApiKeys(
  context: KeyContext,
  lastUses: NotesByKey<Date>,
  requests: NotesByKey<NotedRequest>,
): ApiKeys {
  const { storage, settings } = context
  return {
    async create(member, body) {
      await settings.clock.ready()
      checkMemberIds(member)
      const fields = validate(createApiKeyBody(settings.limits), body)
      const now = settings.now()
      const created = newKey(member, fields, { settings, now })
      const changes = auditChanges({ replaced_by: null }, created)
      await storage.transaction(async (transaction) => {
        await insert(transaction, created, settings)
        await audit(transaction, 'api_key.created', created, { by: member, changes, at: now })
      })
      return created
    },

    async list(member, query = {}) {
      await settings.clock.ready()
      checkMemberIds(member)
      const { organizationId, memberId } = member
      const { owner = 'me', ...page } = validateUrlPart(ApiKeyListQuery, query, '?')
      if (owner === 'all') requireViewIntegrations(member)
      const ownerId = owner === 'all' ? null : memberId
      const { items, nextCursor } = await readPage(
        settings.keyring,
        { name: 'api_keys', organizationId },
        page,
        (request) => storage.apiKeys.list(organizationId, ownerId, request),
      )
      const now = settings.now()
      return { items: items.map((key) => shown(key, now)), nextCursor }
    },

    async get(member, id) {
      await settings.clock.ready()
      checkMemberIds(member)
      const key = readable(await storage.apiKeys.find(member.organizationId, id), member)
      return shown(key, settings.now())
    },

    async update(member, id, body) {
      const { name } = validate(updateApiKeyBody(settings.limits), body)
      return changeLocked(context, member, id, 'api_key.updated', ({ status }) => {
        if (status === 'revoked') {
          throw new IntegrationError('STATE_CONFLICT', 'A revoked key cannot be changed.')
        }
        return { name }
      })
    },

    roll: (member, id, body) => roll(context, member, id, body),
    activate: (member, id) => move(context, member, id, 'activate'),
    deactivate: (member, id) => move(context, member, id, 'deactivate'),
    revoke: (member, id) => move(context, member, id, 'revoke'),

    revokeOfMember: (organizationId, memberId, options) =>
      revokeKeysOf(context, organizationId, memberId, options),
    transfer: (organizationId, members, options) => transferKeys(context, organizationId, members, options),

    async authenticate(value, seen) {
      await settings.clock.ready()
      const key = isWellFormedApiKey(value) ? await storage.apiKeys.findByHash(hashApiKey(value)) : null
      if (key === null) throw new IntegrationError('API_KEY_INVALID')
      seen?.(key.id)
      const now = settings.now()
      switch (apiKeyStatus(key, now)) {
        case 'inactive':
          throw new IntegrationError('API_KEY_INACTIVE')
        case 'expired':
          throw new IntegrationError('API_KEY_EXPIRED')
        case 'revoked':
          throw new IntegrationError('API_KEY_REVOKED')
        case 'active':
          lastUses.note(key.id, now)
          return { id: key.id, organizationId: key.organization_id, expiresAt: key.expires_at }
      }
    },

    noteRequest(id, { method, route, status, address, request_id }) {
      const shown = settings.apiKeys.recordAddresses ? address : null
      requests.note(id, { at: settings.now().getTime(), method, route, status, address: shown, request_id })
    },

    async uses(member, id) {
      await settings.clock.ready()
      checkMemberIds(member)
      const { organizationId } = member
      const key = readable(await storage.apiKeys.find(organizationId, id), member)
      // Includes the requests that this process has just answered.
      await requests.flush()
      const now = settings.now()
      const since = dayOf(now.getTime()) - USE_DAYS + 1
      const { days, requests: newest } = await storage.apiKeys.readUses(organizationId, key.id, since)
      return { days: toDays(days, now), requests: [...newest] }
    },

    async quotations(member, id) {
      await settings.clock.ready()
      checkMemberIds(member)
      const { organizationId } = member
      const key = readable(await storage.apiKeys.find(organizationId, id), member)
      const since = new Date(settings.now().getTime() - USE_DAYS * DAY_MS)
      return storage.apiKeys.findQuotations(organizationId, key.id, { since, limit: MOST_QUOTATIONS_OF_KEY })
    },

    async holds(value) {
      return isWellFormedApiKey(value) && (await storage.apiKeys.findByHash(hashApiKey(value))) !== null
    },

    async describe({ id, organizationId }) {
      await settings.clock.ready()
      const key = await storage.apiKeys.find(organizationId, id)
      if (key === null) throw new IntegrationError('API_KEY_INVALID')
      return shown(key, settings.now())
    },
  }
}

async function roll(
  { storage, settings }: KeyContext,
  member: Member,
  id: string,
  body: unknown,
): Promise<ApiKey & { key: SecretValue }> {
  checkMemberIds(member)
  const { expires_at, overlap_seconds = DEFAULT_OVERLAP_SECONDS } = validate(
    rollApiKeyBody(settings.limits),
    body,
  )
  await settings.clock.ready()
  return storage.transaction(async (transaction) => {
    const old = changeable(await transaction.apiKeys.lock(member.organizationId, id), member)
    // Read after waiting for the lock.
    const now = settings.now()
    const seen = shown(old, now)
    if (seen.status !== 'active' || old.replaced_by !== null) {
      throw new IntegrationError(
        'STATE_CONFLICT',
        old.replaced_by === null
          ? `A key that is ${seen.status} cannot be rolled.`
          : 'The key has been rolled.',
      )
    }
    const created = newKey(member, { name: old.name, expires_at }, { settings, now })
    const end = new Date(Math.min(old.expires_at.getTime(), now.getTime() + overlap_seconds * 1000))
    const replaced = { ...old, expires_at: end, replaced_by: created.id, updated_at: now }
    // Before the new one is counted: the old one does not count any more.
    await transaction.apiKeys.save(replaced)
    await insert(transaction, created, settings)
    const changes = auditChanges(seen, shown(replaced, now))
    await audit(transaction, 'api_key.rolled', old, { by: member, changes, at: now })
    return created
  })
}

type NewKey = StoredApiKey & { readonly key: SecretValue }

function newKey(
  member: Member,
  { name, expires_at }: CreateApiKeyBody,
  { settings, now }: { readonly settings: Settings; readonly now: Date },
): NewKey {
  const key = generateApiKeyValue()
  return {
    id: newId(now),
    organization_id: member.organizationId,
    owner_id: member.memberId,
    name,
    masked_key: maskApiKey(key.reveal()),
    status: 'active',
    expires_at: checkExpiry(timeOf(expires_at), now, settings.limits.apiKeyLifetimeDays),
    last_used_at: null,
    replaced_by: null,
    created_at: now,
    updated_at: now,
    key,
  }
}

/** @throws IntegrationError API_KEY_LIMIT_REACHED */
async function insert(
  { apiKeys }: Pick<Storage, 'apiKeys'>,
  { key, ...record }: NewKey,
  { limits }: Pick<Settings, 'limits'>,
): Promise<void> {
  const maximum: ApiKeyMaximum = {
    ofOrganization: limits.apiKeysPerOrganization,
    ofOwner: limits.apiKeysPerMember,
  }
  const reached = await apiKeys.insert(record, hashApiKey(key.reveal()), maximum)
  if (reached === null) return
  throw keyLimitReached(reached === 'ofOwner' ? 'A member' : 'An organization', maximum[reached])
}

/** Locks the key, and writes the change that `decide` returns with its audit entry, in one transaction. */
async function changeLocked(
  { storage, settings }: KeyContext,
  member: Member,
  id: string,
  action: AuditAction,
  decide: (key: ApiKey) => Partial<Pick<StoredApiKey, 'name' | 'status'>>,
): Promise<ApiKey> {
  checkMemberIds(member)
  await settings.clock.ready()
  return storage.transaction(async (transaction) => {
    const before = changeable(await transaction.apiKeys.lock(member.organizationId, id), member)
    // Read after waiting for the lock.
    const now = settings.now()
    const seen = shown(before, now)
    const after = { ...before, ...decide(seen), updated_at: now }
    const changes = auditChanges(seen, shown(after, now))
    if (changes.length === 0) return seen
    await transaction.apiKeys.save(after)
    await audit(transaction, action, after, { by: member, changes, at: now })
    return shown(after, now)
  })
}

function move(context: KeyContext, member: Member, id: string, to: ApiKeyMove): Promise<ApiKey> {
  return changeLocked(context, member, id, ACTIONS[to], ({ status }) => {
    const transition = moveApiKey(status, to)
    if (transition.kind === 'refused') throw new IntegrationError('STATE_CONFLICT', transition.reason)
    return transition.kind === 'changed' ? { status: transition.status } : {}
  })
}

const ACTIONS: Readonly<Record<ApiKeyMove, AuditAction>> = {
  activate: 'api_key.activated',
  deactivate: 'api_key.deactivated',
  revoke: 'api_key.revoked',
}

/** @throws IntegrationError API_KEY_NOT_FOUND if there is no key, or if it belongs to someone else */
function readable(key: StoredApiKey | null, member: Member): StoredApiKey {
  if (key !== null && (key.owner_id === member.memberId || viewsIntegrations(member))) return key
  throw new IntegrationError('API_KEY_NOT_FOUND')
}

/** @throws IntegrationError as `readable`; PERMISSION_REQUIRED if the member may only look at it */
function changeable(found: StoredApiKey | null, member: Member): StoredApiKey {
  const key = readable(found, member)
  if (key.owner_id === member.memberId || managesIntegrations(member)) return key
  throw new IntegrationError('PERMISSION_REQUIRED')
}

function shown(key: StoredApiKey, now: Date): ApiKey {
  return { ...key, status: apiKeyStatus(key, now) }
}

function checkExpiry(expiresAt: Date, now: Date, lifetimeDays: number): Date {
  const latest = new Date(now.getTime() + lifetimeDays * DAY_MS)
  // Negated so that an invalid date is refused.
  if (!(expiresAt > now)) {
    throw invalidField('/expires_at', 'must be in the future')
  }
  if (!(expiresAt <= latest)) {
    throw invalidField('/expires_at', `must be at most ${lifetimeDays} days away`)
  }
  return expiresAt
}
