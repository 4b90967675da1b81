import { answerInTime, type Turn } from './answer-in-time.ts'
import { IntegrationError } from './errors.ts'
import type { Logger } from './logger.ts'

/** A call of the host's code on behalf of a client. */
export interface HostCall {
  /** Names the hook in the log. */
  readonly hook: string
  readonly timeoutMs: number
  /** Gets the cause. Without one the caller finds it in the error. */
  readonly logger?: Logger
  /** Errors that the host means for the client, which are passed on as they are. Default none. */
  readonly isAnswer?: (error: unknown) => boolean
}

/**
 * Calls code of the host's. A hook that throws or hangs is no fault of the client's.
 * @throws IntegrationError SERVICE_UNAVAILABLE, with the cause, which no client sees
 */
export async function callHost<T>(
  { hook, timeoutMs, logger, isAnswer = () => false }: HostCall,
  call: (turn: Turn) => T | PromiseLike<T>,
): Promise<T> {
  try {
    return await answerInTime(hook, timeoutMs, call)
  } catch (error) {
    if (isAnswer(error)) throw error
    logger?.error({ hook, err: error }, 'a hook of the host failed')
    throw new IntegrationError('SERVICE_UNAVAILABLE', undefined, { cause: error })
  }
}
