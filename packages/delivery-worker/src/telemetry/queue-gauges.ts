import type { BatchObservableCallback, ObservableCallback } from '@opentelemetry/api'
import type { Logger, Storage } from '@quickquote/core'
import { instrument, METRICS } from './metrics.ts'
import type { Telemetry } from './telemetry.ts'

/**
 * Observes the queue and the attempts in flight, with one statement per collection.
 * @returns stops it
 */
export function observeQueue({
  telemetry: { meter },
  storage,
  inFlight,
  logger,
  now,
}: {
  telemetry: Telemetry
  storage: Pick<Storage, 'telemetry'>
  inFlight: () => number
  logger: Logger
  now: () => Date
}): () => void {
  const depth = meter.createObservableGauge(...instrument(METRICS.queueDepth))
  const age = meter.createObservableGauge(...instrument(METRICS.oldestAge))
  const underWay = meter.createObservableGauge(...instrument(METRICS.inFlight))

  const observeWaiting: BatchObservableCallback = async (result) => {
    try {
      const at = now()
      const { due, paused, scheduled, oldestDueAt } = await storage.telemetry.readQueueState(at)
      result.observe(depth, due, { 'quickquote.queue.state': 'due' })
      result.observe(depth, paused, { 'quickquote.queue.state': 'paused' })
      result.observe(depth, scheduled, { 'quickquote.queue.state': 'scheduled' })
      result.observe(age, oldestDueAt === null ? 0 : (at.getTime() - oldestDueAt.getTime()) / 1000)
    } catch (error) {
      logger.debug({ err: error }, 'the queue could not be measured')
    }
  }
  const observeInFlight: ObservableCallback = (result) => result.observe(inFlight())

  meter.addBatchObservableCallback(observeWaiting, [depth, age])
  underWay.addCallback(observeInFlight)
  return () => {
    meter.removeBatchObservableCallback(observeWaiting, [depth, age])
    underWay.removeCallback(observeInFlight)
  }
}
