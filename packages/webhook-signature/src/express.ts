import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Answer,
  BODY_TOO_LARGE,
  createReceiver,
  type Receiver,
  type ReceiverOptions,
} from './receiver.ts'

/** A request of Express, or of `node:http` itself, perhaps with what a body parser made of its body. */
export type WebhookRequest = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown }

/**
 * A handler of webhooks for Express 4 and 5, and for whatever else has Node's requests and responses.
 *
 * It reads the raw body itself: put it before `express.json()`, or on a path that `express.json()` leaves alone. Where
 * something read the body before, it takes the bytes of `express.raw()`, or `request.rawBody` (set by `express.json({ verify })`
 * and by some clouds). A body that was parsed is a BODY_NOT_RAW error.
 *
 * Answers 204, and 410 for `'gone'`; 400 or 401 with the code of the error as text; 405 to anything but POST; 413 and 415
 * for bodies that are too large or compressed. What `onEvent` throws, and BODY_NOT_RAW, goes to `next`, which makes
 * it a 500.
 *
 * @throws TypeError when there is no secret, an empty one, or an impossible header prefix.
 */
export function expressWebhooks(
  options: ReceiverOptions,
): (request: WebhookRequest, response: ServerResponse, next: (error?: unknown) => void) => void {
  const receiver = createReceiver(options)
  return (request, response, next) => {
    answerTo(receiver, request).then((answer) => send(response, answer), next)
  }
}

async function answerTo(receiver: Receiver, request: WebhookRequest): Promise<Answer> {
  const answer = receiver.refuse(request.method ?? '', request.headers)
  if (answer !== undefined) return answer
  const body = await rawBodyOf(request, receiver.maxBodyBytes)
  return body === 'too large' ? BODY_TOO_LARGE : receiver.receive(request.headers, body)
}

/** The bytes as they came, or whatever is left of them when something parsed them. */
async function rawBodyOf(request: WebhookRequest, maxBytes: number): Promise<unknown> {
  if (request.rawBody !== undefined) return request.rawBody
  return request.readableDidRead ? request.body : readAtMost(maxBytes, request)
}

function readAtMost(maxBytes: number, request: IncomingMessage): Promise<Uint8Array | 'too large'> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let bytes = 0
    request.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else resolve('too large')
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
  })
}

/** A request that was not read to its end leaves nothing that the next one on this connection could follow. */
function send(response: ServerResponse, { status, text }: Answer): void {
  if (status === 405) response.setHeader('Allow', 'POST')
  if (!response.req.complete) response.setHeader('Connection', 'close')
  if (text !== '') response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.writeHead(status).end(text)
}
