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
  /** From {@link Http.turn}. */
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

export interface Http {
  /**
   * Resolves when a request to this origin (scheme, host and port) may be sent. Literal addresses must be checked
   * before. Create the request only then: otherwise many waiting requests would burden the garbage collector.
   */
  turn(origin: string): Promise<Turn>
  /** Sends once, without redirects and retries. Never rejects. null: nothing was sent, because `mayBegin` refused. */
  post(request: Post): Promise<Outcome | null>
  /** Aborts all requests with this error, and sends no more. */
  abort(error: string): void
  /** Closes the sockets. */
  close(): Promise<void>
}

export interface HttpOptions {
  readonly guard: AddressGuard
  /** Milliseconds for everything: name, connection, TLS, request, headers, body. */
  readonly timeoutMs: number
  /** Decoded bytes of a body to read, even if it would decompress to gigabytes. */
  readonly maxResponseBytes: number
  /** Raw bytes of a response to read: status lines, informational responses, headers, chunk extensions, body, trailers. */
  readonly maxRawResponseBytes: number
  /** Sockets per origin while it responds quickly. */
  readonly socketsPerOrigin: number
  /** Trusted in addition to the public certificates. */
  readonly ca?: Certificates | undefined
  /** null: none. */
  readonly proxy: EgressProxy | null
  readonly now: () => Date
  /** Default: the name servers of this machine. */
  readonly resolve?: Resolve
}

/** After this time, a request lets another one open a socket beyond `socketsPerOrigin`. */
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
  // Not a Set: its outgrown tables keep their contents and each other alive, which cost a quarter of the processor time
  // of a delivery in garbage collection.
  const underWay: ((outcome: Outcome | null) => void)[] = []
  let stopped: Outcome | undefined

  function post({ turn, path, headers, body, listener, mayBegin }: Post): Promise<Outcome | null> {
    return new Promise((resolve) => {
      let controller: Dispatcher.DispatchController | undefined
      let answer: Outcome = { kind: 'error', ...NOT_HTTP }
      let encoding: string | undefined
      let isOver = false
      let reader: BodyReader | undefined
      // A busy process runs timers before it reads sockets, and must not mistake its own delay for the receiver's. An
      // immediate runs after the sockets.
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
        // undici gives the receiver one turn of the event loop to close a socket before it reuses it, and requests that
        // turn after this call. The next tick requests one right behind it.
        process.nextTick(setImmediate, turn.leave)
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
