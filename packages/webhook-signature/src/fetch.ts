import { type Answer, BODY_TOO_LARGE, createReceiver, type ReceiverOptions } from './receiver.ts'

export interface FetchWebhooksOptions extends ReceiverOptions {
  /** Called with each error that becomes a 500. Default `console.error`. */
  readonly onError?: (error: unknown) => void
}

/**
 * A webhook handler for Fetch-style servers: Deno, Bun, Cloudflare Workers, Hono, Next.js routes and others. It never
 * rejects.
 *
 * Responds with 204, or 410 for `'gone'`; 400 or 401 with the error code as text; 405 to anything but POST; 413 and 415
 * for large or compressed bodies; 500 if `onEvent` throws or the body was already read.
 *
 * @throws TypeError if a secret is missing, empty or surrounded by white space or quotes, or the header prefix is
 * invalid.
 */
export function fetchWebhooks(options: FetchWebhooksOptions): (request: Request) => Promise<Response> {
  const receiver = createReceiver(options)
  const onError = options.onError ?? ((error) => console.error(error))

  return async (request) => {
    try {
      // A body that was already read is not raw.
      const read = () => (request.bodyUsed ? undefined : readAtMost(receiver.maxBodyBytes, request.body))
      return toResponse(await receiver.answer(request.method, request.headers, read))
    } catch (error) {
      onError(error)
      return new Response(null, { status: 500 })
    }
  }
}

async function readAtMost(
  maxBytes: number,
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): Promise<ArrayBuffer | Answer> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const reader = stream?.getReader()
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    bytes += part.value.length
    if (bytes > maxBytes) {
      await reader?.cancel()
      return BODY_TOO_LARGE
    }
    parts.push(part.value)
  }
  return new Blob(parts).arrayBuffer()
}

function toResponse({ status, text }: Answer): Response {
  return new Response(text === '' ? null : text, {
    status,
    headers: status === 405 ? { Allow: 'POST' } : {},
  })
}
