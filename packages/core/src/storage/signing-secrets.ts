import type { EncryptedSecret } from '../lib/keyring.ts'

/** The encrypted secrets of an endpoint, possibly with the previous signing secret. */
export interface EndpointSecrets {
  readonly endpoint_id: string
  readonly secret: EncryptedSecret
  readonly previousSecret: EncryptedSecret | null
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
  /** The number of secrets encrypted with each key, by key id. */
  count(): Promise<ReadonlyMap<string, number>>
}
