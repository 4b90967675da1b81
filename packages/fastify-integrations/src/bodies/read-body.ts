import type { Readable } from 'node:stream'
import { IntegrationError } from '@quickquote/core'

/** The slowest accepted rate of a body: `graceMs`, plus a second per `bytesPerSecond` received. */
export interface MinDataRate {
  readonly graceMs: number
  readonly bytesPerSecond: number
}

/**
 * A client that sends a byte a second is cut off after half a minute; one ten times slower than a bad telephone line is
 * not.
 */
export const DEFAULT_MIN_DATA_RATE: MinDataRate = Object.freeze({
  graceMs: 30_000,
  bytesPerSecond: 16 * 1024,
})

export interface BodyBounds {
  readonly totalBytes: number
  readonly minDataRate: MinDataRate
}

/**
 * Reads a body at the caller's pace. Only waiting for the client counts against the rate. If reading ends early, the
 * stream is left alone: destroying it would destroy the response, too.
 * @throws IntegrationError PAYLOAD_TOO_LARGE, or MALFORMED_REQUEST for a body that is incomplete or too slow
 */
export async function* readBody(
  stream: Readable,
  { totalBytes, minDataRate }: BodyBounds,
): AsyncGenerator<Buffer, void, undefined> {
  let received = 0
  let waitedMs = 0
  let wake = () => {}
  const onEvent = () => wake()
  for (const event of EVENTS) stream.on(event, onEvent)
  try {
    for (;;) {
      const chunk: Buffer | string | null = stream.read()
      if (chunk !== null) {
        // A hook of the host may have inserted a stream of strings.
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
        received += bytes.length
        if (received > totalBytes) throw bodyTooLarge(totalBytes)
        yield bytes
        continue
      }
      if (stream.readableEnded) return
      if (stream.destroyed) throw malformed('The body is incomplete.')
      const leftMs = minDataRate.graceMs + (received / minDataRate.bytesPerSecond) * 1000 - waitedMs
      if (leftMs <= 0) throw malformed('The body arrived too slowly.')
      const begun = performance.now()
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      waitedMs += performance.now() - begun
    }
  } finally {
    for (const event of EVENTS) stream.off(event, onEvent)
  }
}

const EVENTS = ['readable', 'end', 'close', 'error'] as const

export function malformed(detail: string): IntegrationError {
  return new IntegrationError('MALFORMED_REQUEST', detail)
}

export function bodyTooLarge(totalBytes: number): IntegrationError {
  return new IntegrationError('PAYLOAD_TOO_LARGE', `The body may have at most ${totalBytes} bytes.`)
}
