import type { Logger } from './logger.ts'
import type { ApiKeyStorage } from './storage.ts'

/** Collects when keys were used and writes them together, so that reading a quotation costs no write. */
export interface ApiKeyUses {
  note(apiKeyId: string, at: Date): void
  /** Writes what is left and stops. */
  close(): Promise<void>
}

const FLUSH_AFTER_MS = 500

export function createApiKeyUses(storage: ApiKeyStorage, logger: Logger): ApiKeyUses {
  let uses = new Map<string, Date>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = uses
    uses = new Map()
    if (batch.size > 0) {
      writing = writing
        .then(() => storage.recordApiKeyUses(batch))
        .catch((error: unknown) => {
          logger.warn({ err: error, keys: batch.size }, 'last_used_at of API keys could not be written')
        })
    }
    return writing
  }

  return {
    note(apiKeyId, at) {
      uses.set(apiKeyId, at)
      timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref()
    },
    close: flush,
  }
}
