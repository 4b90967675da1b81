/**
 * Calls code of the host's, which may throw, reject or hang. What it still does after the time is up is not waited for,
 * and the wait alone keeps no process alive.
 * @param what names it in the error
 * @throws Error after `timeoutMs` milliseconds, and whatever the call throws
 */
export async function answerInTime<T>(
  what: string,
  timeoutMs: number,
  call: () => T | PromiseLike<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not answer within ${timeoutMs} ms`)), timeoutMs)
    timer.unref()
  })
  try {
    return await Promise.race([(async () => call())(), timeout])
  } finally {
    clearTimeout(timer)
  }
}
