import type { Logger, Storage } from '@quickquote/core'
import { findUnusableKeys, type Keyring, type UnusableKey } from '@quickquote/core/internal'

/** Finds encryption keys that the data needs and this process lacks. */
export interface UnusableKeys {
  /** Rejects if the database cannot be reached. */
  check(): Promise<void>
  /** Those of the last check, by key id. */
  known(): ReadonlyMap<string, UnusableKey>
}

const MESSAGES = {
  missing:
    'encryption keys are missing, and deliveries that need them wait: add the keys back to encryptionKeys',
  changed:
    'encryption keys have changed under the same id, and deliveries that need the previous ones wait: restore those in encryptionKeys',
} as const

export function createUnusableKeys({
  storage,
  keyring,
  logger,
}: {
  storage: Pick<Storage, 'signingSecrets' | 'inspection'>
  keyring: Keyring
  logger: Logger
}): UnusableKeys {
  let unusable: ReadonlyMap<string, UnusableKey> = new Map()
  let checking: Promise<void> | undefined

  async function check(): Promise<void> {
    const before = namesOf(unusable)
    unusable = await findUnusableKeys(storage, keyring)
    if (namesOf(unusable) === before) return
    if (unusable.size === 0) logger.info({}, 'all encryption keys are available again')
    for (const reason of ['missing', 'changed'] as const) {
      const affected = [...unusable].filter(([, key]) => key.reason === reason)
      if (affected.length === 0) continue
      const secretsByKey = Object.fromEntries(affected.map(([keyId, { secrets }]) => [keyId, secrets]))
      logger.error({ secrets_by_key: secretsByKey }, MESSAGES[reason])
    }
  }

  return {
    // Many deliveries may fail at once.
    check: () =>
      (checking ??= check().finally(() => {
        checking = undefined
      })),
    known: () => unusable,
  }
}

function namesOf(unusable: ReadonlyMap<string, UnusableKey>): string {
  return [...unusable].map(([keyId, { reason }]) => `${keyId} ${reason}`).join()
}
