import { malformed } from './read-body.ts'

/** How the bytes of a part are written. null: as they are. */
export type TransferEncoding = 'base64' | 'quoted-printable' | null

type Bytes = AsyncIterable<Buffer>

const MEANINGLESS = new Set(['', '7bit', '8bit', 'binary'])

/**
 * Browsers send no `Content-Transfer-Encoding`, and RFC 7578 deprecates it, but clients made of mail libraries use it.
 * @throws IntegrationError MALFORMED_REQUEST for any other
 */
export function transferEncodingOf(values: readonly string[]): TransferEncoding {
  const encoding = [...new Set(values.map((value) => value.trim().toLowerCase()))].join(', ')
  if (MEANINGLESS.has(encoding)) return null
  if (encoding === 'base64' || encoding === 'quoted-printable') return encoding
  throw malformed(
    `A part has the unknown Content-Transfer-Encoding ${JSON.stringify(encoding.slice(0, 40))}: send its bytes as they are.`,
  )
}

/**
 * Decodes as the bytes come, and holds back a few characters at most.
 * @param refuse creates the error (`must …`) for bytes that are not encoded so
 */
export function decodeTransfer(
  bytes: Bytes,
  encoding: TransferEncoding,
  refuse: (allowed: string) => Error,
): Bytes {
  if (encoding === 'base64') return fromBase64(bytes, refuse)
  return encoding === 'quoted-printable' ? fromQuotedPrintable(bytes, refuse) : bytes
}

const NOT_BASE64 = 'must be base64, as its Content-Transfer-Encoding says'

async function* fromBase64(bytes: Bytes, refuse: (allowed: string) => Error): AsyncGenerator<Buffer> {
  let held = ''
  for await (const chunk of bytes) {
    held += chunk.toString('latin1').replace(/[\t\n\r ]+/g, '')
    if (!/^[A-Za-z\d+/]*={0,2}$/.test(held)) throw refuse(NOT_BASE64)
    // With padding, the last group is held: nothing may follow it.
    const padding = held.indexOf('=')
    const length = padding === -1 ? held.length : padding
    const whole = length - (length % 4)
    if (whole > 0) yield Buffer.from(held.slice(0, whole), 'base64')
    held = held.slice(whole)
  }
  if (!/^(?:[A-Za-z\d+/]{2}(?:==)?|[A-Za-z\d+/]{3}=?)?$/.test(held)) throw refuse(NOT_BASE64)
  if (held !== '') yield Buffer.from(held, 'base64')
}

const NOT_QUOTED_PRINTABLE = 'must be quoted-printable, as its Content-Transfer-Encoding says'
const [EQUALS, SPACE, TAB, CR, LF] = [0x3d, 0x20, 0x09, 0x0d, 0x0a]

/** Where it is after a byte: in text, behind `=` or its first digit, or in the end of a line that goes on. */
type Place = 'text' | 'equals' | 'digit' | 'spaces' | 'return'

async function* fromQuotedPrintable(
  bytes: Bytes,
  refuse: (allowed: string) => Error,
): AsyncGenerator<Buffer> {
  let place: Place = 'text'
  let high = 0
  for await (const chunk of bytes) {
    const decoded = Buffer.allocUnsafe(chunk.length)
    let length = 0
    const add = (byte: number) => {
      decoded[length] = byte
      length += 1
    }
    for (const byte of chunk) {
      const digit = place === 'equals' || place === 'digit' ? hexDigitOf(byte) : -1
      if (place === 'text') {
        if (byte === EQUALS) place = 'equals'
        else add(byte)
      } else if (place === 'digit') {
        if (digit === -1) throw refuse(NOT_QUOTED_PRINTABLE)
        add(high * 16 + digit)
        place = 'text'
      } else if (digit !== -1) {
        high = digit
        place = 'digit'
      } else {
        const next = afterBreak(place, byte)
        if (next === null) throw refuse(NOT_QUOTED_PRINTABLE)
        place = next
      }
    }
    if (length > 0) yield decoded.subarray(0, length)
  }
  // The line end of a last soft break belongs to the boundary.
  if (place === 'digit') throw refuse(NOT_QUOTED_PRINTABLE)
}

/** A soft break: `=`, spaces that a mail program may have added, and the end of the line. null: it is none. */
function afterBreak(place: Place, byte: number): Place | null {
  if (byte === LF) return 'text'
  if (place === 'return') return null
  if (byte === CR) return 'return'
  return byte === SPACE || byte === TAB ? 'spaces' : null
}

function hexDigitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
