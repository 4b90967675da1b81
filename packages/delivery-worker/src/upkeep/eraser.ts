import type { Integrations } from '@quickquote/core'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'

export interface Eraser {
  start(): void
  stop(): Promise<void>
}

/** Leaves room for other work: a batch is followed by a pause as long as the batch, and at least this long. */
const PAUSE_MS = 20

/** A file storage or a host's database may be down for long. */
const LONGEST_RETRY_MS = 60_000

/**
 * Erases organizations one batch at a time. Every worker does this. Each batch is a transaction, so a crash leaves
 * nothing half done.
 */
export function createEraser(
  { continueErasing, settings: { logger } }: Pick<Integrations, 'continueErasing' | 'settings'>,
  pollIntervalMs: number,
): Eraser {
  const backoff = createBackoff(
    logger,
    'erasing an organization failed; it will be tried again',
    LONGEST_RETRY_MS,
  )
  const alarm = createAlarm(async () => {
    try {
      const begun = performance.now()
      const isMore = await continueErasing()
      backoff.succeeded()
      alarm.ringIn(isMore ? Math.max(PAUSE_MS, performance.now() - begun) : pollIntervalMs)
    } catch (error) {
      alarm.ringIn(backoff.failed(error))
    }
  })
  return { start: () => alarm.ringIn(0), stop: () => alarm.stop() }
}
