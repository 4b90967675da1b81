import { hideValues } from './hidden-values.ts'

type SentHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export interface ResponseListener {
  /** The status and the headers have arrived. */
  began(status: number, headers: SentHeaders): void
  data(chunk: Uint8Array): void
  /** The response has ended. Not called if the rest was discarded. */
  ended(): void
}

/** The beginning of a response, for diagnosis. */
export interface ResponseSample extends ResponseListener {
  /** null: no response began. */
  body(): string | null
  /** Those that help to find a mistake, of a response that is no success; null: none. */
  headers(): Readonly<Record<string, string>> | null
  firstByteMs(): number | null
}

const MAX_BYTES = 1024
const MAX_HEADER_LENGTH = 200

/** They identify the server and its reason. None of them carries a secret. */
const SHOWN_HEADERS = [
  'server',
  'via',
  'content-type',
  'location',
  'www-authenticate',
  'retry-after',
  'allow',
  'x-request-id',
  'cf-ray',
]

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
  /** Bytes of the whole body, also of the part that is not kept. */
  let bytes = 0
  let firstByteMs: number | null = null
  let isWhole = false
  let shown: Readonly<Record<string, string>> | null = null

  return {
    began(status, sent) {
      firstByteMs = Math.round(now() - begin)
      if (status < 200 || status >= 300) shown = shownOf(sent, hidden)
    },
    data(chunk) {
      // A copy, because the socket reuses its buffer.
      if (bytes < MAX_BYTES) chunks.push(Uint8Array.from(chunk.subarray(0, MAX_BYTES - bytes)))
      bytes += chunk.length
    },
    ended() {
      isWhole = bytes <= MAX_BYTES
    },
    body: () => (firstByteMs === null ? null : hideValues(toText(chunks), hidden, { isCut: !isWhole })),
    headers: () => shown,
    firstByteMs: () => firstByteMs,
  }
}

function shownOf(sent: SentHeaders, hidden: readonly string[]): Record<string, string> | null {
  const found = SHOWN_HEADERS.flatMap((name) => {
    const value = sent[name]?.toString()
    if (value === undefined) return []
    // A query may contain a token.
    const [plain = ''] = name === 'location' ? value.split(/[?#]/, 1) : [value]
    const cut = plain.slice(0, MAX_HEADER_LENGTH)
    const text = hideValues(cut, hidden, { isCut: cut.length < plain.length })
    return [[name, text.replaceAll('\0', '\uFFFD')] as const]
  })
  return found.length === 0 ? null : Object.fromEntries(found)
}

const decoder = new TextDecoder()

/** PostgreSQL cannot store NUL. Invalid UTF-8, including a cut character, becomes a replacement character. */
function toText(chunks: readonly Uint8Array[]): string {
  return chunks.length === 0 ? '' : decoder.decode(Buffer.concat(chunks)).replaceAll('\0', '\uFFFD')
}
