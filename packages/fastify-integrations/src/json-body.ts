import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { IntegrationError } from '@quickquote/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parse } from 'secure-json-parse'
import { DEFAULT_PATIENCE, type Patience, patienceClock } from './patience.ts'

/** Deeper than anybody writes, and far from where recursive code runs out of stack. */
const MAX_DEPTH = 64

/**
 * Replaces the content type parsers that came from the host: our routes take JSON as we read it, and nothing else (415).
 * An empty body is `undefined`; whether that is wrong is up to the route.
 * @param bodyLimit in bytes; more is a 413
 * @param patience with a slow client; when it is used up the answer is 400, as for a multipart body
 */
export function parseJsonOnly(
  scope: FastifyInstance,
  bodyLimit: number,
  patience: Patience = DEFAULT_PATIENCE,
): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', async (request: FastifyRequest, stream: Readable) => {
    if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
      throw new IntegrationError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.')
    }
    if (Number(request.headers['content-length'] ?? 0) > bodyLimit)
      throw new IntegrationError('PAYLOAD_TOO_LARGE')
    const bytes = await readBody(stream, bodyLimit, patience)
    return bytes.length === 0 ? undefined : parseJson(bytes)
  })
}

/** Reads a body to its end. When that fails the stream is left as it is: destroying it would take the answer with it. */
function readBody(stream: Readable, bodyLimit: number, patience: Patience): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const clock = patienceClock(patience, () => refuse(malformed('The body arrives too slowly.')))

    function stop(): void {
      clock.stop(0)
      stream.off('data', onData).off('end', onEnd).off('error', onError)
    }
    function refuse(refusal: IntegrationError): void {
      stop()
      reject(refusal)
    }
    function onData(chunk: Buffer | string): void {
      // A hook of the host's may have put a stream of text in front.
      const bytes = Buffer.from(chunk)
      clock.stop(bytes.length)
      if (clock.received() > bodyLimit) {
        refuse(new IntegrationError('PAYLOAD_TOO_LARGE'))
        return
      }
      chunks.push(bytes)
      clock.start()
    }
    function onEnd(): void {
      stop()
      resolve(Buffer.concat(chunks))
    }
    function onError(): void {
      refuse(malformed('The body breaks off.'))
    }

    clock.start()
    stream.on('data', onData).on('end', onEnd).on('error', onError)
  })
}

/** @throws IntegrationError MALFORMED_REQUEST, with what is wrong in the detail and nothing of what was sent */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8.')
  if (nestsDeeperThan(MAX_DEPTH, bytes)) {
    throw malformed(`The body is nested more than ${MAX_DEPTH} levels deep.`)
  }
  const text = bytes.toString('utf8')
  try {
    return parse(text)
  } catch {
    throw malformed(
      isJson(text)
        ? 'The body holds a forbidden key: `__proto__`, or `constructor` with a `prototype`.'
        : 'The body is not valid JSON.',
    )
  }
}

function malformed(detail: string): IntegrationError {
  return new IntegrationError('MALFORMED_REQUEST', detail)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return true
  } catch {
    return false
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Counts brackets outside of strings, before anything is built from them. */
function nestsDeeperThan(limit: number, json: Buffer): boolean {
  let depth = 0
  let isInString = false
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index]
    if (isInString) {
      if (byte === BACKSLASH) index += 1
      else if (byte === QUOTE) isInString = false
    } else if (byte === QUOTE) {
      isInString = true
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1
      if (depth > limit) return true
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1
    }
  }
  return false
}
