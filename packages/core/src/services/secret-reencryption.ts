import type { EncryptedSecret } from '../lib/keyring.ts'
import { headersContext } from '../model/endpoint-headers.ts'
import type { Context } from '../settings.ts'
import type { EndpointSecrets } from '../storage/signing-secrets.ts'
import { claimNewestKey } from './encryption-keys.ts'

/** The result of a re-encryption, as numbers of secrets by key id. All headers of one endpoint count as one secret. */
export interface SecretReencryption {
  /** The newest key. Everything except `remaining` is now encrypted with it. */
  readonly keyId: string
  /** Re-encrypted secrets, by their previous key. */
  readonly reencrypted: Readonly<Record<string, number>>
  /**
   * Secrets still encrypted with other keys. Keys that are not listed can be removed from `encryptionKeys`. Not empty
   * if a secret could not be decrypted (see the log), or if another instance still uses another newest key.
   */
  readonly remaining: Readonly<Record<string, number>>
}

interface Origin {
  readonly endpointId: string
  /** The encryption context. */
  readonly context: string
  /** Logged if it cannot be decrypted. */
  readonly failure: string
}

/** Endpoints per transaction. Small, because nothing is sent to them meanwhile. */
const BATCH_SIZE = 100

/**
 * Re-encrypts all secrets with the newest key. Safe to repeat after an interruption, while the service is in use, and
 * in any number of processes.
 * @throws IntegrationError SERVICE_UNAVAILABLE if the newest key has changed under the same id
 */
export async function reencryptSecrets({
  storage,
  settings,
}: Context<'signingSecrets' | 'inspection'>): Promise<SecretReencryption> {
  const { keyring, logger } = settings
  const keyId = keyring.newestKeyId
  const reencrypted: Record<string, number> = {}

  function renew(secret: EncryptedSecret, { endpointId, context, failure }: Origin): EncryptedSecret {
    if (secret.keyId === keyId) return secret
    try {
      const renewed = keyring.encrypt(keyring.decrypt(secret, context), context)
      reencrypted[secret.keyId] = (reencrypted[secret.keyId] ?? 0) + 1
      return renewed
    } catch (error) {
      const fields = { err: error, endpoint_id: endpointId, key_id: secret.keyId }
      logger.error(fields, failure)
      return secret
    }
  }

  function renewAll(endpoint: EndpointSecrets): EndpointSecrets[] {
    const { endpoint_id, secret, previousSecrets, headers } = endpoint
    const ofSecrets = {
      endpointId: endpoint_id,
      context: endpoint_id,
      failure: 'a signing secret could not be decrypted and stays as it is',
    }
    const ofHeaders = {
      endpointId: endpoint_id,
      context: headersContext(endpoint_id),
      failure: 'the headers of an endpoint could not be decrypted and stay as they are',
    }
    const renewed = {
      endpoint_id,
      secret: renew(secret, ofSecrets),
      previousSecrets: previousSecrets.map((each) => ({ ...each, ...renew(each, ofSecrets) })),
      headers: headers && renew(headers, ofHeaders),
    }
    const isChanged =
      renewed.secret !== secret ||
      renewed.headers !== headers ||
      renewed.previousSecrets.some(({ keyId }, place) => keyId !== previousSecrets[place]?.keyId)
    return isChanged ? [renewed] : []
  }

  /** @returns the last endpoint of the batch, or null if none is left */
  function reencryptBatch(after: string | null): Promise<string | null> {
    return storage.transaction(async (transaction) => {
      await claimNewestKey(transaction, settings)
      const endpoints = await transaction.signingSecrets.lockOld({ keyId, after, limit: BATCH_SIZE })
      await transaction.signingSecrets.save(endpoints.flatMap(renewAll))
      return endpoints.at(-1)?.endpoint_id ?? null
    })
  }

  let last = await reencryptBatch(null)
  while (last !== null) last = await reencryptBatch(last)

  const { [keyId]: _, ...remaining } = Object.fromEntries(await storage.signingSecrets.count())
  return { keyId, reencrypted, remaining }
}
