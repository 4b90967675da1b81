import {
  type AddressGuard,
  type Certificates,
  deliveryFailure,
  type EgressProxy,
  type Outcome,
} from '@quickquote/core/internal'
import { createAgent } from './agent.ts'
import { checkedLookup, createResolve, type Resolve } from './checked-lookup.ts'
import { type Exchanges, exchange, type Post } from './exchange.ts'
import { createOriginGate, type Turn } from './origin-gate.ts'

export interface Http {
  /**
   * Resolves when a request to this origin (scheme, host and port) may be sent. Literal addresses must be checked
   * before. Create the request only then: otherwise many waiting requests would burden the garbage collector.
   */
  turn(origin: string, organizationId: string): Promise<Turn>
  /** Sends once, without redirects and retries. Never rejects. null: nothing was sent, because `mayBegin` refused. */
  post(request: Post): Promise<Outcome | null>
  /** Aborts all requests, because the worker stops, and sends no more. */
  abort(): void
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
  const exchanges: Exchanges = { dispatch: agent.dispatch, timeoutMs, maxResponseBytes, now, underWay: [] }

  return {
    turn: gate,
    post: (post) => exchange(post, exchanges),
    abort() {
      const stopped = deliveryFailure('worker_stopped')
      exchanges.stopped = stopped
      for (const breakOff of [...exchanges.underWay]) breakOff(stopped)
    },
    close: () => agent.close(),
  }
}
