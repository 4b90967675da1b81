/** Runs one task again and again, whenever it is asked to. */
export interface Alarm {
  /** Asks for a run in so many milliseconds. The earliest of several asks counts. */
  ringIn(ms: number): void
  /** Rings no more. Resolves when the run that is under way has ended. */
  stop(): Promise<void>
}

/** Node's timers take no more; whoever waits longer is woken once for nothing. */
const LONGEST_MS = 24 * 60 * 60 * 1000

/**
 * The task never runs twice at once: asks that come while it runs are kept until it has ended.
 * @param task must not reject
 */
export function createAlarm(task: () => Promise<void>): Alarm {
  let ringsAt = Number.POSITIVE_INFINITY
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

  return {
    ringIn(ms) {
      const at = performance.now() + Math.min(ms, LONGEST_MS)
      if (at >= ringsAt) return
      ringsAt = at
      set()
    },
    async stop() {
      isStopped = true
      clear()
      await running
    },
  }
}
