import { TimeoutError } from './errors.ts'

/** Whether it is the error of an aborted call. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** The error of an aborted call, whatever the signal's reason. */
function abortError(signal: AbortSignal): Error {
  const { reason } = signal
  return isAbort(reason) ? reason : new DOMException('The call was aborted', 'AbortError')
}

/** @throws AbortError */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      if (signal !== undefined) reject(abortError(signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/**
 * Runs `work` with a signal that aborts with the caller's, or after the timeout.
 * @throws AbortError, TimeoutError
 */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal?.aborted) throw abortError(signal)
  const controller = new AbortController()
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    controller.abort()
  }, timeoutMs)
  const onAbort = () => controller.abort()
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await work(controller.signal)
  } catch (error) {
    if (signal?.aborted) throw abortError(signal)
    throw timedOut ? new TimeoutError(`No response within ${timeoutMs} ms`) : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
