import { hideValues } from './hidden-values.ts'

export interface ResponseListener {
  /** The status and the headers have arrived. */
  began(): void
  data(chunk: Uint8Array): void
  /** The response has ended. Not called if the rest was discarded. */
  ended(): void
}

/** The beginning of a response, for diagnosis. */
export interface ResponseSample extends ResponseListener {
  /** null: no response began. */
  body(): string | null
  firstByteMs(): number | null
}

const MAX_BYTES = 1024

/**
 * @param options.hidden values to hide
 * @param options.now a monotonic clock in milliseconds
 */
export function createResponseSample({
  hidden = [],
  now = () => performance.now(),
}: {
  readonly hidden?: readonly string[]
  readonly now?: () => number
} = {}): ResponseSample {
  const begin = now()
  const chunks: Uint8Array[] = []
  let bytes = 0
  let firstByteMs: number | null = null
  let isWhole = false

  return {
    began() {
      firstByteMs = Math.round(now() - begin)
    },
    data(chunk) {
      if (bytes >= MAX_BYTES) return
      // A copy, because the socket reuses its buffer.
      chunks.push(Uint8Array.from(chunk.subarray(0, MAX_BYTES - bytes)))
      bytes += chunk.length
    },
    ended() {
      isWhole = bytes <= MAX_BYTES
    },
    body: () => (firstByteMs === null ? null : hideValues(toText(chunks), hidden, { isCut: !isWhole })),
    firstByteMs: () => firstByteMs,
  }
}

const decoder = new TextDecoder()

/** PostgreSQL cannot store NUL. Invalid UTF-8, including a cut character, becomes a replacement character. */
function toText(chunks: readonly Uint8Array[]): string {
  return chunks.length === 0 ? '' : decoder.decode(Buffer.concat(chunks)).replaceAll('\0', '\uFFFD')
}
