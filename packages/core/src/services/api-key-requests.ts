import type { Logger } from '../lib/logger.ts'
import { isOutage } from '../lib/outage.ts'
import {
  type ApiKeyRequest,
  dayOf,
  MOST_REQUESTS,
  NO_USES,
  STATUS_CLASSES,
  type StatusClass,
} from '../model/api-key-use.ts'
import type { ApiKeyStorage, RequestsOfKey } from '../storage/api-keys.ts'

/** Collects the requests of keys and writes them in batches, so that a request costs no write. */
export interface ApiKeyRequests {
  note(apiKeyId: string, request: ApiKeyRequest): void
  /** Writes all of them. Does not reject: a failed write is repeated with the next one. */
  flush(): Promise<void>
  /** Writes the rest and stops. */
  close(): Promise<void>
}

/** A crash loses at most this much. */
const FLUSH_AFTER_MS = 10_000
/** Keys of a statement. */
const BATCH = 100

interface Noted {
  readonly days: Map<number, Record<StatusClass, number>>
  newest: ApiKeyRequest[]
}

export function createApiKeyRequests(
  apiKeys: Pick<ApiKeyStorage, 'recordRequests'>,
  logger: Logger,
): ApiKeyRequests {
  let noted = new Map<string, Noted>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let isFailing = false
  let isClosed = false

  function notedOf(apiKeyId: string): Noted {
    const known = noted.get(apiKeyId)
    if (known !== undefined) return known
    const of: Noted = { days: new Map(), newest: [] }
    noted.set(apiKeyId, of)
    return of
  }

  function add({ days }: Noted, day: number, counts: Readonly<Record<StatusClass, number>>): void {
    const known = days.get(day)
    if (known === undefined) days.set(day, { ...counts })
    else for (const name of STATUS_CLASSES) known[name] += counts[name]
  }

  /** Puts back what was not written. */
  function restore({ api_key_id, days, requests }: RequestsOfKey): void {
    const of = notedOf(api_key_id)
    for (const { day, counts } of days) add(of, day, counts)
    of.newest = [...requests, ...of.newest].slice(-MOST_REQUESTS)
  }

  async function write(): Promise<void> {
    const taken = [...noted].map(([api_key_id, { days, newest }]) => ({
      api_key_id,
      days: [...days].map(([day, counts]) => ({ day, counts })),
      requests: newest.slice(-MOST_REQUESTS),
    }))
    noted = new Map()
    while (taken.length > 0) {
      const batch = taken.splice(0, BATCH)
      try {
        await apiKeys.recordRequests(batch)
        isFailing = false
      } catch (error) {
        for (const each of [...batch, ...taken]) restore(each)
        if (!isFailing && !isOutage(error)) {
          logger.warn({ err: error, keys: noted.size }, 'the requests of API keys could not be written')
        }
        isFailing = true
        return
      }
    }
  }

  function plan(): void {
    if (!isClosed && noted.size > 0) timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref()
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    await writing
    writing ??= write().finally(() => {
      writing = undefined
      plan()
    })
    await writing
  }

  return {
    note(apiKeyId, request) {
      const of = notedOf(apiKeyId)
      const day = dayOf(request.at)
      if (!of.days.has(day)) of.days.set(day, { ...NO_USES })
      const counts = of.days.get(day)
      const name = STATUS_CLASSES[Math.floor(request.status / 100) - 2]
      if (counts !== undefined && name !== undefined) counts[name] += 1
      if (of.newest.push(request) >= 2 * MOST_REQUESTS) of.newest.splice(0, MOST_REQUESTS)
      if (timer === undefined) plan()
    },
    flush,
    async close() {
      isClosed = true
      await flush()
    },
  }
}
