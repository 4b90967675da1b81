import { TLSSocket } from 'node:tls'
import { type buildConnector, Client, type Dispatcher } from 'undici'
import { type Answers, boundAnswers } from './bounded-answers.ts'

/** How long idle connections stay open. A receiver's `Keep-Alive: timeout` may shorten it, and never lengthens it. */
export const IDLE_MS = 30_000

/** How long a connection is used, so that a busy endpoint follows its DNS. */
const MAX_AGE_MS = 60_000

/** A connection to a receiver, for one request at a time. */
export interface Connection {
  /** @throws for an invalid request */
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void
  /** Whether it has carried a request before, and no byte has arrived since the latest one was sent. */
  isSilentAfterReuse(): boolean
  /** The receiver's TLS alert, after which undici says "other side closed". */
  alert(): Error | undefined
  /** Ends its use. If the response `isWhole`, the next request may use it. */
  release(isWhole: boolean): void
}

/** The connections of a worker. Any number of them: see `origin-gate.ts` for how few suffice. */
export interface Connections {
  /** One that is free, or a new one. */
  take(origin: string): Connection
  /** A new one. */
  open(origin: string): Connection
  /** Closes all of them. */
  close(): Promise<void>
}

/**
 * Connections by origin, each an HTTP client of undici with one socket. Its own pools do not tell which connection a
 * request uses, so they could not repeat one on a new connection, nor only if the old one had been used before.
 * @param options.maxRawBytes of each response
 * @param options.idleMs how long an idle connection stays open
 * @param options.now a monotonic clock in milliseconds
 */
export function createConnections({
  connect,
  maxRawBytes,
  idleMs = IDLE_MS,
  now = () => performance.now(),
}: {
  readonly connect: buildConnector.connector
  readonly maxRawBytes: number
  readonly idleMs?: number | undefined
  readonly now?: () => number
}): Connections {
  const clients = new Set<Client>()
  /** By origin, the last used one last. */
  const idle = new Map<string, Idle[]>()

  function open(origin: string): Connection {
    let answers: Answers | undefined
    let alert: Error | undefined
    let openedAt = now()
    const client = new Client(origin, {
      connect: (target, callback) =>
        connect(target, (...result) => {
          const [, socket] = result
          openedAt = now()
          socket?.once('error', (error: NodeJS.ErrnoException) => {
            if (error.code?.startsWith('ERR_SSL')) alert = error
          })
          answers = socket instanceof TLSSocket ? boundAnswers(socket, maxRawBytes) : undefined
          callback(...result)
        }),
      // Over HTTP/2, requests would share a socket, and its bytes would not be those of one response.
      allowH2: false,
      maxHeaderSize: maxRawBytes,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // One timer covers the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    clients.add(client)
    const connection: Connection = {
      dispatch: (request, handler) => void client.dispatch(request, handler),
      isSilentAfterReuse: () => answers?.isSilentAfterReuse() ?? false,
      alert: () => alert,
      release(isWhole) {
        if (!isWhole || isOld()) return discard()
        const others = idle.get(origin)
        if (others === undefined) idle.set(origin, [own])
        else others.push(own)
      },
    }
    const own: Idle = { connection, isOld, discard }
    // Only an idle client is discarded: one with a waiting request connects again.
    client.on('disconnect', () => {
      if (removeIdle(origin, own)) discard()
    })

    function isOld(): boolean {
      return now() - openedAt >= MAX_AGE_MS
    }

    function discard(): void {
      clients.delete(client)
      void client.destroy()
    }

    return connection
  }

  function removeIdle(origin: string, own: Idle): boolean {
    const all = idle.get(origin) ?? []
    const index = all.indexOf(own)
    if (index === -1) return false
    all.splice(index, 1)
    if (all.length === 0) idle.delete(origin)
    return true
  }

  return {
    open,
    take(origin) {
      for (;;) {
        const last = idle.get(origin)?.at(-1)
        if (last === undefined) return open(origin)
        removeIdle(origin, last)
        if (!last.isOld()) return last.connection
        last.discard()
      }
    },
    async close() {
      await Promise.all([...clients].map((client) => client.destroy()))
    },
  }
}

interface Idle {
  readonly connection: Connection
  isOld(): boolean
  discard(): void
}
