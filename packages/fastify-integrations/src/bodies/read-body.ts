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
  const events = eventsOf(stream)
  try {
    for (let mayEnd = true; ; ) {
      const chunk: Buffer | string | null = stream.read()
      if (chunk !== null) {
        // A hook of the host may have inserted a stream of strings.
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
        received += bytes.length
        if (received > totalBytes) throw bodyTooLarge(totalBytes)
        mayEnd = true
        yield bytes
        continue
      }
      if (stream.readableEnded) return
      if (stream.destroyed) throw malformed('The body is incomplete.')
      // Most bodies have arrived by now. The event of the end comes on the next tick, and a timer would cost more.
      if (mayEnd) {
        mayEnd = false
        await new Promise<void>((resolve) => process.nextTick(resolve))
        continue
      }
      const leftMs = minDataRate.graceMs + (received / minDataRate.bytesPerSecond) * 1000 - waitedMs
      if (leftMs <= 0) throw malformed('The body arrived too slowly.')
      const begun = performance.now()
      await events.next(leftMs)
      waitedMs += performance.now() - begun
    }
  } finally {
    events.ignore()
  }
}

const EVENTS = ['readable', 'end', 'close'] as const

/** Listens to errors at once, because an error that nobody hears ends the process, and to the rest at the first wait. */
function eventsOf(stream: Readable) {
  let isListening = false
  let wake = () => {}
  const onEvent = () => wake()
  stream.on('error', onEvent)
  return {
    next(withinMs: number): Promise<void> {
      if (!isListening) for (const event of EVENTS) stream.on(event, onEvent)
      isListening = true
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, withinMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
    ignore(): void {
      stream.off('error', onEvent)
      if (isListening) for (const event of EVENTS) stream.off(event, onEvent)
    },
  }
}

export function malformed(detail: string): IntegrationError {
  return new IntegrationError('MALFORMED_REQUEST', detail)
}

export function bodyTooLarge(totalBytes: number): IntegrationError {
  return new IntegrationError('PAYLOAD_TOO_LARGE', `The body may have at most ${totalBytes} bytes.`)
}
