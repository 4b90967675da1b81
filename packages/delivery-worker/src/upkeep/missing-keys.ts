import type { Logger, Storage } from '@quickquote/core'
import type { Keyring } from '@quickquote/core/internal'

/** Finds encryption keys that the data needs and this process lacks. */
export interface MissingKeys {
  /** Rejects if the database cannot be reached. */
  check(): Promise<void>
  /** The number of secrets that need each missing key, by key id. */
  known(): ReadonlyMap<string, number>
}

export function createMissingKeys({
  storage,
  keyring,
  logger,
}: {
  storage: Pick<Storage, 'signingSecrets'>
  keyring: Keyring
  logger: Logger
}): MissingKeys {
  let missing: ReadonlyMap<string, number> = new Map()
  return {
    async check() {
      const secrets = await storage.signingSecrets.count()
      const before = [...missing.keys()].join()
      missing = new Map([...secrets].filter(([keyId]) => !keyring.has(keyId)))
      if ([...missing.keys()].join() === before) return
      if (missing.size === 0) logger.info({}, 'all encryption keys are available again')
      else {
        const fields = { secrets_by_key: Object.fromEntries(missing) }
        logger.error(
          fields,
          'encryption keys are missing, and deliveries that need them wait: add the keys back to encryptionKeys',
        )
      }
    },
    known: () => missing,
  }
}
