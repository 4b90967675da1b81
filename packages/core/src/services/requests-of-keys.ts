import type { Logger } from '../lib/logger.ts'
import {
  dayOf,
  MOST_REQUESTS,
  NO_USES,
  type NotedRequest,
  STATUS_CLASSES,
  type StatusClass,
} from '../model/api-key-use.ts'
import type { ApiKeyStorage } from '../storage/api-keys.ts'
import { createNotesByKey, type NotesByKey } from './notes-by-key.ts'

/** A crash loses at most this much. */
const WRITE_AFTER_MS = 10_000

interface Requests {
  readonly days: Map<number, Record<StatusClass, number>>
  /** Oldest first. */
  newest: NotedRequest[]
}

/** Writes the requests of each key: a count for each day, and the newest ones. */
export function createRequestsOfKeys(
  apiKeys: Pick<ApiKeyStorage, 'recordRequests'>,
  logger: Logger,
): NotesByKey<NotedRequest> {
  return createNotesByKey({
    empty: (): Requests => ({ days: new Map(), newest: [] }),
    add({ days, newest }, request: NotedRequest) {
      const name = STATUS_CLASSES[Math.floor(request.status / 100) - 2]
      if (name !== undefined) countsOf(days, dayOf(request.at))[name] += 1
      if (newest.push(request) >= 2 * MOST_REQUESTS) newest.splice(0, MOST_REQUESTS)
    },
    join(older, newer) {
      for (const [day, counts] of newer.days) {
        const sum = countsOf(older.days, day)
        for (const name of STATUS_CLASSES) sum[name] += counts[name]
      }
      return { days: older.days, newest: [...older.newest, ...newer.newest].slice(-MOST_REQUESTS) }
    },
    write: (batch) =>
      apiKeys.recordRequests(
        batch.map(([api_key_id, { days, newest }]) => ({
          api_key_id,
          days: [...days].map(([day, counts]) => ({ day, counts })),
          requests: newest.slice(-MOST_REQUESTS),
        })),
      ),
    most: 100,
    waitMs: WRITE_AFTER_MS,
    restMs: WRITE_AFTER_MS,
    logger,
    warning: 'the requests of API keys could not be written',
  })
}

function countsOf(days: Requests['days'], day: number): Record<StatusClass, number> {
  let counts = days.get(day)
  if (counts === undefined) {
    counts = { ...NO_USES }
    days.set(day, counts)
  }
  return counts
}
