import type { Integrations } from '@quickquote/core'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'

export interface Eraser {
  start(): void
  stop(): Promise<void>
}

/** Leaves room for what others do. */
const PAUSE_MS = 20

/** A file storage, or a host's database, may be away for long. */
const LONGEST_RETRY_MS = 60_000

/**
 * Erases organizations, a batch at a time. Every worker does it; each batch is a transaction, so what dies in the middle of
 * one has done nothing of it.
 */
export function createEraser(
  { continueErasing, settings: { logger } }: Pick<Integrations, 'continueErasing' | 'settings'>,
  pollIntervalMs: number,
): Eraser {
  const backoff = createBackoff(logger, 'an organization cannot be erased further', LONGEST_RETRY_MS)
  const alarm = createAlarm(async () => {
    try {
      const isMore = await continueErasing()
      backoff.succeeded()
      alarm.ringIn(isMore ? PAUSE_MS : pollIntervalMs)
    } catch (error) {
      alarm.ringIn(backoff.failed(error))
    }
  })
  return { start: () => alarm.ringIn(0), stop: () => alarm.stop() }
}
