import { randomUUID } from 'node:crypto'
import type { Certificates, ClaimedDelivery, SettledAttempt } from '@quickquote/core/internal'
import { type DueWorkOptions, ownerCheck, untilNothingIsDue } from '../lib/due-work.ts'
import { openTelemetry } from '../telemetry/telemetry.ts'
import { createUnusableKeys } from '../upkeep/unusable-keys.ts'
import type { Dispatch } from './dispatch.ts'
import { returned } from './held-deliveries.ts'
import type { Sender } from './sender.ts'

export interface DeliverDueOptions extends DueWorkOptions {
  /** Certificates (PEM) to trust in addition to the public ones. Default: `egress.ca` of the integrations. */
  readonly ca?: Certificates
}

/** Large enough for a claim to see everything that is due, unless an endpoint exceeds its share. */
const CLAIM = { limit: 100_000, perEndpoint: 100 }

/**
 * Sends everything that is due by the clock of the integrations, and whatever becomes due meanwhile. For tests and
 * scripts that cannot wait for a worker: while the clock stands still, no retry becomes due. Sends one webhook at a
 * time, oldest event first; workers send many at once.
 *
 * @returns the attempts, successful or not. Each is recorded, as with a worker.
 * @throws the storage's error if the database cannot be reached
 */
export async function deliverDue({
  integrations,
  organizationIds,
  ca,
}: DeliverDueOptions): Promise<readonly SettledAttempt[]> {
  const { storage, settings } = integrations
  const workerId = randomUUID()
  const isWanted = ownerCheck(organizationIds)
  const attempts: SettledAttempt[] = []
  let settled: SettledAttempt[] = []
  let sender: Sender | undefined

  /** Created lazily: often nothing is due. */
  async function dispatch(delivery: ClaimedDelivery): ReturnType<Dispatch> {
    sender ??= (await import('./sender.ts')).createSender({
      integrations,
      ca,
      socketsPerOrigin: 1,
      telemetry: openTelemetry(),
      unusableKeys: createUnusableKeys({ storage, ...settings }),
    })
    return sender.dispatch(delivery)
  }

  /** Claimed deliveries of others are returned in the same transaction, so that nobody sees them missing. */
  function claim(): Promise<{ wanted: ClaimedDelivery[]; nextDueAt: Date | null }> {
    return storage.transaction(async (transaction) => {
      const round = { workerId, settled, ...CLAIM, now: settings.now() }
      const { claimed, nextDueAt } = await transaction.deliveries.round(round)
      const others = claimed.filter(({ organization_id }) => !isWanted(organization_id))
      if (others.length > 0) await transaction.deliveries.release(workerId, others)
      const wanted = claimed.filter(({ organization_id }) => isWanted(organization_id))
      if (wanted.length > 0) await transaction.workers.heartbeat(workerId)
      return { wanted, nextDueAt }
    })
  }

  await settings.clock.ready()
  while (await storage.deliveries.catchUp(settings.now()));
  try {
    await untilNothingIsDue(settings.now, async () => {
      const { wanted, nextDueAt } = await claim()
      settled = []
      // Event ids sort by creation.
      for (const delivery of wanted.sort(byEvent)) {
        const attempt = await dispatch(delivery)
        if (attempt.status === 'unbegun') await storage.deliveries.release(workerId, [returned(attempt)])
        else settled.push(attempt)
      }
      attempts.push(...settled)
      return { found: wanted.length > 0, nextDueAt }
    })
  } finally {
    await sender?.http.close()
    if (sender !== undefined) await storage.workers.retire(workerId)
  }
  return attempts
}

function byEvent(one: ClaimedDelivery, other: ClaimedDelivery): number {
  return one.event_id < other.event_id ? -1 : 1
}
