import type { Integrations } from '@quickquote/core'
import { createAlarm } from '../lib/alarm.ts'

/** A quotation whose hook was called. */
interface RunningQuotation {
  readonly id: string
  readonly organization_id: string
  /** When its hook was called. */
  readonly since: Date
}

/** The reason of a signal whose quote was cancelled. */
export const CANCELLED = new DOMException('The quote was cancelled.', 'AbortError')

/** The signals of pipeline hooks. They abort if their quote is cancelled or erased, by any process. */
export interface StartSignals {
  /** Its signal may abort even after its call has ended, for a run that continues with it. */
  create(quotation: RunningQuotation): AbortController
  abortAll(): void
  /** Cancelling a quote wakes the workers, which call this. */
  abortCancelled(): Promise<void>
  /** Looks no more for quotes that have ended. */
  stop(): Promise<void>
}

/**
 * Signals are only tracked while something references them, so that nothing of a finished start is kept, even if its
 * hook left a listener. `AbortSignal.any` leaks on Node 20 and 22.
 */
export function createStartSignals({
  integrations: { storage, settings },
  workerId,
  pollIntervalMs,
}: {
  integrations: Pick<Integrations, 'storage' | 'settings'>
  workerId: string
  pollIntervalMs: number
}): StartSignals {
  const { logger } = settings
  const controllers = new WeakMap<AbortSignal, AbortController>()
  const signals = new Map<WeakRef<AbortSignal>, RunningQuotation>()
  const registry = new FinalizationRegistry<WeakRef<AbortSignal>>((signal) => signals.delete(signal))
  const alarm = createAlarm(look)

  function abortWhere(isMeant: (quotation: RunningQuotation) => boolean, reason?: unknown): void {
    for (const [reference, quotation] of signals) {
      if (!isMeant(quotation)) continue
      signals.delete(reference)
      const signal = reference.deref()
      if (signal !== undefined) controllers.get(signal)?.abort(reason)
    }
  }

  async function abortCancelled(): Promise<void> {
    if (storage.quotations.cancelStart === undefined) return
    try {
      const cancelled = await storage.pipelineStarts.findCancelled(workerId)
      abortWhere(({ id }) => cancelled.has(id), CANCELLED)
    } catch (error) {
      logger.debug({ err: error }, 'cancelled quotes cannot be looked up')
    }
  }

  /** A quotation may be erased during its hook, or while a run continues with its signal. */
  async function look(): Promise<void> {
    const running = [...signals.values()]
    if (running.length === 0) return
    alarm.ringIn(pollIntervalMs)
    // In case no notification arrived.
    await abortCancelled()
    try {
      const erased = await storage.erasure.findErased(running)
      abortWhere(({ id }) => erased.has(id))
    } catch (error) {
      logger.debug({ err: error }, 'erased quotations cannot be looked up')
    }
  }

  return {
    create(quotation) {
      const controller = new AbortController()
      const signal = new WeakRef(controller.signal)
      controllers.set(controller.signal, controller)
      signals.set(signal, quotation)
      registry.register(controller.signal, signal)
      alarm.ringIn(pollIntervalMs)
      return controller
    },
    abortAll: () => abortWhere(() => true),
    abortCancelled,
    stop: () => alarm.stop(),
  }
}
