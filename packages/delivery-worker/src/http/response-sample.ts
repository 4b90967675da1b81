import { hideValues } from './hidden-values.ts'

/** Listens to an answer while it comes. */
export interface ResponseListener {
  /** The status and the headers are there. */
  began(): void
  data(chunk: Uint8Array): void
  /** There was no more. Not called where the rest was not read. */
  ended(): void
}

/** The beginning of an answer, for the people who look for what is wrong with it. */
export interface ResponseSample extends ResponseListener {
  /** null: no answer began. */
  body(): string | null
  firstByteMs(): number | null
}

const MAX_BYTES = 1024

/**
 * @param options.hidden what no record shows
 * @param options.now milliseconds since any moment
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
      // A copy: the buffer of a socket is used again.
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

/** PostgreSQL stores no NUL. What is not UTF-8 is shown by replacement characters, and so is a character that was cut. */
function toText(chunks: readonly Uint8Array[]): string {
  return chunks.length === 0 ? '' : decoder.decode(Buffer.concat(chunks)).replaceAll('\0', '\uFFFD')
}
