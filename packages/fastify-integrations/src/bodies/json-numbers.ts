import { randomUUID } from 'node:crypto'
import { INEXACT_NUMBER } from '@quickquote/core/internal'

/** Deeper than any real data, and far from a stack overflow. */
export const MAX_DEPTH = 64

/** More than any `metadata` has room for by default; a whole body of them would keep the event loop for a second. */
export const MAX_INEXACT = 2000

/** The index of the first byte, and the one after the last. */
type Span = readonly [begin: number, end: number]

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Scans JSON in one pass over its bytes, before anything is built: the nesting depth, and the numbers that parsing
 * would change, up to one more than MAX_INEXACT. `JSON.parse` reports the source of a number only from Node 22 on. The
 * result for invalid JSON is meaningless.
 */
export function scanJson(json: Buffer): { readonly isTooDeep: boolean; readonly inexact: readonly Span[] } {
  const inexact: Span[] = []
  let depth = 0
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index]
    if (byte === QUOTE) {
      index = endOfString(json, index)
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1
      if (depth > MAX_DEPTH) return { isTooDeep: true, inexact }
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1
    } else if (beginsNumber(byte)) {
      const end = endOfNumber(json, index)
      if (!isShort(json, index, end) && !isExact(json.toString('latin1', index, end))) {
        inexact.push([index, end])
        if (inexact.length > MAX_INEXACT) break
      }
      index = end - 1
    }
  }
  return { isTooDeep: false, inexact }
}

/** Parses valid JSON with INEXACT_NUMBER at these places, by way of an unguessable string. */
export function markInexactNumbers(json: Buffer, inexact: readonly Span[]): unknown {
  const mark = randomUUID()
  const pieces: string[] = []
  let position = 0
  for (const [begin, end] of inexact) {
    pieces.push(json.toString('utf8', position, begin), `"${mark}"`)
    position = end
  }
  pieces.push(json.toString('utf8', position))
  const text = pieces.join('').replace(/^\uFEFF/, '')
  return JSON.parse(text, (_, value) => (value === mark ? INEXACT_NUMBER : value))
}

/** The index of the closing quote. */
function endOfString(json: Buffer, begin: number): number {
  for (let index = begin + 1; index < json.length; index += 1) {
    if (json[index] === BACKSLASH) index += 1
    else if (json[index] === QUOTE) return index
  }
  return json.length
}

function endOfNumber(json: Buffer, begin: number): number {
  let end = begin + 1
  while (end < json.length && NUMBER_BYTES.has(json[end] ?? 0)) end += 1
  return end
}

const NUMBER_BYTES = new Set(Buffer.from('0123456789+-.eE'))

function beginsNumber(byte: number | undefined): boolean {
  return byte === 0x2d || (byte !== undefined && byte >= 0x30 && byte <= 0x39)
}

/** Fifteen digits are always exact, wherever the point is. */
function isShort(json: Buffer, begin: number, end: number): boolean {
  if (end - begin > 15) return false
  for (let index = begin; index < end; index += 1) if ((json[index] ?? 0) > 0x39) return false
  return true
}

/** Whether JavaScript writes the number with the same decimal value. */
export function isExact(source: string): boolean {
  const sent = decimalOf(source)
  return sent === null || sent === decimalOf(String(Number(source)))
}

/** A normal form of decimals: digits without surrounding zeros, and an exponent. null: not a number. */
function decimalOf(number: string): string | null {
  const [matched, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  if (matched === undefined) return null
  const digits = whole + fraction
  let begin = 0
  let end = digits.length
  while (digits[begin] === '0') begin += 1
  if (begin === end) return '0'
  // By hand: a regular expression for trailing zeros takes quadratic time for a million of them.
  while (digits[end - 1] === '0') end -= 1
  const scale = Number(exponent) - fraction.length + (digits.length - end)
  return `${sign}${digits.slice(begin, end)}e${scale}`
}
