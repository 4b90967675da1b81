import { isUtf8 } from 'node:buffer'
import { IntegrationError } from '@quickquote/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parse } from 'secure-json-parse'

/** Deeper than anybody writes, and far from where recursive code runs out of stack. */
const MAX_DEPTH = 64

/**
 * Replaces the content type parsers that came from the host: our routes take JSON as we read it, and nothing else (415).
 * An empty body is `undefined`; whether that is wrong is up to the route.
 * @param bodyLimit in bytes; more is a 413
 */
export function parseJsonOnly(scope: FastifyInstance, bodyLimit: number): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer', bodyLimit },
    async (request: FastifyRequest, bytes: Buffer) => {
      if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
        throw new IntegrationError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.')
      }
      return bytes.length === 0 ? undefined : parseJson(bytes)
    },
  )
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
