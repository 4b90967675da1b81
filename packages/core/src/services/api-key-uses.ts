import type { Logger } from '../lib/logger.ts'
import { isOutage } from '../lib/outage.ts'
import type { ApiKeyStorage } from '../storage/api-keys.ts'

/** Collects the last uses of keys and writes them in batches, so that a read costs no write. */
export interface ApiKeyUses {
  /** Writes the first use after a pause at once, further ones with the next batch. */
  note(apiKeyId: string, at: Date): void
  /** Writes the rest and stops. */
  close(): Promise<void>
}

/** The time between writes. */
const FLUSH_AFTER_MS = 500
/** The time before a failed write is retried. It doubles with each failure. */
const RETRY_MS = 1000
const LONGEST_RETRY_MS = 60_000

export function createApiKeyUses(apiKeys: Pick<ApiKeyStorage, 'recordUses'>, logger: Logger): ApiKeyUses {
  const uses = new Map<string, Date>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let failures = 0
  let isClosed = false

  function note(apiKeyId: string, at: Date): void {
    const known = uses.get(apiKeyId)
    if (known === undefined || known < at) uses.set(apiKeyId, at)
  }

  /** Writes, then waits: uses noted meanwhile are written afterwards. */
  async function write(): Promise<void> {
    const batch = new Map(uses)
    uses.clear()
    try {
      await apiKeys.recordUses(batch)
      failures = 0
    } catch (error) {
      for (const [apiKeyId, at] of batch) note(apiKeyId, at)
      if (failures === 0 && !isOutage(error)) {
        logger.warn({ err: error, keys: batch.size }, 'last_used_at of API keys could not be written')
      }
      failures += 1
    }
  }

  function flush(): void {
    timer = undefined
    if (uses.size === 0 || writing !== undefined) return
    writing = write().finally(() => {
      writing = undefined
      if (isClosed) return
      const restMs =
        failures === 0 ? FLUSH_AFTER_MS : Math.min(RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS)
      timer = setTimeout(flush, restMs).unref()
    })
  }

  return {
    note(apiKeyId, at) {
      note(apiKeyId, at)
      if (timer === undefined && writing === undefined) flush()
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await writing
      if (uses.size > 0) await write()
    },
  }
}
