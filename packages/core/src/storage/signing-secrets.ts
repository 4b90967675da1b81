import type { EncryptedSecret } from '../lib/keyring.ts'
import type { PreviousSecret } from '../model/signing-secret.ts'

/** The encrypted secrets of an endpoint. */
export interface EndpointSecrets {
  readonly endpoint_id: string
  readonly secret: EncryptedSecret
  /** Newest first, including those whose overlap is over. */
  readonly previousSecrets: readonly (EncryptedSecret & PreviousSecret)[]
  /** The endpoint's own headers; null: none. */
  readonly headers: EncryptedSecret | null
}

/** The secrets of endpoints of every organization, only for re-encryption. Deleted endpoints have none. */
export interface SigningSecretStorage {
  /**
   * Endpoints with a secret that is not encrypted with `keyId`, by id, starting after `after`. Locks them until the
   * transaction ends.
   */
  lockOld(wanted: { keyId: string; after: string | null; limit: number }): Promise<EndpointSecrets[]>
  /** Saves the secrets of locked endpoints, each as a new version. */
  save(secrets: readonly EndpointSecrets[]): Promise<void>
  /**
   * Whether the transaction may encrypt with a key: the secrets that exist are encrypted with the key of that check
   * value, or there are none. Until it ends, no other key gets the id.
   * @returns null if no check value is known, and `isProven` does not say that the key decrypts the existing secrets
   */
  claimKey(key: { keyId: string; checkValue: Uint8Array; isProven: boolean }): Promise<boolean | null>
  /** The check values of keys, by key id. */
  readCheckValues(): Promise<ReadonlyMap<string, Uint8Array>>
  /** The number of secrets encrypted with each key, by key id. */
  count(): Promise<ReadonlyMap<string, number>>
}
