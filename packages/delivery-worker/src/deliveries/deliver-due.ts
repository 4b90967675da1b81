import { randomUUID } from 'node:crypto'
import type { Certificates, ClaimedDelivery, SettledAttempt } from '@quickquote/core/internal'
import { type DueWorkOptions, ownerCheck, untilNothingIsDue } from '../lib/due-work.ts'
import { openTelemetry } from '../telemetry/telemetry.ts'
import { version } from '../version.ts'
import type { Dispatch } from './dispatch.ts'
import { createSender, type Sender } from './sender.ts'

export interface DeliverDueOptions extends DueWorkOptions {
  /** Certificates (PEM) that are trusted in addition to the public ones. Default: `egress.ca` of the integrations. */
  readonly ca?: Certificates
}

/** So much is claimed at once that a claim sees all that is due, unless an endpoint has more than its share. */
const CLAIM = { limit: 100_000, perEndpoint: 100 }

/**
 * Sends what is due by the clock of the integrations, and what becomes due meanwhile, and returns when nothing is left:
 * for tests and scripts that cannot wait for a worker. With a clock that stands still, a retry is due when the clock was
 * moved, and not before. It sends one webhook after another, the oldest event first; workers send many at once.
 *
 * @returns the attempts that were made, whatever came of them. Each is on record, as those of a worker are.
 * @throws what the storage throws when the database cannot be reached
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

  /** Trusting certificates takes its time, which nobody has to spend for whom nothing is due. */
  function dispatch(delivery: ClaimedDelivery): ReturnType<Dispatch> {
    sender ??= createSender({ integrations, ca, socketsPerOrigin: 1, telemetry: openTelemetry(version) })
    return sender.dispatch(delivery)
  }

  /** What was claimed of others goes back in the same transaction: nobody sees that it was gone. */
  function claim(): Promise<{ wanted: ClaimedDelivery[]; nextDueAt: Date | null }> {
    return storage.transaction(async (transaction) => {
      const round = { workerId, settled, ...CLAIM, now: settings.now() }
      const { claimed, nextDueAt } = await transaction.deliveries.settleAndClaim(round)
      const others = claimed.filter(({ organization_id }) => !isWanted(organization_id))
      if (others.length > 0) await transaction.deliveries.release(workerId, others)
      const wanted = claimed.filter(({ organization_id }) => isWanted(organization_id))
      if (wanted.length > 0) await transaction.workers.heartbeat(workerId)
      return { wanted, nextDueAt }
    })
  }

  await settings.clock.settle()
  try {
    await untilNothingIsDue(settings.now, async () => {
      const { wanted, nextDueAt } = await claim()
      settled = []
      // Ids of events are made in their order.
      for (const delivery of wanted.sort(byEvent)) {
        const attempt = await dispatch(delivery)
        if (attempt.status === 'unbegun') await storage.deliveries.release(workerId, [attempt.delivery])
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
