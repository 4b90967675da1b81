import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Certificate, createCertificate } from './certificate.ts'

/** A request as it came, whole. */
export interface ReceivedWebhook {
  readonly method: string
  /** With the query string. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly rawBody: Buffer
  readonly receivedAt: Date
}

/** What the receiver does with a request; `delayMs` is waited before that. */
export type ReceiverResponse = { readonly delayMs?: number } & (
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      /** An async iterable is sent piece by piece: a slow body, or one that never ends. */
      readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>
    }
  /** Never answers; the connection stays open. */
  | { readonly hang: true }
  /** Answers with a TCP reset. */
  | { readonly reset: true }
)

export interface ReceiverOptions {
  /** Default: a new one. */
  readonly certificate?: Certificate
  /** Default: a free one. */
  readonly port?: number
  /** Default: 204. */
  readonly respond?: (request: ReceivedWebhook) => ReceiverResponse | Promise<ReceiverResponse>
}

export interface Receiver {
  /** `https://127.0.0.1:<port>`; every path is taken. */
  readonly url: string
  readonly certificate: Certificate
  /** All that came, oldest first, whatever was answered. */
  readonly requests: readonly ReceivedWebhook[]
  /**
   * The oldest request that matches and that no earlier `next` returned; waits for it, 30 s by default.
   *
   * @throws Error when the time is over or the receiver stops.
   */
  next(
    predicate?: (request: ReceivedWebhook) => boolean,
    options?: { timeoutMs?: number },
  ): Promise<ReceivedWebhook>
  /** Waits until at least so many requests have come, 30 s by default, and returns all of them. Throws as `next` does. */
  waitFor(count: number, options?: { timeoutMs?: number }): Promise<readonly ReceivedWebhook[]>
  /** Closes every connection, also those that hang. Calling it again does nothing. */
  stop(): Promise<void>
}

const DEFAULT_TIMEOUT_MS = 30_000

/** Starts an HTTPS server on 127.0.0.1 that keeps what it receives and answers, or misbehaves, as it is told. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { certificate = await createCertificate(), respond = () => ({ status: 204 }) } = options
  const requests: ReceivedWebhook[] = []
  const taken = new Set<ReceivedWebhook>()
  /** Asked again after each request; true when they have what they wait for. */
  const waiting = new Set<{ satisfied(): boolean; fail(reason: string): void }>()
  /** The TCP sockets below TLS, by the peer's port: only they can be reset. */
  const sockets = new Map<number, Socket>()

  const server = createServer(certificate, (request, response) => {
    // A peer that goes away in the middle is part of the trials.
    handle(request, response).catch(() => response.destroy())
  })
  server.on('connection', (socket: Socket) => {
    const port = socket.remotePort ?? 0
    sockets.set(port, socket)
    socket.once('close', () => sockets.delete(port))
  })

  /** An error of `respond` is a mistake of the test: it must be seen. */
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
        waiter.fail(`did not come within ${timeoutMs} ms`)
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
      for (const waiter of waiting) waiter.fail('cannot come any more: the receiver stopped')
      waiting.clear()
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets.values()) socket.destroy()
      await closed
    },
  }
}
