import type { Logger, WorkerStorage } from '@quickquote/core'
import { createAlarm } from './alarm.ts'
import { createTrouble } from './trouble.ts'

export interface Heartbeat {
  /** The first beat: rejects when the database cannot be reached. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Milliseconds since the last beat. */
  ageMs(): number
}

export interface HeartbeatOptions {
  readonly storage: WorkerStorage
  readonly workerId: string
  readonly everyMs: number
  /** How long a worker may be silent before the others take over what it held. */
  readonly deadAfterMs: number
  readonly maxAttempts: number
  readonly logger: Logger
  readonly now: () => Date
}

/**
 * Tells that this worker lives, and takes over what dead ones held.
 *
 * It judges nobody before it has itself beaten without a pause for as long as that takes: after an outage of the database
 * every worker looks dead, and each of them still has the outcomes of what it was sending.
 */
export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { storage, workerId, everyMs, deadAfterMs, maxAttempts, logger, now } = options
  const trouble = createTrouble(logger, 'the heartbeat of this worker fails')
  const alarm = createAlarm(beatAndRecover)
  let lastBeat = Number.NEGATIVE_INFINITY
  let steadySince = 0

  async function beat(): Promise<void> {
    await storage.heartbeat(workerId)
    const at = performance.now()
    if (at - lastBeat >= deadAfterMs) steadySince = at
    lastBeat = at
  }

  async function beatAndRecover(): Promise<void> {
    try {
      await beat()
      if (performance.now() - steadySince >= deadAfterMs) await recover()
      trouble.over()
      alarm.ringIn(everyMs)
    } catch (error) {
      alarm.ringIn(Math.min(trouble.failed(error), everyMs))
    }
  }

  async function recover(): Promise<void> {
    const recovered = await storage.recoverDeadWorkers({ silentForMs: deadAfterMs, maxAttempts, now: now() })
    if (recovered.deliveries + recovered.starts > 0) {
      logger.warn(recovered, 'took over from a worker that is no longer there')
    }
  }

  return {
    async start() {
      await beat()
      alarm.ringIn(everyMs)
    },
    stop: () => alarm.stop(),
    ageMs: () => Math.round(performance.now() - lastBeat),
  }
}
