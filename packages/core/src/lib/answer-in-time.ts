/** The host's turn, for code that takes turns with ours: its time stands still while ours runs. */
export interface Turn {
  stop(): void
  /** Its time begins anew. */
  start(): void
}

/**
 * Calls code of the host's, which may throw, reject or hang. What it still does after the time is up is not waited for,
 * and the wait alone keeps no process alive.
 * @param what names it in the error
 * @throws Error after `timeoutMs` milliseconds, and whatever the call throws
 */
export async function answerInTime<T>(
  what: string,
  timeoutMs: number,
  call: (turn: Turn) => T | PromiseLike<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let giveUp: () => void = () => {}
  const tooLong = new Promise<never>((_, reject) => {
    giveUp = () => reject(new Error(`${what} did not answer within ${timeoutMs} ms`))
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
