import type { Logger, Storage } from '@quickquote/core'

/** Longer than any transaction of a host should take. */
const TOLERATED_MS = 60_000

/**
 * Returns a check that logs a transaction that has written an event and stays open: the event feed of its organization
 * shows nothing later until it ends. Each is logged once, when it has been open for `toleratedMs` between two checks.
 */
export function createHeldFeedsCheck({
  storage,
  logger,
  toleratedMs = TOLERATED_MS,
}: {
  storage: Pick<Storage, 'eventFeed'>
  logger: Logger
  /** For tests. Default: 60,000. */
  toleratedMs?: number
}): () => Promise<void> {
  /** When each was first seen; Infinity once logged. */
  let seen: ReadonlyMap<string, number> = new Map()
  return async () => {
    const writers = await storage.eventFeed.findOpenWriters()
    const now = performance.now()
    const next = new Map<string, number>()
    for (const { id, pid } of writers) {
      const since = seen.get(id) ?? now
      const isLate = seen.has(id) && now - since >= toleratedMs
      if (isLate)
        logger.warn({ pid }, 'an open transaction holds up an event feed: commit it, or end its session')
      next.set(id, isLate ? Number.POSITIVE_INFINITY : since)
    }
    seen = next
  }
}
