import type { EncryptedSecret } from '../lib/keyring.ts'

/** What is kept encrypted of an endpoint. The signing secret before the last rotation may still be kept. */
export interface EndpointSecrets {
  readonly endpoint_id: string
  readonly secret: EncryptedSecret
  readonly previousSecret: EncryptedSecret | null
  /** The headers of its own; null: it has none. */
  readonly headers: EncryptedSecret | null
}

/** Signing secrets, and headers of endpoints, of every organization: for their encryption alone. Deleted endpoints have none. */
export interface SigningSecretStorage {
  /**
   * Endpoints with a secret that another key than `keyId` encrypted, in the order of their ids, those after `after`.
   * Nobody else changes them before the transaction ends.
   */
  lockOld(wanted: { keyId: string; after: string | null; limit: number }): Promise<EndpointSecrets[]>
  /** Writes the secrets of endpoints that were locked, as a new version of each endpoint. */
  save(secrets: readonly EndpointSecrets[]): Promise<void>
  /** How many secrets each key encrypts, by its id. */
  count(): Promise<ReadonlyMap<string, number>>
}
