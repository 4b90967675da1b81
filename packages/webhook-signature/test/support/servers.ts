import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReceiverOptions } from '@quickquote/webhook-signature'
import { expressWebhooks } from '@quickquote/webhook-signature/express'
import { fastifyWebhooks } from '@quickquote/webhook-signature/fastify'
import { fetchWebhooks } from '@quickquote/webhook-signature/fetch'
import express from 'express'
import express4 from 'express-4'
import Fastify from 'fastify'
import { onTestFinished } from 'vitest'

export const PATH = '/hooks/quotes'

/** Starts a server that is stopped with the test, and returns the address of its webhooks. */
export type StartServer = (options: ReceiverOptions, onError?: (error: unknown) => void) => Promise<string>

export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => close(server))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

/** A Fastify application with its own parsers and routes. */
const startFastify: StartServer = async (options, onError = () => undefined) => {
  const app = Fastify({ forceCloseConnections: true })
  app.addHook('onError', async (_request, _reply, error) => onError(error))
  await app.register(fastifyWebhooks, { ...options, path: PATH })
  app.post('/echo', async (request) => request.body)
  onTestFinished(() => app.close())
  return `${await app.listen({ port: 0, host: '127.0.0.1' })}${PATH}`
}

/** An Express application with a JSON parser after the webhooks. */
function startExpress(
  build: (webhooks: ReturnType<typeof expressWebhooks>, onError: (error: unknown) => void) => RequestListener,
): StartServer {
  return async (options, onError = () => undefined) => listen(build(expressWebhooks(options), onError))
}

const startExpress5 = startExpress((webhooks, onError) =>
  express()
    .use(PATH, webhooks)
    .use(express.json())
    .post('/echo', (request, response) => void response.json(request.body))
    .use(reportTo(onError)),
)

const startExpress4 = startExpress((webhooks, onError) =>
  express4()
    .use(PATH, webhooks)
    .use(express4.json())
    .post('/echo', (request, response) => void response.json(request.body))
    .use(reportTo(onError)),
)

/** Express's error responses, without its log. */
export function reportTo(onError: (error: unknown) => void) {
  return (error: unknown, _request: IncomingMessage, response: ServerResponse, _next: () => void): void => {
    onError(error)
    response.writeHead(500).end()
  }
}

/** A fetch-style server on Node. */
const startFetch: StartServer = (options, onError = () => undefined) => {
  const handle = fetchWebhooks({ ...options, onError })
  return listen(async (request, response) => {
    const answer = await handle(toRequest(request))
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
}

function toRequest(request: IncomingMessage): Request {
  const headers = new Headers()
  for (const [index, name] of request.rawHeaders.entries()) {
    if (index % 2 === 0) headers.append(name, request.rawHeaders[index + 1] ?? '')
  }
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
  return new Request(`http://localhost${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }),
  })
}

export const SERVERS: readonly { readonly name: string; readonly start: StartServer }[] = [
  { name: 'Fastify', start: startFastify },
  { name: 'Express 5', start: startExpress5 },
  { name: 'Express 4', start: startExpress4 },
  { name: 'fetch', start: startFetch },
]
