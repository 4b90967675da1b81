import type { Logger, Storage } from '@quickquote/core'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'

export interface Replayer {
  start(): void
  stop(): Promise<void>
}

/** Events per transaction. */
const BATCH = 200

/** Leaves room for new deliveries. */
const PAUSE_MS = 50

/**
 * Advances replays in turn, one batch at a time. Every worker does this, but no two on the same replay at once. A crash
 * within a batch leaves nothing half done.
 */
export function createReplayer({
  storage,
  pollIntervalMs,
  logger,
  now,
}: {
  storage: Pick<Storage, 'replays'>
  pollIntervalMs: number
  logger: Logger
  now: () => Date
}): Replayer {
  const backoff = createBackoff(logger, 'replays cannot continue')
  const alarm = createAlarm(async () => {
    try {
      const moved = await storage.replays.advance(BATCH, now())
      backoff.succeeded()
      alarm.ringIn(moved ? PAUSE_MS : pollIntervalMs)
    } catch (error) {
      alarm.ringIn(backoff.failed(error))
    }
  })
  return { start: () => alarm.ringIn(0), stop: () => alarm.stop() }
}
