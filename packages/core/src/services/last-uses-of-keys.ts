import type { Logger } from '../lib/logger.ts'
import type { ApiKeyStorage } from '../storage/api-keys.ts'
import { createNotesByKey, type NotesByKey } from './notes-by-key.ts'

/** Writes `last_used_at`: the first use after a pause at once, further ones in batches. */
export function createLastUsesOfKeys(
  apiKeys: Pick<ApiKeyStorage, 'recordUses'>,
  logger: Logger,
): NotesByKey<Date> {
  return createNotesByKey({
    empty: () => ({ at: new Date(0) }),
    add(last: { at: Date }, at: Date) {
      if (last.at < at) last.at = at
    },
    join: (older, newer) => (older.at < newer.at ? newer : older),
    write: (batch) => apiKeys.recordUses(new Map(batch.map(([id, { at }]) => [id, at]))),
    most: 10_000,
    waitMs: 0,
    restMs: 500,
    logger,
    warning: 'last_used_at of API keys could not be written',
  })
}
