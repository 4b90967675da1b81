import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, BODY_TOO_LARGE, createReceiver, type ReceiverOptions } from './receiver.ts'

/** A request of Express or `node:http`, possibly with the result of a body parser. */
export type WebhookRequest = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown }

/**
 * A webhook handler for Express 4 and 5, and anything else with Node's requests and responses.
 *
 * It reads the raw body itself: place it before `express.json()`, or on a path without it. If the body was already
 * read, it uses the bytes of `express.raw()`, or `request.rawBody` (set by `express.json({ verify })` and by some
 * clouds). A parsed body is a BODY_NOT_RAW error.
 *
 * Responds with 204, or 410 for `'gone'`; 400 or 401 with the error code as text; 405 to anything but POST; 413 and 415
 * for large or compressed bodies. All errors go to `next`, for a 500: those of your functions, BODY_NOT_RAW, and of the
 * response itself.
 *
 * @throws TypeError if a secret is missing, empty or surrounded by white space or quotes, or the header prefix is
 * invalid.
 */
export function expressWebhooks(
  options: ReceiverOptions,
): (request: WebhookRequest, response: ServerResponse, next: (error?: unknown) => void) => void {
  const receiver = createReceiver(options)
  return (request, response, next) => {
    receiver
      .answer(request.method ?? '', request.headers, () => rawBodyOf(request, receiver.maxBodyBytes))
      .then((answer) => send(response, answer))
      .catch(next)
  }
}

/** The raw bytes, or the parsed body if something has parsed it. */
function rawBodyOf(request: WebhookRequest, maxBytes: number): unknown {
  if (request.rawBody !== undefined) return request.rawBody
  return request.readableDidRead ? request.body : readAtMost(maxBytes, request)
}

function readAtMost(maxBytes: number, request: IncomingMessage): Promise<Uint8Array | Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let bytes = 0
    request.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else resolve(BODY_TOO_LARGE)
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
  })
}

/** After a partly read request, the connection cannot be reused. */
function send(response: ServerResponse, { status, text }: Answer): void {
  if (status === 405) response.setHeader('Allow', 'POST')
  if (!response.req.complete) response.setHeader('Connection', 'close')
  if (text !== '') response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  // Not writeHead(), which some libraries replace for every server of the process, by one that cannot be chained.
  response.statusCode = status
  response.end(text)
}
