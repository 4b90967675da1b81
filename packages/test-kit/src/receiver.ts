import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Certificate, createCertificate } from './certificate.ts'

/** A complete received request. */
export interface ReceivedWebhook {
  readonly method: string
  /** Including the query string. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly rawBody: Buffer
  readonly receivedAt: Date
}

/** A response of the receiver, after `delayMs`. */
export type ReceiverResponse = { readonly delayMs?: number } & (
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      /** An async iterable is sent chunk by chunk: a slow or endless body. */
      readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>
    }
  /** Never responds; the connection stays open. */
  | { readonly hang: true }
  /** Sends a TCP reset. */
  | { readonly reset: true }
)

export interface ReceiverOptions {
  /** Default: a new one. */
  readonly certificate?: Certificate
  /** Default: any free port. */
  readonly port?: number
  /** Default: 204. */
  readonly respond?: (request: ReceivedWebhook) => ReceiverResponse | Promise<ReceiverResponse>
}

export interface Receiver {
  /** `https://127.0.0.1:<port>`; any path works. */
  readonly url: string
  readonly certificate: Certificate
  /** All requests, oldest first, whatever the response. */
  readonly requests: readonly ReceivedWebhook[]
  /**
   * The oldest matching request that no earlier `next` returned; waits for it, 30 s by default.
   *
   * @throws Error after the timeout, or if the receiver stops.
   */
  next(
    predicate?: (request: ReceivedWebhook) => boolean,
    options?: { timeoutMs?: number },
  ): Promise<ReceivedWebhook>
  /** Waits for at least this many requests, 30 s by default, and returns all of them. Throws like `next`. */
  waitFor(count: number, options?: { timeoutMs?: number }): Promise<readonly ReceivedWebhook[]>
  /** Closes all connections, even hanging ones. Safe to call again. */
  stop(): Promise<void>
}

const DEFAULT_TIMEOUT_MS = 30_000

/** Starts an HTTPS server on 127.0.0.1 that records requests, and responds or misbehaves on request. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { certificate = await createCertificate(), respond = () => ({ status: 204 }) } = options
  const requests: ReceivedWebhook[] = []
  const taken = new Set<ReceivedWebhook>()
  /** Checked after each request; true once satisfied. */
  const waiting = new Set<{ satisfied(): boolean; fail(reason: string): void }>()
  /** The TCP sockets below TLS, by the peer's port: only they can be reset. */
  const sockets = new Map<number, Socket>()

  const server = createServer(certificate, (request, response) => {
    // Peers that disconnect halfway are part of the tests.
    handle(request, response).catch(() => response.destroy())
  })
  server.on('connection', (socket: Socket) => {
    const port = socket.remotePort ?? 0
    sockets.set(port, socket)
    socket.once('close', () => sockets.delete(port))
  })

  /** An error of `respond` is a mistake in the test and must be visible. */
  async function answerTo(received: ReceivedWebhook): Promise<ReceiverResponse> {
    try {
      return await respond(received)
    } catch (error) {
      return { status: 500, body: `The receiver's respond() threw: ${error}` }
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received: ReceivedWebhook = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      rawBody: await buffer(request),
      receivedAt: new Date(),
    }
    requests.push(received)
    for (const waiter of [...waiting]) if (waiter.satisfied()) waiting.delete(waiter)

    const answer = await answerTo(received)
    if (answer.delayMs !== undefined) await sleep(answer.delayMs, undefined, { ref: false })
    if ('hang' in answer) return
    if ('reset' in answer) {
      sockets.get(request.socket.remotePort ?? 0)?.resetAndDestroy()
      return
    }
    response.writeHead(answer.status, answer.headers)
    if (answer.body === undefined || typeof answer.body === 'string' || answer.body instanceof Uint8Array) {
      response.end(answer.body)
      return
    }
    response.flushHeaders()
    const body = Readable.from(answer.body)
    response.once('close', () => body.destroy())
    body.on('error', () => response.destroy())
    body.pipe(response)
  }

  function wait<T>(look: () => T | undefined, what: string, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(waiter)
        waiter.fail(`did not arrive within ${timeoutMs} ms`)
      }, timeoutMs)
      const waiter = {
        satisfied() {
          const found = look()
          if (found === undefined) return false
          clearTimeout(timer)
          resolve(found)
          return true
        },
        fail(reason: string) {
          clearTimeout(timer)
          const seen = requests.map((request) => `${request.method} ${request.path}`).join(', ')
          reject(new Error(`${what} ${reason}. Received: ${seen || 'nothing'}`))
        },
      }
      if (!waiter.satisfied()) waiting.add(waiter)
    })
  }

  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port')

  return {
    url: `https://127.0.0.1:${address.port}`,
    certificate,
    requests,
    next(predicate = () => true, { timeoutMs } = {}) {
      const look = () => {
        const found = requests.find((request) => !taken.has(request) && predicate(request))
        if (found !== undefined) taken.add(found)
        return found
      }
      return wait(look, 'The next webhook', timeoutMs)
    },
    waitFor(count, { timeoutMs } = {}) {
      return wait(() => (requests.length >= count ? requests : undefined), `Webhook ${count}`, timeoutMs)
    },
    async stop() {
      if (!server.listening) return
      for (const waiter of waiting) waiter.fail('cannot arrive: the receiver has stopped')
      waiting.clear()
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets.values()) socket.destroy()
      await closed
    },
  }
}
