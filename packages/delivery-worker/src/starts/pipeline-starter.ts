import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Integrations } from '@quickquote/core'
import type { ClaimedStart } from '@quickquote/core/internal'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'
import { createHeldLeases } from '../lib/held-leases.ts'
import { createIdleWaits } from '../lib/idle-waits.ts'
import type { StartTelemetry } from '../telemetry/start-telemetry.ts'
import { holds, type LifeSigns } from '../upkeep/heartbeat.ts'
import { createEndedQuotes } from './ended-quotes.ts'
import { createStartAttempt } from './start-attempt.ts'
import { createStartSignals } from './start-signals.ts'

export interface PipelineStarter {
  /** Call it when there may be an order. */
  wake(): void
  /** Claims no more orders and aborts starts in progress. Resolves when they have ended. */
  drain(): Promise<void>
  /** Resolves when nothing is due and nothing in progress, or with false once the starter has stopped. */
  idle(): Promise<boolean>
  /** The number of orders claimed so far. */
  claims(): number
  /** Stops waiting for starts that do not end. */
  stop(): Promise<void>
}

/** The wait if another worker is claiming a due order. */
const CONTENDED_MS = 50

/**
 * Starts the host's pipeline for accepted quotes, and fails quotes whose pipeline cannot be started. A start aborted by
 * a stop stays leased: the worker returns it when it deregisters, and it does not count as an attempt.
 */
export function createPipelineStarter({
  integrations,
  workerId,
  lifeSigns,
  pollIntervalMs,
  telemetry,
}: {
  integrations: Integrations
  workerId: string
  lifeSigns: LifeSigns
  pollIntervalMs: number
  telemetry: StartTelemetry
}): PipelineStarter {
  const { storage, settings } = integrations
  const { start: policy, logger, now } = settings
  const backoff = createBackoff(logger, 'pipeline starts cannot be claimed or completed')
  const alarm = createAlarm(round)
  const leases = createHeldLeases()
  const stopped = new AbortController()
  // Each unrecorded start listens to it.
  setMaxListeners(0, stopped.signal)
  const signals = createStartSignals()
  const endedQuotes = createEndedQuotes({ integrations, workerId, signals, pollIntervalMs })
  /** Starts in progress, with their controllers: a signal must not be collected before its start ends. */
  const underWay = new Map<Promise<unknown>, AbortController>()
  const attempt = createStartAttempt({ integrations, workerId, telemetry, persist })
  const idleWaits = createIdleWaits(() => alarm.ringIn(0))
  let isDraining = false

  async function round(): Promise<void> {
    if (underWay.size > 0) await endedQuotes.abortCancelled()
    const limit = policy.concurrency - underWay.size
    if (limit <= 0 || isDraining) return
    if (!lifeSigns.isFresh()) return alarm.ringIn(pollIntervalMs)
    const life = lifeSigns.life()
    const found = idleWaits.round()
    try {
      const { claimed, nextDueAt } = await leases.claiming((held) =>
        storage.pipelineStarts.claim({ workerId, limit, held, now: now() }),
      )
      leases.add(claimed.map(({ quote }) => quote.id))
      backoff.succeeded()
      if (isDraining) return
      for (const start of claimed) begin(start, life)
      const dueInMs = nextDueAt === null ? pollIntervalMs : nextDueAt.getTime() - now().getTime()
      alarm.ringIn(Math.min(Math.max(dueInMs, claimed.length > 0 ? 0 : CONTENDED_MS), pollIntervalMs))
      found(claimed.length, underWay.size === 0 && (nextDueAt === null || nextDueAt > now()))
    } catch (error) {
      alarm.ringIn(backoff.failed(error))
    }
  }

  function begin(start: ClaimedStart, life: number): void {
    const { id, organization_id } = start.quote
    const controller = signals.create({ id, organization_id, since: now() })
    endedQuotes.watch()
    const run: Promise<unknown> = (
      holds(lifeSigns, life) ? attempt(start, controller) : giveBack(start)
    ).finally(() => {
      underWay.delete(run)
      leases.remove([start.quote.id])
      alarm.ringIn(0)
    })
    underWay.set(run, controller)
  }

  function giveBack({ quote, attempt }: ClaimedStart): Promise<void> {
    return persist(() => storage.pipelineStarts.release({ workerId, quotationId: quote.id, attempt }))
  }

  /** Repeats a failed write until it succeeds or the worker stops waiting. */
  async function persist(write: () => Promise<void>): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        await write()
        return backoff.succeeded()
      } catch (error) {
        await sleep(backoff.failed(error), undefined, { signal: stopped.signal }).catch(() => undefined)
      }
    }
  }

  return {
    wake: () => alarm.ringIn(0),
    async drain() {
      isDraining = true
      signals.abortAll()
      await Promise.all(underWay.keys())
    },
    idle: idleWaits.idle,
    claims: idleWaits.claims,
    async stop() {
      stopped.abort()
      idleWaits.end()
      await Promise.all([alarm.stop(), endedQuotes.stop()])
    },
  }
}
