import { deliveryFailure, type Outcome } from '@quickquote/core/internal'
import type { Dispatcher } from 'undici'
import { type BodyReader, createBodyReader } from './body-reader.ts'
import { AnswerTooLongError } from './bounded-answers.ts'
import { BlockedAddressError } from './checked-lookup.ts'
import type { Turn } from './origin-gate.ts'
import { ProxyError } from './proxy-tunnel.ts'
import type { ResponseListener } from './response-sample.ts'
import { parseRetryAfter } from './retry-after.ts'
import { describeTransportError } from './transport-error.ts'

export interface Post {
  /** From `Http.turn`. */
  readonly turn: Turn
  /** Including the query string. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Receives the response, up to the bytes that are read. */
  readonly listener?: ResponseListener
  /** Checked right before the first byte is sent, on an open connection. Default: yes. */
  readonly mayBegin?: () => boolean
}

/** Shared by all requests of a worker. */
export interface Exchanges {
  readonly dispatch: Dispatcher['dispatch']
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly now: () => Date
  /**
   * Breaks off each request in flight. Not a Set: its outgrown tables keep their contents and each other alive,
   * which cost a quarter of the processor time of a delivery in garbage collection.
   */
  readonly underWay: ((outcome: Outcome | null) => void)[]
  /** The outcome of all further requests, if they have been stopped. */
  stopped?: Outcome
}

/** Sends a request and reads its response: see `Http.post`. */
export function exchange(
  { turn, path, headers, body, listener, mayBegin }: Post,
  { dispatch, timeoutMs, maxResponseBytes, now, underWay, stopped }: Exchanges,
): Promise<Outcome | null> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined
    let answer: Outcome = deliveryFailure('not_http')
    let encoding: string | undefined
    let isOver = false
    let reader: BodyReader | undefined
    // A busy process runs timers before it reads sockets, and must not mistake its own delay for the receiver's. An
    // immediate runs after the sockets.
    const timer = setTimeout(setImmediate, timeoutMs, timeOut)
    underWay.push(breakOff)

    function timeOut(): void {
      if (isOver) return
      breakOff(deliveryFailure('timeout', timeoutMs))
    }

    function end(outcome: Outcome | null, isAnswered = false): void {
      if (isOver) return
      isOver = true
      underWay.splice(underWay.indexOf(breakOff), 1)
      clearTimeout(timer)
      reader?.close()
      // undici gives the receiver one turn of the event loop to close a socket before it reuses it, and requests that
      // turn after this call. The next tick requests one right behind it.
      process.nextTick(setImmediate, turn.leave, isAnswered)
      resolve(outcome)
    }

    /** Its connection is lost, too. */
    function breakOff(outcome: Outcome | null): void {
      end(outcome)
      controller?.abort(new Error('broken off'))
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        // It may have waited for a connection until its time was over, and must not be sent any more.
        if (isOver) started.abort(new Error('broken off'))
        else if (mayBegin?.() === false) breakOff(null)
      },
      onResponseStart(_, httpStatus, answerHeaders) {
        listener?.began()
        encoding = answerHeaders['content-encoding']?.toString()
        answer = {
          kind: 'response',
          httpStatus,
          retryAfterMs: parseRetryAfter(answerHeaders['retry-after'], now()),
        }
      },
      onResponseData(_, chunk) {
        reader ??= createBodyReader({
          encoding,
          maxBytes: maxResponseBytes,
          onData: (bytes) => listener?.data(bytes),
          onEnd: () => {
            listener?.ended()
            end(answer, true)
          },
          onLimit: () => breakOff(answer),
        })
        reader.write(chunk)
      },
      onResponseEnd() {
        if (reader === undefined) end(answer, true)
        else reader.end()
      },
      onResponseError(_, error) {
        const isHeadThere = answer.kind === 'response'
        end(isHeadThere && error instanceof AnswerTooLongError ? answer : outcomeOf(error))
      },
    }

    if (stopped !== undefined) return end(stopped)
    try {
      dispatch({ origin: turn.origin, path, headers, body, method: 'POST' }, handler)
    } catch (error) {
      end(outcomeOf(error))
    }
  })
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof BlockedAddressError) return { kind: 'blocked', error: error.message }
  if (error instanceof ProxyError) return error.failure
  return describeTransportError(error)
}
