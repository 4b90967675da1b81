import type { Logger, Storage } from '@quickquote/core'
import type { PolledWork } from '@quickquote/core/internal'
import { createAlarm } from '../lib/alarm.ts'
import { createBackoff } from '../lib/backoff.ts'

/** Looks for work of all kinds at intervals, in one statement, and wakes those whose work is due. */
export interface Polls {
  start(): void
  stop(): Promise<void>
}

export function createPolls({
  storage,
  now,
  logger,
  everyMs,
  wake,
}: {
  readonly storage: Pick<Storage, 'workers'>
  readonly now: () => Date
  readonly logger: Logger
  readonly everyMs: number
  readonly wake: Readonly<Record<PolledWork, () => void>>
}): Polls {
  const backoff = createBackoff(logger, 'work cannot be looked for')
  const alarm = createAlarm(async () => {
    try {
      const found = await storage.workers.findWork(now())
      backoff.succeeded()
      for (const [work, isDue] of Object.entries(found)) if (isDue) wake[work as PolledWork]()
      alarm.ringIn(everyMs)
    } catch (error) {
      alarm.ringIn(backoff.failed(error))
    }
  })
  return { start: () => alarm.ringIn(everyMs), stop: () => alarm.stop() }
}
