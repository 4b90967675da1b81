import type { Context } from '../settings.ts'

/**
 * Lets new positions of the event feed follow the stored ones, and reports it: after a move by logical replication, which
 * copies rows but no sequences, events would get positions that readers have passed. For the first process that starts.
 */
export async function repairFeed({ storage, settings: { logger } }: Context<'eventFeed'>): Promise<void> {
  // Requests and rounds report what else is wrong with the database.
  const repaired = await storage.eventFeed.repair().catch(() => null)
  if (repaired === null) return
  logger.warn(
    { moved_events: repaired.moved },
    'the positions of the event feed were behind the stored events, as after a move without sequences; new events now follow the highest',
  )
}
