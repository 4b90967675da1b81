import type { PageRequest } from '../lib/page.ts'
import type { ApiKey, StoredApiKeyStatus } from '../model/api-key.ts'

/** A key as it is stored: `expired` is derived from the clock later. */
export type StoredApiKey = Omit<ApiKey, 'status'> & { readonly status: StoredApiKeyStatus }

/** How many keys that are neither revoked nor expired there may be. */
export interface ApiKeyMaximum {
  readonly ofOrganization: number
  readonly ofOwner: number
}

export interface ApiKeyStorage {
  /**
   * Inserts a key if its organization and its owner may have one more. Keys that expire after `key.created_at` count.
   * @returns whose maximum is reached if nothing was written, else null
   */
  insert(key: StoredApiKey, hash: Uint8Array, maximum: ApiKeyMaximum): Promise<keyof ApiKeyMaximum | null>
  /** The only look-up that crosses organizations: the key is what tells the organization. */
  findByHash(
    hash: Uint8Array,
  ): Promise<Pick<StoredApiKey, 'id' | 'organization_id' | 'status' | 'expires_at'> | null>
  /** null: there is none in the organization. */
  find(organizationId: string, id: string): Promise<StoredApiKey | null>
  /** The same, and nobody else changes the key before the transaction ends. */
  lock(organizationId: string, id: string): Promise<StoredApiKey | null>
  /** The keys of an owner that are not revoked; nobody else changes them before the transaction ends. */
  lockOfOwner(organizationId: string, ownerId: string): Promise<StoredApiKey[]>
  /**
   * Gives keys that were locked to another owner, unless that one would have more than `maximum` that are neither revoked
   * nor expired.
   * @returns whether it was done
   */
  transfer(
    organizationId: string,
    ids: readonly string[],
    ownerId: string,
    { maximum, now }: { readonly maximum: number; readonly now: Date },
  ): Promise<boolean>
  /** Changes a key that was locked. */
  save(key: StoredApiKey): Promise<void>
  /** Keys in every state, the newest first: those of one owner, or (null) of all. */
  list(organizationId: string, ownerId: string | null, page: PageRequest): Promise<StoredApiKey[]>
  /** Writes `last_used_at` of several keys at once, never backwards. */
  recordUses(uses: ReadonlyMap<string, Date>): Promise<void>
}
