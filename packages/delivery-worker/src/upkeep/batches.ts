import type { Logger } from '@quickquote/core'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'

export interface Batches {
  /** Call it when there may be something to do. */
  wake(): void
  /** Resolves once there was nothing to do, or a batch has failed. */
  idle(): Promise<void>
  stop(): Promise<void>
}

/** Leaves room for new deliveries. */
const PAUSE_MS = 50

/**
 * Long work in the database, such as a replay, one batch at a time. Every worker does this, but no two the same batch. A
 * crash within a batch leaves nothing half done.
 */
export function createBatches({
  advance,
  failure,
  pauseMs = () => PAUSE_MS,
  longestRetryMs,
  pollIntervalMs,
  logger,
}: {
  /** Does one batch, in one transaction. Returns whether there may be more. */
  advance: () => Promise<boolean>
  /** For the log. */
  failure: string
  /** The pause after a batch that took this long. Default 50. */
  pauseMs?: (tookMs: number) => number
  /** Default: that of `createBackoff`. */
  longestRetryMs?: number
  pollIntervalMs: number
  logger: Logger
}): Batches {
  const backoff = createBackoff(logger, failure, longestRetryMs)
  let onIdle = () => {}
  const idle = new Promise<void>((resolve) => (onIdle = resolve))
  const alarm = createAlarm(async () => {
    const begun = performance.now()
    try {
      const isMore = await advance()
      backoff.succeeded()
      if (!isMore) onIdle()
      alarm.ringIn(isMore ? pauseMs(performance.now() - begun) : pollIntervalMs)
    } catch (error) {
      onIdle()
      alarm.ringIn(backoff.failed(error))
    }
  })
  return { wake: () => alarm.ringIn(0), idle: () => idle, stop: () => alarm.stop() }
}
