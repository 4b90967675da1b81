import type { EncryptedSecret } from '../lib/keyring.ts'
import { headersContext } from '../model/endpoint-headers.ts'
import type { Settings } from '../settings.ts'
import type { EndpointSecrets } from '../storage/signing-secrets.ts'
import type { Storage } from '../storage/storage.ts'

/**
 * What a re-encryption did, in numbers of secrets by the id of an encryption key. A signing secret counts as one, and so do
 * all the headers of an endpoint's own.
 */
export interface SecretReencryption {
  /** The newest key, which everything but `remaining` is encrypted with now. */
  readonly keyId: string
  /** What was encrypted anew, by the key that it had before. */
  readonly reencrypted: Readonly<Record<string, number>>
  /**
   * What other keys still encrypt: a key that is missing here can be taken out of `encryptionKeys`. It is not empty when a
   * secret could not be read (the log tells why), or when an instance runs that takes another key for the newest.
   */
  readonly remaining: Readonly<Record<string, number>>
}

/** Endpoints of one transaction: few, for nothing is sent to them meanwhile. */
const BATCH_SIZE = 100

/**
 * Encrypts with the newest key whatever another key still encrypts. It goes on where it was interrupted when it is run
 * again, changes nothing when there is nothing to do, and may run while the service is in use, in any number of processes.
 */
export async function reencryptSecrets(storage: Storage, settings: Settings): Promise<SecretReencryption> {
  const { keyring, logger } = settings
  const keyId = keyring.newestKeyId
  const reencrypted: Record<string, number> = {}

  function renew(secret: EncryptedSecret, endpointId: string, context = endpointId): EncryptedSecret {
    if (secret.keyId === keyId) return secret
    try {
      const renewed = keyring.encrypt(keyring.decrypt(secret, context), context)
      reencrypted[secret.keyId] = (reencrypted[secret.keyId] ?? 0) + 1
      return renewed
    } catch (error) {
      const fields = { err: error, endpoint_id: endpointId, key_id: secret.keyId }
      logger.error(fields, 'a secret of an endpoint could not be read and stays as it is')
      return secret
    }
  }

  function renewAll(endpoint: EndpointSecrets): EndpointSecrets[] {
    const { endpoint_id, secret, previousSecret, headers } = endpoint
    const renewed = {
      endpoint_id,
      secret: renew(secret, endpoint_id),
      previousSecret: previousSecret && renew(previousSecret, endpoint_id),
      headers: headers && renew(headers, endpoint_id, headersContext(endpoint_id)),
    }
    const isChanged =
      renewed.secret !== secret || renewed.previousSecret !== previousSecret || renewed.headers !== headers
    return isChanged ? [renewed] : []
  }

  /** @returns the last endpoint of the batch, or null when there is nothing left */
  function reencryptBatch(after: string | null): Promise<string | null> {
    return storage.transaction(async (transaction) => {
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
