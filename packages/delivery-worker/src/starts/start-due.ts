import { randomUUID } from 'node:crypto'
import type { Quote, Storage } from '@quickquote/core'
import type { ClaimedStart } from '@quickquote/core/internal'
import { type DueWorkOptions, ownerCheck, untilNothingIsDue } from '../lib/due-work.ts'
import { createStartTelemetry } from '../telemetry/start-telemetry.ts'
import { openTelemetry } from '../telemetry/telemetry.ts'
import { version } from '../version.ts'
import { createStartAttempt, type StartAttemptResult } from './start-attempt.ts'

/** A call of the pipeline hook that was made: for which quote, the how manieth, and how it ended. */
export interface StartTry {
  readonly quote: Quote
  /** 1 for the first. */
  readonly attempt: number
  readonly result: StartAttemptResult
}

/**
 * Hands the quotes whose start is due, by the clock of the integrations, to the pipeline hook, one after another: what
 * `deliverDue` is to webhooks. A hook that throws is recorded and tried again when the next try is due, as a worker does it.
 *
 * @returns the calls that were made
 * @throws what the storage throws when the database cannot be reached
 */
export async function startDue({
  integrations,
  organizationIds,
}: DueWorkOptions): Promise<readonly StartTry[]> {
  const { storage, settings } = integrations
  const isWanted = ownerCheck(organizationIds)
  const telemetry = createStartTelemetry(openTelemetry(version))
  const tries: StartTry[] = []

  await settings.clock.settle()
  await untilNothingIsDue(settings.now, async () => {
    const { wanted, nextDueAt } = await storage.transaction((transaction) =>
      claim(transaction, isWanted, settings.now()),
    )
    for (const { workerId, start } of wanted) {
      const attempt = createStartAttempt({ integrations, workerId, telemetry, persist: (write) => write() })
      tries.push({
        quote: start.quote,
        attempt: start.attempt,
        result: await attempt(start, new AbortController()),
      })
      await storage.workers.retire(workerId)
    }
    return { found: wanted.length > 0, nextDueAt }
  })
  return tries
}

interface Claim {
  readonly wanted: readonly { readonly workerId: string; readonly start: ClaimedStart }[]
  readonly nextDueAt: Date | null
}

/**
 * Each order is claimed by a worker of its own, since a worker gives all of its orders back when it retires: those of
 * others do, in the same transaction, so that nobody sees that they were gone.
 */
async function claim(
  transaction: Storage,
  isWanted: (organizationId: string) => boolean,
  now: Date,
): Promise<Claim> {
  const wanted: { workerId: string; start: ClaimedStart }[] = []
  const others: string[] = []
  let nextDueAt: Date | null
  for (;;) {
    const workerId = randomUUID()
    const round = await transaction.pipelineStarts.claim({ workerId, limit: 1, now })
    nextDueAt = round.nextDueAt
    const [start] = round.claimed
    // Without a claim, what is due is held by others, or had ended and was removed.
    if (start === undefined) break
    if (isWanted(start.quote.organization_id)) {
      await transaction.workers.heartbeat(workerId)
      wanted.push({ workerId, start })
    } else others.push(workerId)
  }
  for (const workerId of others) await transaction.workers.retire(workerId)
  return { wanted, nextDueAt }
}
