import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Integrations } from '@quickquote/core'
import type { ClaimedStart } from '@quickquote/core/internal'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'
import { createHeldLeases } from '../lib/held-leases.ts'
import type { StartTelemetry } from '../telemetry/start-telemetry.ts'
import { holds, type LifeSigns } from '../upkeep/heartbeat.ts'
import { createStartAttempt } from './start-attempt.ts'
import { createStartSignals } from './start-signals.ts'

export interface PipelineStarter {
  /** There may be an order. */
  wake(): void
  /** Takes no more orders and aborts the starts that are under way. Resolves when they have ended. */
  drain(): Promise<void>
  /** Waits no more for starts that do not end. */
  stop(): Promise<void>
}

/** The wait when an order is due that another worker is just taking. */
const CONTENDED_MS = 50

/**
 * Hands accepted quotes to the host's pipeline, and fails a quote whose pipeline cannot be started. An order that was
 * broken off by a stop stays leased: the worker gives it back when it retires, and the try does not count.
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
  const backoff = createBackoff(logger, 'orders to start pipelines cannot be claimed or ended')
  const alarm = createAlarm(round)
  const erasedAlarm = createAlarm(abortErased)
  const leases = createHeldLeases()
  const stopped = new AbortController()
  // Each start that cannot be recorded waits for it.
  setMaxListeners(0, stopped.signal)
  const signals = createStartSignals()
  /** The starts that are under way, with what breaks each off: its signal must not be lost before that. */
  const underWay = new Map<Promise<unknown>, AbortController>()
  const attempt = createStartAttempt({ integrations, workerId, telemetry, persist })
  let isDraining = false

  async function round(): Promise<void> {
    const limit = policy.concurrency - underWay.size
    if (limit <= 0 || isDraining) return
    if (!lifeSigns.isFresh()) return alarm.ringIn(pollIntervalMs)
    const life = lifeSigns.life()
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
    } catch (error) {
      alarm.ringIn(backoff.failed(error))
    }
  }

  /** A quotation may be erased in any process, while its hook is called or a run of the host goes on with its signal. */
  async function abortErased(): Promise<void> {
    const quotes = signals.quotes()
    if (quotes.length === 0) return
    erasedAlarm.ringIn(pollIntervalMs)
    try {
      signals.abort(await storage.erasure.findErased(quotes))
    } catch (error) {
      logger.debug({ err: error }, 'erased quotations cannot be asked for now')
    }
  }

  function begin(start: ClaimedStart, life: number): void {
    const { id, organization_id } = start.quote
    const controller = signals.create({ id, organization_id, since: now() })
    erasedAlarm.ringIn(pollIntervalMs)
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

  /** Repeats what the database failed at, until it is done or the worker stops waiting. */
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
    async stop() {
      stopped.abort()
      await Promise.all([alarm.stop(), erasedAlarm.stop()])
    },
  }
}
