import type { Logger, Storage } from '@quickquote/core'
import type { Keyring } from '@quickquote/core/internal'

/** Knows the encryption keys that the data needs and this process does not have. */
export interface MissingKeys {
  /** Looks. Rejects when the database cannot be asked. */
  check(): Promise<void>
  /** How many secrets need each of them, by the id of the key. Empty: none is missing. */
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
      if (missing.size === 0) logger.info({}, 'no encryption key is missing any more')
      else {
        const fields = { secrets_by_key: Object.fromEntries(missing) }
        logger.error(fields, 'encryption keys are missing: deliveries that need them wait')
      }
    },
    known: () => missing,
  }
}
