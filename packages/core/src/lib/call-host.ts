import { answerInTime, type Turn } from './answer-in-time.ts'
import { IntegrationError } from './errors.ts'
import type { Logger } from './logger.ts'

/** A call of the host's code for a client. */
export interface HostCall {
  /** The name of the hook in the log. */
  readonly hook: string
  readonly timeoutMs: number
  /** Logs the cause. Without a logger, the caller finds it in the error. */
  readonly logger?: Logger
  /** Recognizes errors that the host intends for the client. They are rethrown. Default none. */
  readonly isAnswer?: (error: unknown) => boolean
}

/**
 * Calls the host's code. The client is not to blame if it throws or hangs.
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
