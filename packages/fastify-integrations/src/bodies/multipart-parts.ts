import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { IntegrationError } from '@quickquote/core'
import { withoutPadding } from './boundary-padding.ts'
import type { FormType } from './content-type.ts'
import { INVALID_HEADER, type PartHeader, readPartHeader } from './part-header.ts'
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
  { boundary, charset }: FormType,
  bounds: FormBounds,
): AsyncGenerator<Part, void, undefined> {
  const chunks = withoutPadding(readBody(body, bounds), boundary)
  const dicer = new Dicer({ boundary, ...DICER_OPTIONS })
  /** A part that must be refused has its place among the others: the first fault counts, however the body is cut. */
  const waiting: (Part | IntegrationError)[] = []
  let begun = 0
  let told = 0
  let isComplete = false

  dicer.on('part', (part) => {
    // A boundary before the end of the header.
    if (begun > told) waiting.push(malformed(INVALID_HEADER))
    begun += 1
    if (begun > bounds.parts) waiting.push(malformed(`The body may have at most ${bounds.parts} parts.`))
    part.once('header', (header: Readonly<Record<string, string[]>>) => {
      told += 1
      try {
        waiting.push({ ...readPartHeader(header, charset), bytes: bytesOf(part) })
      } catch (error) {
        waiting.push(error as IntegrationError)
      }
    })
  })
  dicer.on('finish', () => {
    isComplete = true
    if (begun > told) waiting.push(malformed(INVALID_HEADER))
  })

  async function feed(): Promise<void> {
    const { value: chunk } = await chunks.next()
    if (chunk === undefined) throw malformed(BROKEN_OFF)
    dicer.write(chunk)
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
      if (part instanceof IntegrationError) throw part
      if (part === undefined) await feed()
      else yield part
    }
  } finally {
    // Not awaited: an abandoned part may have left a read that waits for the client.
    void chunks.return()
  }
}
