import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { type PartHeader, readPartHeader } from './part-header.ts'
import { type BodyBounds, malformed, readBody } from './read-body.ts'

/** A part of a multipart body. Its bytes are read to their end before the next part is asked for. */
export interface Part extends PartHeader {
  readonly bytes: AsyncIterable<Buffer>
}

export interface FormBounds extends BodyBounds {
  readonly parts: number
}

const DICER_OPTIONS = {
  // Of one part: a file name of 200 characters, given twice and percent-encoded, fits.
  maxHeaderPairs: 16,
  maxHeaderSize: 8 * 1024,
  // Never full: see feed().
  partHwm: Number.MAX_SAFE_INTEGER,
}

const BROKEN_OFF = 'The body breaks off before its last boundary.'
const NO_HEADER = 'A part has no Content-Disposition that can be read: it must be form-data and have a name.'

/**
 * Splits a body into its parts while it arrives, at the pace at which they are read. Dicer is the parser inside of
 * @fastify/busboy; Busboy itself passes over parts that it cannot read, and would lose a partner's file in silence.
 *
 * Dicer only cuts here. Left to itself it holds up the body by the fill of its parts, and ends the form before its last part
 * was read, or never, where a boundary is cut between two packets. So the body is given to it chunk by chunk, and only when
 * what it cut is used up.
 * @throws IntegrationError while the parts, or the bytes of one, are read: PAYLOAD_TOO_LARGE, or MALFORMED_REQUEST when the
 * body breaks off, comes too slowly, has too many parts, or is no multipart
 */
export async function* readParts(
  body: Readable,
  boundary: string,
  bounds: FormBounds,
): AsyncGenerator<Part, void, undefined> {
  const chunks = readBody(body, bounds)
  const dicer = new Dicer({ boundary, ...DICER_OPTIONS })
  const waiting: Part[] = []
  let begun = 0
  let told = 0
  let isComplete = false
  let failure: string | undefined

  dicer.on('part', (part) => {
    // A boundary before the end of the header.
    if (begun > told) failure ??= NO_HEADER
    begun += 1
    if (begun > bounds.parts) failure ??= `The body may have at most ${bounds.parts} parts.`
    part.once('header', (header: Readonly<Record<string, string[]>>) => {
      told += 1
      const read = readPartHeader(header)
      if (read === null) failure ??= NO_HEADER
      else waiting.push({ ...read, bytes: bytesOf(part) })
    })
  })
  dicer.on('finish', () => {
    isComplete = true
    if (begun > told) failure ??= NO_HEADER
  })

  async function feed(): Promise<void> {
    const { value: chunk } = await chunks.next()
    if (chunk === undefined) throw malformed(BROKEN_OFF)
    dicer.write(chunk)
    if (failure !== undefined) throw malformed(failure)
  }

  async function* bytesOf(part: Readable): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const bytes: Buffer | null = part.read()
      if (bytes !== null) yield bytes
      else {
        // The event of its end, if this was the end, comes on the next tick.
        await new Promise<void>((resolve) => process.nextTick(resolve))
        if (part.readableEnded) return
        await feed()
      }
    }
  }

  try {
    while (!isComplete || waiting.length > 0) {
      const part = waiting.shift()
      if (part !== undefined) yield part
      else await feed()
    }
    if (failure !== undefined) throw malformed(failure)
  } finally {
    // Not waited for: whoever gave up the bytes of a part may have left a read behind that waits for the client.
    void chunks.return()
  }
}
