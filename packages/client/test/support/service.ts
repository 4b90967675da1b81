import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../src/index.ts'

export interface SeenRequest {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  /** The time of arrival, in milliseconds of a monotonic clock. */
  readonly at: number
}

/** Answers a request once its body has been read. */
export type Behavior = (response: ServerResponse, request: SeenRequest) => unknown

export const answer =
  (status: number, body?: unknown, headers: Record<string, string> = {}): Behavior =>
  (response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(body === undefined ? '' : JSON.stringify(body))

export const problem = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  fields: object = {},
): Behavior =>
  answer(
    status,
    {
      type: `urn:problem-type:quickquote:${code}`,
      title: 'A title',
      status,
      detail: 'A detail',
      code,
      ...fields,
    },
    { 'Content-Type': 'application/problem+json', 'X-Request-Id': 'req-1', ...headers },
  )

/** Cuts the connection. */
export const cut: Behavior = (response) => response.destroy()

/** Never answers. */
export const hang: Behavior = () => undefined

export const QUOTATION = {
  id: '0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d',
  status: 'completed',
  error_code: null,
}

/**
 * A service on a real socket. It uses one of `behaviors` per request, and the last one for all further requests.
 * @param onEnd stops it. Concurrent tests pass the one of their context
 */
export async function startService(
  behaviors: readonly [Behavior, ...Behavior[]],
  options: Partial<ClientOptions> = {},
  onEnd: typeof onTestFinished = onTestFinished,
): Promise<{
  url: string
  client: Client
  requests: readonly SeenRequest[]
  seen(count: number): Promise<void>
}> {
  const requests: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request
    const seen = { method, path, headers, body: await buffer(request), at: performance.now() }
    requests.push(seen)
    server.emit('seen')
    const behave = behaviors[requests.length - 1] ?? behaviors.at(-1)
    behave?.(response, seen)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onEnd(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    client: createClient({ baseUrl: url, apiKey: 'pk_test', ...options }),
    requests,
    async seen(count) {
      while (requests.length < count) await once(server, 'seen')
    },
  }
}
