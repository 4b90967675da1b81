import type { AddressGuard, Certificates, EgressProxy, Outcome } from '@quickquote/core/internal'
import type { Dispatcher } from 'undici'
import { createAgent } from './agent.ts'
import { type BodyReader, createBodyReader } from './body-reader.ts'
import { AnswerTooLongError } from './bounded-answers.ts'
import { BlockedAddressError, checkedLookup, createResolve, type Resolve } from './checked-lookup.ts'
import { createOriginGate, type Turn } from './origin-gate.ts'
import { ProxyError } from './proxy-tunnel.ts'
import type { ResponseListener } from './response-sample.ts'
import { parseRetryAfter } from './retry-after.ts'
import { describeTransportError, NOT_HTTP } from './transport-error.ts'

interface Post {
  /** What {@link Http.turn} gave. */
  readonly turn: Turn
  /** With the query string. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Hears of the answer, up to the bytes that are read of it. */
  readonly listener?: ResponseListener
  /** Asked right before the first byte is sent, on a connection that is there. Default: yes. */
  readonly mayBegin?: () => boolean
}

export interface Http {
  /**
   * Resolves when it is the turn of a request to this origin: scheme, host and port. The host was checked if it is an address.
   * Make the request then, not before: where many wait, what they hold is what the garbage collector has to carry around.
   */
  turn(origin: string): Promise<Turn>
  /**
   * Sends once: no redirect is followed and nothing is sent again. Never rejects. null when nothing was sent, since
   * `mayBegin` said no.
   */
  post(request: Post): Promise<Outcome | null>
  /** Breaks off what is under way, and sends no more: the outcome is this error. */
  abort(error: string): void
  /** Closes the sockets. */
  close(): Promise<void>
}

export interface HttpOptions {
  readonly guard: AddressGuard
  /** Milliseconds for all of it: name, connection, TLS, request, headers, body. */
  readonly timeoutMs: number
  /** Bytes of a decoded body that are read: of one that would unpack to gigabytes, no more than these. */
  readonly maxResponseBytes: number
  /** Raw bytes of an answer that are read: status lines, informational answers, headers, chunk extensions, body, trailers. */
  readonly maxRawResponseBytes: number
  /** Sockets of one origin while it answers quickly. */
  readonly socketsPerOrigin: number
  /** Trusted in addition to the public certificates. */
  readonly ca?: Certificates | undefined
  /** null: none. */
  readonly proxy: EgressProxy | null
  readonly now: () => Date
  /** Default: the name servers of this machine. */
  readonly resolve?: Resolve
}

/** How long a request may take before another one gets a socket beyond `socketsPerOrigin`. */
const SLOW_AFTER_MS = 25

export function createHttp(options: HttpOptions): Http {
  const { guard, timeoutMs, maxResponseBytes, now, resolve: resolveName = createResolve() } = options
  const agent = createAgent({
    lookup: checkedLookup(guard, resolveName),
    connectTimeoutMs: timeoutMs,
    maxAnswerBytes: options.maxRawResponseBytes,
    ca: options.ca,
    proxy: options.proxy,
  })
  const gate = createOriginGate({ sockets: options.socketsPerOrigin, slowAfterMs: SLOW_AFTER_MS })
  // No Set: the tables that it outgrows keep all that was in them, each other, and so the collector busy (a quarter of the
  // processor time of a delivery).
  const underWay: ((outcome: Outcome | null) => void)[] = []
  let stopped: Outcome | undefined

  function post({ turn, path, headers, body, listener, mayBegin }: Post): Promise<Outcome | null> {
    return new Promise((resolve) => {
      let controller: Dispatcher.DispatchController | undefined
      let answer: Outcome = { kind: 'error', ...NOT_HTTP }
      let encoding: string | undefined
      let isOver = false
      let reader: BodyReader | undefined
      // A process that was busy sees its timers before what its sockets hold: it must not mistake its own delay for the
      // receiver's. An immediate comes after the sockets.
      const timer = setTimeout(setImmediate, timeoutMs, timeOut)
      underWay.push(breakOff)

      function timeOut(): void {
        if (isOver) return
        breakOff({ kind: 'error', code: 'timeout', error: `timed out after ${timeoutMs} ms` })
      }

      function end(outcome: Outcome | null): void {
        if (isOver) return
        isOver = true
        underWay.splice(underWay.indexOf(breakOff), 1)
        clearTimeout(timer)
        reader?.close()
        // undici gives a socket a turn of the event loop to be closed by its receiver, then takes it back. It asks for that
        // after this call: the next tick asks right behind it.
        process.nextTick(setImmediate, turn.leave)
        resolve(outcome)
      }

      /** The connection is lost with it. */
      function breakOff(outcome: Outcome | null): void {
        end(outcome)
        controller?.abort(new Error('broken off'))
      }

      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(started) {
          controller = started
          // It may have waited for its connection until its time was over: then it must not be sent any more.
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
              end(answer)
            },
            onLimit: () => breakOff(answer),
          })
          reader.write(chunk)
        },
        onResponseEnd() {
          if (reader === undefined) end(answer)
          else reader.end()
        },
        onResponseError(_, error) {
          const isHeadThere = answer.kind === 'response'
          end(isHeadThere && error instanceof AnswerTooLongError ? answer : outcomeOf(error))
        },
      }

      if (stopped !== undefined) return end(stopped)
      try {
        agent.dispatch({ origin: turn.origin, path, headers, body, method: 'POST' }, handler)
      } catch (error) {
        end(outcomeOf(error))
      }
    })
  }

  return {
    turn: gate,
    post,
    abort(error) {
      stopped = { kind: 'error', code: 'worker_stopped', error }
      for (const breakOff of [...underWay]) breakOff(stopped)
    },
    close: () => agent.close(),
  }
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof BlockedAddressError) return { kind: 'blocked', error: error.message }
  if (error instanceof ProxyError) return { kind: 'error', code: error.code, error: error.message }
  return { kind: 'error', ...describeTransportError(error) }
}
