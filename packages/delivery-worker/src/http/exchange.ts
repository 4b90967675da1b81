import { deliveryFailure, FAILURE_DETAILS, type HttpResponse, type Outcome } from '@quickquote/core/internal'
import type { Dispatcher } from 'undici'
import { type BodyReader, createBodyReader } from './body-reader.ts'
import { AnswerTooLongError } from './bounded-answers.ts'
import { BlockedAddressError } from './checked-lookup.ts'
import type { Connection, Connections } from './connections.ts'
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
  readonly connections: Pick<Connections, 'take' | 'open'>
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly now: () => Date
  readonly onResent: () => void
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
  { connections, timeoutMs, maxResponseBytes, now, onResent, underWay, stopped }: Exchanges,
): Promise<Outcome | null> {
  return new Promise((resolve) => {
    let connection: Connection | undefined
    let controller: Dispatcher.DispatchController | undefined
    /** Once the status and the headers have arrived. */
    let answer: HttpResponse | undefined
    let encoding: string | undefined
    let isResent = false
    let isOver = false
    let reader: BodyReader | undefined
    // A busy process runs timers before it reads sockets, and must not mistake its own delay for the receiver's. An
    // immediate runs after the sockets.
    const timer = setTimeout(setImmediate, timeoutMs, timeOut)
    underWay.push(breakOff)

    function send(next: Connection): void {
      connection = next
      next.dispatch({ path, headers, body, method: 'POST' }, handler)
    }

    function timeOut(): void {
      if (isOver) return
      const failure = deliveryFailure('timeout', timeoutMs)
      breakOff(answer === undefined ? failure : incomplete(answer, failure.error))
    }

    function end(outcome: Outcome | null, isWhole = false): void {
      if (isOver) return
      isOver = true
      underWay.splice(underWay.indexOf(breakOff), 1)
      clearTimeout(timer)
      reader?.close()
      connection?.release(isWhole)
      // undici gives the receiver one turn of the event loop to close a socket before it reuses it, and requests that
      // turn after this call. The next tick requests one right behind it.
      process.nextTick(setImmediate, turn.leave, isWhole)
      resolve(outcome)
    }

    /** Ends the request, and closes its connection. */
    function breakOff(outcome: Outcome | null): void {
      end(outcome)
      controller?.abort(new Error('broken off'))
    }

    function endWhole(whole: HttpResponse): void {
      listener?.ended()
      end(whole, true)
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        // It may have waited for a connection until its time was over, and must not be sent any more.
        if (isOver) started.abort(new Error('broken off'))
        else if (!isResent && mayBegin?.() === false) breakOff(null)
      },
      onResponseStart(_, statusCode, answerHeaders) {
        listener?.began(statusCode, answerHeaders)
        encoding = answerHeaders['content-encoding']?.toString()
        answer = {
          kind: 'response',
          statusCode,
          retryAfterMs: parseRetryAfter(answerHeaders['retry-after'], now()),
        }
        if (isWithoutBody(statusCode) && announcesBody(answerHeaders)) {
          listener?.ended()
          breakOff(answer)
        }
      },
      onResponseData(_, chunk) {
        const response = answer
        if (response === undefined) return
        reader ??= createBodyReader({
          encoding,
          maxBytes: maxResponseBytes,
          onData: (bytes) => listener?.data(bytes),
          onEnd: () => endWhole(response),
          onLimit: () => breakOff(response),
        })
        reader.write(chunk)
      },
      onResponseEnd() {
        if (reader !== undefined) reader.end()
        else if (answer !== undefined) end(answer, true)
      },
      onResponseError(_, fault) {
        const error = connection?.alert() ?? fault
        if (!isOver && !isResent && isClosed(error) && connection?.isSilentAfterReuse()) {
          isResent = true
          onResent()
          connection.release(false)
          trySending(() => connections.open(turn.origin))
        } else if (answer === undefined) end(outcomeOf(error))
        else end(error instanceof AnswerTooLongError ? answer : incomplete(answer, causeOf(error)))
      },
    }

    function trySending(connect: () => Connection): void {
      try {
        send(connect())
      } catch (error) {
        end(outcomeOf(error))
      }
    }

    if (stopped !== undefined) return end(stopped)
    trySending(() => connections.take(turn.origin))
  })
}

/** Their head is the whole response, whatever it says about a body (RFC 9112, 6.3). */
function isWithoutBody(status: number): boolean {
  return status === 204 || status === 304
}

/** undici would wait for that body, or fail. Its bytes may be on their way: the connection cannot be used again. */
function announcesBody(headers: Readonly<Record<string, string | readonly string[] | undefined>>): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function incomplete(answer: HttpResponse, cause: string): HttpResponse {
  return { ...answer, incomplete: deliveryFailure('response_incomplete', cause) }
}

/** Why a body is incomplete. */
function causeOf(error: Error): string {
  if (isClosed(error)) return INCOMPLETE.closed
  const { code } = error as NodeJS.ErrnoException
  return code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
    ? INCOMPLETE.contradiction
    : describeTransportError(error).error
}

const INCOMPLETE = FAILURE_DETAILS.response_incomplete

/** A FIN or a reset. */
function isClosed(error: Error): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof BlockedAddressError) return { kind: 'blocked', error: error.message }
  if (error instanceof ProxyError) return error.failure
  return describeTransportError(error)
}
