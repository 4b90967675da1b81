import type { PageRequest } from '../lib/page.ts'
import type { ApiKey, StoredApiKeyStatus } from '../model/api-key.ts'
import type { ApiKeyRequest, CountedDay, NotedRequest, QuotationOfApiKey } from '../model/api-key-use.ts'

/** A stored key: `expired` is derived from the clock later. */
export type StoredApiKey = Omit<ApiKey, 'status' | 'owner_name'> & { readonly status: StoredApiKeyStatus }

/** Limits on keys that are neither revoked, expired nor rolled. */
export interface ApiKeyMaximum {
  readonly ofOrganization: number
  readonly ofOwner: number
}

/** Requests with a key since the last record. */
interface RequestsOfKey {
  readonly api_key_id: string
  readonly days: readonly CountedDay[]
  /** Oldest first. */
  readonly requests: readonly NotedRequest[]
}

export interface ApiKeyStorage {
  /**
   * Inserts a key if neither limit is reached. Keys that expire after `key.created_at` count.
   * @returns the limit that was reached, or null if the key was inserted
   */
  insert(key: StoredApiKey, hash: Uint8Array, maximum: ApiKeyMaximum): Promise<keyof ApiKeyMaximum | null>
  /** The only look-up across organizations: the key identifies the organization. */
  findByHash(
    hash: Uint8Array,
  ): Promise<Pick<StoredApiKey, 'id' | 'organization_id' | 'status' | 'expires_at'> | null>
  /** null: not in the organization. */
  find(organizationId: string, id: string): Promise<StoredApiKey | null>
  /** The same, and locks the key until the transaction ends. */
  lock(organizationId: string, id: string): Promise<StoredApiKey | null>
  /** The keys of an owner that are not revoked, locked until the transaction ends. */
  lockOfOwner(organizationId: string, ownerId: string): Promise<StoredApiKey[]>
  /**
   * Transfers locked keys to another owner, unless the owner would exceed `maximum`.
   * @returns whether they were transferred
   */
  transfer(
    organizationId: string,
    ids: readonly string[],
    ownerId: string,
    { maximum, now }: { readonly maximum: number; readonly now: Date },
  ): Promise<boolean>
  /** Saves a locked key. */
  save(key: StoredApiKey): Promise<void>
  /** Keys in every state, newest first, of one owner or (null) of all. */
  list(organizationId: string, ownerId: string | null, page: PageRequest): Promise<StoredApiKey[]>
  /** Updates `last_used_at` of several keys, never backwards. */
  recordUses(uses: ReadonlyMap<string, Date>): Promise<void>
  /**
   * Adds to the days of several keys, and keeps at least the newest 100 requests of each. Those of unknown keys are
   * dropped.
   */
  recordRequests(uses: readonly RequestsOfKey[]): Promise<void>
  /** The newest quotations since `since` that were started with a key. None that the host keeps in its own tables. */
  findQuotations(
    organizationId: string,
    id: string,
    page: { readonly since: Date; readonly limit: number },
  ): Promise<QuotationOfApiKey[]>
  /** The days since `since` (a number of days since 1970), in any order, and the kept requests, newest first. */
  readUses(
    organizationId: string,
    id: string,
    since: number,
  ): Promise<{ readonly days: readonly CountedDay[]; readonly requests: readonly ApiKeyRequest[] }>
}
