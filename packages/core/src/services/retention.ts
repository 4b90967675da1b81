import { keptSince } from '../model/retention.ts'
import type { Context } from '../settings.ts'
import type { RetentionStorage } from '../storage/retention.ts'

/** Rows per statement. */
const BATCH = 1000

/**
 * Removes expired history: events and attempts with their unfinished deliveries, audit entries, and finished replays.
 * Abandons the files of old quotes, for `requirementsFiles.deleteAbandoned`. Safe to run in any number of processes.
 */
export async function enforceRetention({ storage, settings }: Context<'retention'>): Promise<void> {
  const { retention, logger } = settings
  const now = await settings.clock.read()
  const eventsSince = keptSince(now, retention.eventDays)

  const { parked, pending } = await expireDeliveries(storage.retention, eventsSince, now)
  if (pending > 0) logger.warn({ deliveries: pending }, 'gave up deliveries whose events are no longer kept')
  const strays = await storage.retention.removeStrayLeases(
    new Date(now.getTime() - settings.delivery.timeoutMs - 60_000),
  )
  if (strays > 0) logger.warn({ deliveries: strays }, 'removed deliveries whose events are gone')
  const { events, attempts, isKept } = await storage.retention.removeHistory(eventsSince)
  await storage.retention.forgetReplays(eventsSince)
  await storage.retention.forgetKeyUses(eventsSince)

  const auditEntries = await inBatches(retention.auditDays, (since) =>
    storage.retention.removeAuditEntries(since, BATCH),
  )
  const files = await inBatches(retention.fileDays, (since) =>
    storage.retention.abandonFilesOfEndedQuotations(since, BATCH, now),
  )
  const removed = { events, attempts, parked_deliveries: parked, audit_entries: auditEntries, files }
  if (Object.values(removed).some((count) => count > 0)) logger.info(removed, 'removed expired data')
  if (isKept) {
    logger.warn(
      { event_days: retention.eventDays },
      'the database keeps history for longer than retention.eventDays: its owner can lower retention_floor',
    )
  }

  async function inBatches(days: number, remove: (since: Date) => Promise<number>): Promise<number> {
    if (days === 0) return 0
    let total = 0
    for (;;) {
      const count = await remove(keptSince(now, days))
      total += count
      if (count < BATCH) return total
    }
  }
}

async function expireDeliveries(
  storage: RetentionStorage,
  before: Date,
  now: Date,
): Promise<{ parked: number; pending: number }> {
  const total = { parked: 0, pending: 0 }
  for (;;) {
    const { parked, pending } = await storage.expireDeliveries(before, BATCH, now)
    total.parked += parked
    total.pending += pending
    if (parked + pending < BATCH) return total
  }
}
