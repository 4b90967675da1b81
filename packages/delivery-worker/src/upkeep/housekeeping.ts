import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@quickquote/core'
import { createAlarm } from '../lib/alarm.ts'
import { type Backoff, createBackoff } from '../lib/backoff.ts'

export interface Housekeeping {
  /** Begins. */
  wake(): void
  /** Resolves once each task has been tried. */
  idle(): Promise<void>
  /** Begins nothing more. Resolves when the current tasks have ended, which may be never: limit the wait. */
  stop(): Promise<void>
  /** Tasks that have failed or hung for too long, in words. */
  warnings(): readonly string[]
}

export interface PeriodicTask {
  /** The failure, for the log. */
  readonly failure: string
  readonly everyMs: number
  run(): Promise<unknown>
}

/** The longest wait before a failed task is retried. */
const LONGEST_RETRY_MS = 60 * 1000
/** How long the other tasks wait for a slow one. It continues, and does not begin again until it has ended. */
const TURN_MS = 20 * 1000
/** A task that has failed for this long causes a warning. */
const TOLERATED_MS = 30 * 60 * 1000

/** Runs periodic tasks, one after another. A failing or hanging one does not block the others. */
export function createHousekeeping(tasks: readonly PeriodicTask[], logger: Logger): Housekeeping {
  const plans = tasks.map((task): Plan => {
    const backoff = createBackoff(logger, task.failure, LONGEST_RETRY_MS)
    return { task, backoff, dueAt: 0, begunAt: 0, underWay: undefined }
  })
  const alarm = createAlarm(doWhatIsDue)
  let onIdle = () => {}
  const idle = new Promise<void>((resolve) => (onIdle = resolve))
  let waiting: AbortController | undefined
  let isStopped = false

  async function doWhatIsDue(): Promise<void> {
    for (const plan of plans) {
      if (isStopped) return
      if (plan.underWay === undefined && performance.now() >= plan.dueAt) await begin(plan)
    }
    onIdle()
    ringForNext()
  }

  /** Resolves when the task has ended, or the others have waited long enough. */
  async function begin(plan: Plan): Promise<void> {
    const ended = new AbortController()
    waiting = ended
    plan.begunAt = performance.now()
    plan.underWay = run(plan).finally(() => {
      plan.underWay = undefined
      ended.abort()
      ringForNext()
    })
    await sleep(TURN_MS, undefined, { signal: ended.signal }).catch(() => undefined)
  }

  async function run(plan: Plan): Promise<void> {
    const { task, backoff } = plan
    try {
      await task.run()
      backoff.succeeded()
      plan.dueAt = performance.now() + task.everyMs
    } catch (error) {
      plan.dueAt = performance.now() + backoff.failed(error)
    }
  }

  function ringForNext(): void {
    const next = Math.min(...plans.filter(({ underWay }) => underWay === undefined).map(({ dueAt }) => dueAt))
    if (Number.isFinite(next)) alarm.ringIn(Math.max(next - performance.now(), 0))
  }

  return {
    wake: () => alarm.ringIn(0),
    idle: () => idle,
    async stop() {
      isStopped = true
      waiting?.abort()
      await alarm.stop()
      await Promise.all(plans.map(({ underWay }) => underWay))
    },
    warnings: () =>
      plans
        .filter((plan) => failingForMs(plan) > TOLERATED_MS)
        .map(({ task }) => `housekeeping: ${task.failure}`),
  }
}

/** A task and its state. */
interface Plan {
  readonly task: PeriodicTask
  readonly backoff: Backoff
  dueAt: number
  begunAt: number
  underWay: Promise<void> | undefined
}

function failingForMs({ backoff, underWay, begunAt }: Plan): number {
  return Math.max(backoff.failingForMs(), underWay === undefined ? 0 : performance.now() - begunAt)
}
