import type { Integrations } from '@quickquote/core'
import { createAlarm } from '../lib/alarm.ts'
import { CANCELLED, type StartSignals } from './start-signals.ts'

/** Aborts the signals of quotes that were cancelled or erased, by any process. */
export interface EndedQuotes {
  /** Looks regularly while there are signals. */
  watch(): void
  /** Cancelling a quote wakes the workers, which call this. */
  abortCancelled(): Promise<void>
  stop(): Promise<void>
}

export function createEndedQuotes({
  integrations: { storage, settings },
  workerId,
  signals,
  pollIntervalMs,
}: {
  integrations: Pick<Integrations, 'storage' | 'settings'>
  workerId: string
  signals: StartSignals
  pollIntervalMs: number
}): EndedQuotes {
  const { logger, cancelsQuotations } = settings
  const alarm = createAlarm(look)

  async function abortCancelled(): Promise<void> {
    if (!cancelsQuotations) return
    try {
      signals.abort(await storage.pipelineStarts.findCancelled(workerId), CANCELLED)
    } catch (error) {
      logger.debug({ err: error }, 'cancelled quotes cannot be looked up')
    }
  }

  /** A quotation may be erased during its hook, or while a run continues with its signal. */
  async function look(): Promise<void> {
    const quotations = signals.quotations()
    if (quotations.length === 0) return
    alarm.ringIn(pollIntervalMs)
    // In case no notification arrived.
    await abortCancelled()
    try {
      signals.abort(await storage.erasure.findErased(quotations))
    } catch (error) {
      logger.debug({ err: error }, 'erased quotations cannot be looked up')
    }
  }

  return { watch: () => alarm.ringIn(pollIntervalMs), abortCancelled, stop: () => alarm.stop() }
}
