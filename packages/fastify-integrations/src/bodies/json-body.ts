import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parse } from 'secure-json-parse'
import { refuseEncoded } from './content-encoding.ts'
import { MAX_DEPTH, MAX_INEXACT, markInexactNumbers, scanJson } from './json-numbers.ts'
import { bodyTooLarge, DEFAULT_MIN_DATA_RATE, type MinDataRate, malformed, readBody } from './read-body.ts'

/**
 * Replaces the host's content type parsers: our routes accept only JSON (otherwise 415). An empty body is `undefined`;
 * the route decides whether that is valid.
 * @param bodyLimit in bytes; more is a 413
 * @param minDataRate of the client; below it the response is 400, as for a multipart body
 */
export function parseJsonOnly(
  fastify: FastifyInstance,
  bodyLimit: number,
  minDataRate: MinDataRate = DEFAULT_MIN_DATA_RATE,
): void {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('application/json', async (request: FastifyRequest, stream: Readable) => {
    refuseEncoded(request.headers)
    if (Number(request.headers['content-length'] ?? 0) > bodyLimit) throw bodyTooLarge(bodyLimit)
    const bytes = await wholeOf(readBody(stream, { totalBytes: bodyLimit, minDataRate }))
    return bytes.length === 0 ? undefined : parseJson(bytes)
  })
}

/** For a plugin whose routes take no body: one that is sent is dropped unread, whatever its type. */
export function ignoreBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', async () => undefined)
}

/**
 * Parses a client's JSON. A number that JavaScript would change becomes INEXACT_NUMBER.
 * @throws IntegrationError MALFORMED_REQUEST. The detail names the problem, but repeats nothing of the body
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8.')
  const scan = scanJson(bytes)
  if (scan.isTooDeep) throw malformed(`The body must not be nested more than ${MAX_DEPTH} levels deep.`)
  if (scan.inexact.length > MAX_INEXACT) {
    throw malformed(
      `The body has more than ${MAX_INEXACT} numbers that cannot be stored exactly. Send them as strings.`,
    )
  }
  const text = bytes.toString('utf8')
  try {
    const value = parse(text)
    return scan.inexact.length === 0 ? value : markInexactNumbers(bytes, scan.inexact)
  } catch {
    throw malformed(
      isJson(text)
        ? 'The body contains a forbidden key: `__proto__`, or `constructor` with a `prototype`.'
        : 'The body is not valid JSON.',
    )
  }
}

/** `buffer` of `node:stream/consumers` makes a Blob first, which costs a start 5 % more. */
async function wholeOf(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return true
  } catch {
    return false
  }
}
