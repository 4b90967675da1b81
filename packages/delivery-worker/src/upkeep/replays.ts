import type { Logger, Storage } from '@quickquote/core'

/** Events of a replay per transaction. */
const MOST_AT_ONCE = 200

/** A statement that took too long: PostgreSQL ended it, or gave no answer in time. */
const TOO_LONG = new Set(['57014', 'CONNECTION_UNANSWERED'])

/**
 * Advances one replay by a batch. One that takes too long would take as long when repeated, so the next ones are smaller,
 * until all replays have ended.
 */
export function createReplays(storage: Pick<Storage, 'replays'>, logger: Logger, now: () => Date) {
  let atOnce = MOST_AT_ONCE

  return async (): Promise<boolean> => {
    try {
      const isMore = await storage.replays.advance(atOnce, now())
      if (!isMore) atOnce = MOST_AT_ONCE
      return isMore
    } catch (error) {
      if (atOnce === 1 || !TOO_LONG.has(String(Object(error).code))) throw error
      atOnce = Math.ceil(atOnce / 4)
      logger.warn({ events: atOnce }, 'a batch of a replay took too long; the next ones are smaller')
      return true
    }
  }
}
