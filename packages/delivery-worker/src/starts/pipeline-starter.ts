import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Integrations } from '@quickquote/core'
import type { ClaimedStart } from '@quickquote/core/internal'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'
import { createClaiming } from '../lib/claiming.ts'
import { createIdleWaits } from '../lib/idle-waits.ts'
import { rarely } from '../lib/rarely.ts'
import type { WorkLoop } from '../lib/work-loop.ts'
import type { StartTelemetry } from '../telemetry/start-telemetry.ts'
import type { LifeSigns } from '../upkeep/heartbeat.ts'
import { createStartAttempt } from './start-attempt.ts'
import { createStartSignals } from './start-signals.ts'

/** The wait if another worker is claiming a due order. */
const CONTENDED_MS = 50

/**
 * Starts the host's pipeline for accepted quotes, and fails quotes whose pipeline cannot be started. `drain` aborts
 * starts in progress. They stay leased: the worker returns them when it deregisters, and they do not count as attempts.
 */
export function createPipelineStarter({
  integrations,
  workerId,
  lifeSigns,
  pollIntervalMs,
  telemetry,
  onHolding,
}: {
  integrations: Integrations
  workerId: string
  lifeSigns: LifeSigns
  pollIntervalMs: number
  telemetry: StartTelemetry
  /** Called when the loop may have begun to hold leases. */
  onHolding: () => void
}): WorkLoop {
  const { storage, settings } = integrations
  const { start: policy, logger, now } = settings
  const backoff = createBackoff(logger, 'pipeline starts cannot be claimed or completed')
  const alarm = createAlarm(round)
  /** The quotes whose starts this worker holds. */
  const leases = new Set<string>()
  const claiming = createClaiming(() => [...leases])
  const stopped = new AbortController()
  // Each unrecorded start listens to it.
  setMaxListeners(0, stopped.signal)
  const signals = createStartSignals({ integrations, workerId, pollIntervalMs })
  /** Starts in progress, with their controllers: a signal must not be collected before its start ends. */
  const underWay = new Map<Promise<unknown>, AbortController>()
  const attempt = createStartAttempt({ integrations, workerId, telemetry, persist })
  const idleWaits = createIdleWaits(() => alarm.ringIn(0))
  let isDraining = false

  async function round(): Promise<void> {
    if (underWay.size > 0) await signals.abortCancelled()
    const limit = policy.concurrency - underWay.size
    if (limit <= 0 || isDraining) return
    if (!lifeSigns.isFresh()) return alarm.ringIn(pollIntervalMs)
    const isHeld = lifeSigns.holding()
    const ended = idleWaits.round()
    try {
      const { claimed, nextDueAt } = await claiming.run((held) =>
        storage.pipelineStarts.claim({ workerId, limit, held, now: now() }),
      )
      for (const { quote } of claimed) leases.add(quote.id)
      if (claimed.length > 0) onHolding()
      backoff.succeeded()
      if (isDraining) return
      for (const start of claimed) begin(start, isHeld)
      // While any is in progress, each round looks for cancelled ones.
      const mostMs = underWay.size > 0 ? pollIntervalMs : rarely(pollIntervalMs)
      const dueInMs = nextDueAt === null ? mostMs : nextDueAt.getTime() - now().getTime()
      alarm.ringIn(Math.min(Math.max(dueInMs, claimed.length > 0 ? 0 : CONTENDED_MS), mostMs))
      idleWaits.claimed(claimed.length)
      ended(underWay.size === 0 && (nextDueAt === null || nextDueAt > now()))
    } catch (error) {
      alarm.ringIn(backoff.failed(error))
    }
  }

  function begin(start: ClaimedStart, isHeld: () => boolean): void {
    const { id, organization_id } = start.quote
    const controller = signals.create({ id, organization_id, since: now() })
    const run: Promise<unknown> = (isHeld() ? attempt(start, controller) : giveBack(start)).finally(() => {
      underWay.delete(run)
      leases.delete(start.quote.id)
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
    hasPlaces: () => !isDraining && backoff.failingForMs() === 0 && underWay.size < policy.concurrency,
    async drain() {
      isDraining = true
      signals.abortAll()
      await Promise.all(underWay.keys())
    },
    isHolding: () => leases.size > 0,
    idle: idleWaits.idle,
    claims: idleWaits.claims,
    async stop() {
      stopped.abort()
      idleWaits.end()
      await Promise.all([alarm.stop(), signals.stop()])
    },
  }
}
