/** The host's share of alternating code. Its time stops while ours runs. */
export interface Turn {
  stop(): void
  /** Restarts the time. */
  start(): void
}

/**
 * Calls host code that may throw, reject or hang. Nothing waits for it after the timeout, and the wait alone does not
 * keep the process alive.
 * @param what names it in the error, or creates the error
 * @throws Error after `timeoutMs` milliseconds, and any error of the call
 */
export async function answerInTime<T>(
  what: string | (() => Error),
  timeoutMs: number,
  call: (turn: Turn) => T | PromiseLike<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let giveUp: () => void = () => {}
  const tooLong = new Promise<never>((_, reject) => {
    giveUp = () =>
      reject(typeof what === 'string' ? new Error(`${what} did not respond within ${timeoutMs} ms`) : what())
  })
  const turn: Turn = {
    stop: () => clearTimeout(timer),
    start() {
      clearTimeout(timer)
      if (!isOver) timer = setTimeout(giveUp, timeoutMs).unref()
    },
  }
  turn.start()
  try {
    return await Promise.race([(async () => call(turn))(), tooLong])
  } finally {
    isOver = true
    turn.stop()
  }
}
