import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { type PartHeader, readPartHeader } from './part-header.ts'
import { type BodyBounds, malformed, readBody } from './read-body.ts'

/** A part of a multipart body. Read its bytes to the end before the next part. */
export interface Part extends PartHeader {
  readonly bytes: AsyncIterable<Buffer>
}

export interface FormBounds extends BodyBounds {
  readonly parts: number
}

const DICER_OPTIONS = {
  // Per part: fits a file name of 200 characters, twice and percent-encoded.
  maxHeaderPairs: 16,
  maxHeaderSize: 8 * 1024,
  // Never full: see feed().
  partHwm: Number.MAX_SAFE_INTEGER,
}

const BROKEN_OFF = 'The body ends before its last boundary.'
const NO_HEADER = 'A part has no valid Content-Disposition: it must be form-data with a name.'

/**
 * Splits a body into its parts as it arrives and is read. Dicer is the parser inside @fastify/busboy; Busboy itself
 * silently skips parts that it cannot read, and would lose a partner's file.
 *
 * Dicer only splits here. By itself it applies backpressure per part, and ends the form before its last part has been
 * read, or never, if a boundary is split between two packets. So it gets the body chunk by chunk, each once the parts
 * of the previous one have been used up.
 * @throws IntegrationError while parts or their bytes are read: PAYLOAD_TOO_LARGE, or MALFORMED_REQUEST for a body that
 * is incomplete, too slow, has too many parts, or is not multipart
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
    // Not awaited: an abandoned part may have left a read that waits for the client.
    void chunks.return()
  }
}
