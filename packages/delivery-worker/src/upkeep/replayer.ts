import type { Logger, Storage } from '@quickquote/core'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'

export interface Replayer {
  start(): void
  stop(): Promise<void>
}

/** Events that are looked at in one transaction. */
const BATCH = 200

/** Leaves room for what is delivered as it happens. */
const PAUSE_MS = 50

/**
 * Moves replays on, a batch at a time, turn by turn. Every worker does it; no two work on the same one at once, and what
 * dies in the middle of a batch has done nothing of it.
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
  const backoff = createBackoff(logger, 'replays cannot be moved on')
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
