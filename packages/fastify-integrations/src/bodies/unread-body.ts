import type { IncomingMessage } from 'node:http'
import { constants, type Http2ServerRequest } from 'node:http2'
import type { FastifyInstance } from 'fastify'
import { readBody } from './read-body.ts'

/** How long a response waits for the client to finish its body. */
const DROP_MS = 2000

/**
 * Answers clients that are still sending a body that was refused unread. The rest is read and dropped for a moment,
 * because a client or a proxy that is sending does not read the response. After that, the connection, or the HTTP/2
 * stream, is closed.
 * @param totalBytes the maximum to drop
 */
export function dropUnreadBodies(fastify: FastifyInstance, totalBytes: number): void {
  fastify.addHook('onSend', async ({ raw }, reply) => {
    const stream = http2StreamOf(raw)
    // Fastify sets it for an unreadable body; HTTP/2 has no such header, and Node would warn.
    if (stream !== undefined) reply.removeHeader('connection')
    if (isWhole(raw)) return
    await drop(raw, totalBytes)
    if (isWhole(raw)) return
    if (stream === undefined) reply.header('connection', 'close')
    else stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR))
  })
}

function isWhole(raw: IncomingMessage): boolean {
  return raw.complete || http2StreamOf(raw)?.endAfterHeaders === true
}

function http2StreamOf(raw: IncomingMessage): Http2ServerRequest['stream'] | undefined {
  return raw.httpVersionMajor === 2 ? (raw as unknown as Http2ServerRequest).stream : undefined
}

async function drop(raw: IncomingMessage, totalBytes: number): Promise<void> {
  const minDataRate = { graceMs: DROP_MS, bytesPerSecond: Number.POSITIVE_INFINITY }
  try {
    raw.unpipe()
    for await (const _ of readBody(raw, { totalBytes, minDataRate }));
  } catch {
    // Too long, too slow, or disconnected.
  }
}
