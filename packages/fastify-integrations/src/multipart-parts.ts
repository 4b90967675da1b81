import { finished, Readable, Writable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { IntegrationError } from '@quickquote/core'
import { type PartHeader, readPartHeader } from './part-header.ts'
import { type Patience, patienceClock } from './patience.ts'

/** A part of a multipart body. Its bytes are read to their end before the next part is asked for. */
export interface Part extends PartHeader {
  readonly bytes: AsyncIterable<Buffer>
}

export interface BodyLimits {
  /** Bytes of the whole body. */
  readonly totalBytes: number
  readonly parts: number
  readonly patience: Patience
}

/** Of one part: a file name of 200 characters, given twice and percent-encoded, fits. */
const HEADER_LIMITS = { maxHeaderPairs: 16, maxHeaderSize: 8 * 1024 }

/**
 * Splits a body into its parts while it arrives, at the pace at which they are read. Dicer is the parser inside of
 * @fastify/busboy; Busboy itself passes over parts that it cannot read, and would lose a partner's file in silence.
 * When the reading ends early the body is left where it is, still piped, so that an answer can be sent.
 * @throws IntegrationError while the parts, or the bytes of one, are read: PAYLOAD_TOO_LARGE, or MALFORMED_REQUEST when the
 * body breaks off, comes too slowly, has too many parts, or is no multipart
 */
export function readParts(body: Readable, boundary: string, limits: BodyLimits): AsyncIterable<Part> {
  const parts = new Readable({ objectMode: true, read() {} })
  const fail = (error: IntegrationError) => void parts.destroy(error)
  const parser = feedParts(parts, boundary, limits.parts)
  const clock = patienceClock(limits.patience, () => fail(malformed('The body arrives too slowly.')))

  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      clock.stop(chunk.length)
      if (clock.received() > limits.totalBytes) {
        fail(bodyTooLarge(limits))
        return
      }
      parser.write(chunk, () => {
        if (parts.destroyed) return
        clock.start()
        done()
      })
    },
    final(done) {
      clock.stop(0)
      parser.end()
      done()
    },
  })
  finished(body, { writable: false }, (error) => {
    if (error) fail(malformed(BROKEN_OFF))
  })
  parts.once('close', () => clock.stop(0))
  clock.start()
  body.pipe(sink)
  return parts
}

const BROKEN_OFF = 'The body breaks off before its last boundary.'

/** Pushes each part as soon as its header is there, and ends `parts` after the last one. */
function feedParts(parts: Readable, boundary: string, maximum: number) {
  const dicer = new Dicer({ boundary, ...HEADER_LIMITS })
  const fail = (detail: string) => void parts.destroy(malformed(detail))
  const unread = new Set<Readable>()
  let begun = 0
  let told = 0

  dicer.on('part', (part) => {
    unread.add(part)
    part.once('close', () => unread.delete(part))
    // The error is told by `parts`; without a listener here it would end the process.
    part.on('error', () => {})
    begun += 1
    if (begun > maximum) fail(`The body may have at most ${maximum} parts.`)
    part.once('header', (header: Readonly<Record<string, string[]>>) => {
      told += 1
      const read = readPartHeader(header)
      if (read === null) fail(NO_HEADER)
      else parts.push({ ...read, bytes: bytesOf(part) } satisfies Part)
    })
  })
  dicer.on('error', () => fail(BROKEN_OFF))
  dicer.on('finish', () => {
    if (begun > told) fail(NO_HEADER)
    else parts.push(null)
  })
  parts.once('close', () => {
    for (const part of unread) part.destroy(parts.errored ?? undefined)
  })

  /** A part that ends early does so because the body does. */
  async function* bytesOf(part: Readable): AsyncIterable<Buffer> {
    try {
      yield* part
    } catch {
      throw parts.errored ?? malformed(BROKEN_OFF)
    }
  }

  return dicer
}

const NO_HEADER = 'A part has no Content-Disposition that can be read: it must be form-data and have a name.'

function malformed(detail: string): IntegrationError {
  return new IntegrationError('MALFORMED_REQUEST', detail)
}

export function bodyTooLarge({ totalBytes }: BodyLimits): IntegrationError {
  return new IntegrationError('PAYLOAD_TOO_LARGE', `The body may have at most ${totalBytes} bytes.`)
}
