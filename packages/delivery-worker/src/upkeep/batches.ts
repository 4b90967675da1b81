import type { Logger } from '@quickquote/core'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'

export interface Batches {
  /** Call it when there may be something to do. */
  wake(): void
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
  pollIntervalMs,
  logger,
}: {
  /** Does one batch, in one transaction. Returns whether there may be more. */
  advance: () => Promise<boolean>
  /** For the log. */
  failure: string
  pollIntervalMs: number
  logger: Logger
}): Batches {
  const backoff = createBackoff(logger, failure)
  const alarm = createAlarm(async () => {
    try {
      const isMore = await advance()
      backoff.succeeded()
      alarm.ringIn(isMore ? PAUSE_MS : pollIntervalMs)
    } catch (error) {
      alarm.ringIn(backoff.failed(error))
    }
  })
  return { wake: () => alarm.ringIn(0), stop: () => alarm.stop() }
}
