import { randomUUID } from 'node:crypto'
import type { Quote, Storage } from '@quickquote/core'
import type { ClaimedStart } from '@quickquote/core/internal'
import { type DueWorkOptions, ownerCheck, untilNothingIsDue } from '../lib/due-work.ts'
import { createStartTelemetry } from '../telemetry/start-telemetry.ts'
import { openTelemetry } from '../telemetry/telemetry.ts'
import { createStartAttempt } from './start-attempt.ts'
import type { StartAttemptResult } from './start-result.ts'

/** One call of the pipeline hook: its quote, its attempt number and its result. */
export interface StartTry {
  readonly quote: Quote
  /** `start`, or `cancel` for a quote that was cancelled after its start. */
  readonly hook: ClaimedStart['hook']
  /** 1 for the first. */
  readonly attempt: number
  readonly result: StartAttemptResult
}

/**
 * Calls the pipeline hook for each quote whose start, or cancelling, is due by the clock of the integrations, one after
 * another: the counterpart of `deliverDue`. As with a worker, a failed call is recorded and retried when due.
 *
 * @returns the calls
 * @throws the storage's error if the database cannot be reached
 */
export async function startDue({
  integrations,
  organizationIds,
}: DueWorkOptions): Promise<readonly StartTry[]> {
  const { storage, settings } = integrations
  const isWanted = ownerCheck(organizationIds)
  const telemetry = createStartTelemetry(openTelemetry())
  const tries: StartTry[] = []

  await settings.clock.ready()
  await untilNothingIsDue(settings.now, async () => {
    const { wanted, nextDueAt } = await storage.transaction((transaction) =>
      claim(transaction, isWanted, settings.now()),
    )
    for (const { workerId, start } of wanted) {
      const attempt = createStartAttempt({ integrations, workerId, telemetry, persist: (write) => write() })
      tries.push({
        quote: start.quote,
        hook: start.hook,
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
 * Each order is claimed under its own worker id, because a worker returns all its orders when it deregisters. Orders of
 * others are returned in the same transaction, so that nobody sees them missing.
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
    // Without a claim, due orders are held by others, or have ended and been removed.
    if (start === undefined) break
    if (isWanted(start.quote.organization_id)) {
      await transaction.workers.heartbeat(workerId)
      wanted.push({ workerId, start })
    } else others.push(workerId)
  }
  for (const workerId of others) await transaction.workers.retire(workerId)
  return { wanted, nextDueAt }
}
