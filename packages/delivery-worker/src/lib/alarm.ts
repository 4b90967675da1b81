/** Runs one task repeatedly, on request. */
export interface Alarm {
  /** Requests a run after this many milliseconds. The earliest request counts. */
  ringIn(ms: number): void
  /** Requests a run after this many milliseconds, and none earlier. */
  ringAfter(ms: number): void
  /** Cancels further runs. Resolves when the current run has ended. */
  stop(): Promise<void>
}

/** Below the maximum of Node's timers. A longer wait is split. */
const LONGEST_MS = 24 * 60 * 60 * 1000

/**
 * Never runs the task twice at once: requests during a run are served after it.
 * @param task must not reject
 */
export function createAlarm(task: () => Promise<void>): Alarm {
  let ringsAt = Number.POSITIVE_INFINITY
  let quietUntil = 0
  let timer: NodeJS.Timeout | undefined
  let immediate: NodeJS.Immediate | undefined
  let running: Promise<void> | undefined
  let isStopped = false

  function clear(): void {
    clearTimeout(timer)
    clearImmediate(immediate)
  }

  function set(): void {
    clear()
    if (isStopped || running !== undefined || ringsAt === Number.POSITIVE_INFINITY) return
    const waitMs = ringsAt - performance.now()
    if (waitMs <= 0) immediate = setImmediate(ring)
    else timer = setTimeout(ring, waitMs)
  }

  function ring(): void {
    ringsAt = Number.POSITIVE_INFINITY
    running = task().finally(() => {
      running = undefined
      set()
    })
  }

  function ringIn(ms: number): void {
    const at = Math.max(performance.now() + Math.min(ms, LONGEST_MS), quietUntil)
    if (at >= ringsAt) return
    ringsAt = at
    set()
  }

  return {
    ringIn,
    ringAfter(ms) {
      quietUntil = performance.now() + ms
      ringsAt = Number.POSITIVE_INFINITY
      ringIn(ms)
    },
    async stop() {
      isStopped = true
      clear()
      await running
    },
  }
}
