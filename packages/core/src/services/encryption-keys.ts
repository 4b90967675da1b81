import { timingSafeEqual } from 'node:crypto'
import { IntegrationError } from '../lib/errors.ts'
import type { Keyring } from '../lib/keyring.ts'
import type { Settings } from '../settings.ts'
import type { Storage } from '../storage/storage.ts'

/** An encryption key that secrets need and this process lacks: none has its id, or another key has. */
export interface UnusableKey {
  readonly reason: 'missing' | 'changed'
  /** The number of secrets encrypted with it. */
  readonly secrets: number
}

type KeyStorage = Pick<Storage, 'signingSecrets' | 'inspection'>

/** The keys that the stored secrets need and the ring lacks, by id. Changes nothing. */
export async function findUnusableKeys(
  storage: KeyStorage,
  keyring: Keyring,
): Promise<ReadonlyMap<string, UnusableKey>> {
  const unusable = new Map<string, UnusableKey>()
  const checkValues = await storage.signingSecrets.readCheckValues()
  for (const [keyId, secrets] of await storage.signingSecrets.count()) {
    if (!keyring.has(keyId)) unusable.set(keyId, { reason: 'missing', secrets })
    else {
      const known = checkValues.get(keyId)
      const fits =
        known === undefined
          ? await decryptsSample(storage, keyring, keyId)
          : timingSafeEqual(known, keyring.checkValue(keyId))
      if (!fits) unusable.set(keyId, { reason: 'changed', secrets })
    }
  }
  return unusable
}

/**
 * Call it in each transaction that writes something encrypted, so that no two keys encrypt under one id.
 * @throws IntegrationError SERVICE_UNAVAILABLE if the newest key is not the one that encrypted the existing secrets
 */
export async function claimNewestKey(
  transaction: KeyStorage,
  { keyring, logger }: Pick<Settings, 'keyring' | 'logger'>,
): Promise<void> {
  const keyId = keyring.newestKeyId
  const claim = (isProven: boolean) =>
    transaction.signingSecrets.claimKey({ keyId, checkValue: keyring.checkValue(keyId), isProven })
  const fits =
    (await claim(false)) ?? ((await decryptsSample(transaction, keyring, keyId)) && (await claim(true)))
  if (fits) return
  logger.error(
    { key_id: keyId },
    'the encryption key has changed under the same id, and nothing is encrypted with it: restore the previous one in encryptionKeys',
  )
  throw new IntegrationError(
    'SERVICE_UNAVAILABLE',
    'Nothing can be encrypted at the moment. Try again later.',
  )
}

/** For keys from before there were check values. */
async function decryptsSample(
  { inspection }: KeyStorage,
  keyring: Keyring,
  wanted: string,
): Promise<boolean> {
  const sample = (await inspection.sampleSecrets()).find(({ keyId }) => keyId === wanted)
  return sample === undefined || decrypts(keyring, sample)
}

/** Whether the ring decrypts a secret of an endpoint. */
export function decrypts(
  keyring: Keyring,
  { endpoint_id, ...secret }: Parameters<Keyring['decrypt']>[0] & { readonly endpoint_id: string },
): boolean {
  try {
    keyring.decrypt(secret, endpoint_id)
    return true
  } catch {
    return false
  }
}
