import { deliveryFailure, type Outcome } from '@quickquote/core/internal'
import { type ConnectOptions, createConnector } from './connect.ts'
import { createConnections } from './connections.ts'
import { type Exchanges, exchange, type Post } from './exchange.ts'
import { createOriginGate, type Turn } from './origin-gate.ts'

export interface Http {
  /**
   * Resolves when a request to this origin (scheme, host and port) may be sent. Literal addresses must be checked
   * before. Create the request only then: otherwise many waiting requests would burden the garbage collector.
   */
  turn(origin: string, organizationId: string): Promise<Turn>
  /**
   * Sends once, without redirects and retries; again only if a connection used before was closed without a byte of the
   * response. Never rejects. null: nothing was sent, because `mayBegin` refused.
   */
  post(request: Post): Promise<Outcome | null>
  /** Aborts all requests, because the worker stops, and sends no more. */
  abort(): void
  /** Closes the sockets. */
  close(): Promise<void>
}

export interface HttpOptions extends ConnectOptions {
  /** Raw bytes of a response to read: status lines, informational responses, headers, chunk extensions, body, trailers. */
  readonly maxRawResponseBytes: number
  /** Decoded bytes of a body to read, even if it would decompress to gigabytes. */
  readonly maxResponseBytes: number
  /** Sockets per origin while it responds quickly. */
  readonly socketsPerOrigin: number
  /** How long an idle connection stays open. Default: 30 s. */
  readonly idleMs?: number
  readonly now: () => Date
  /** A request was sent again, because its connection, which had been used before, was closed. */
  readonly onResent?: () => void
}

/** After this time, a request lets another one open a socket beyond `socketsPerOrigin`. */
const SLOW_AFTER_MS = 25

export function createHttp(options: HttpOptions): Http {
  const { timeoutMs, maxResponseBytes, now, onResent = () => undefined } = options
  const connector = createConnector(options)
  const { connect } = connector
  const connections = createConnections({
    connect,
    maxRawBytes: options.maxRawResponseBytes,
    idleMs: options.idleMs,
  })
  const exchanges: Exchanges = { connections, timeoutMs, maxResponseBytes, now, onResent, underWay: [] }

  return {
    turn: createOriginGate({ sockets: options.socketsPerOrigin, slowAfterMs: SLOW_AFTER_MS }),
    post: (post) => exchange(post, exchanges),
    abort() {
      const stopped = deliveryFailure('worker_stopped')
      exchanges.stopped = stopped
      for (const breakOff of [...exchanges.underWay]) breakOff(stopped)
    },
    async close() {
      connector.close()
      await connections.close()
    },
  }
}
