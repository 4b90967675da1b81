import { isUtf8 } from 'node:buffer'
import { decode } from './charset.ts'
import { malformed } from './read-body.ts'

type Parameters = ReadonlyMap<string, string>

const FALLBACK = 'windows-1252'

/**
 * The file name of a part, in each of the ways in which clients write what is not ASCII.
 * @param parameters of its Content-Disposition, with bytes as Latin-1
 * @param charset of names that are not UTF-8; null if the form declares none
 * @returns null: the part is no file
 * @throws IntegrationError MALFORMED_REQUEST for a `filename*` that cannot be read, if there is no `filename`
 */
export function sentFileName(parameters: Parameters, charset: string | null): string | null {
  const extended = extendedValue(parameters.get('filename*'))
  if (extended) return extended
  const plain = parameters.get('filename')
  if (plain !== undefined) return fromAscii(toText(plain, charset))
  if (extended === null && [...parameters.keys()].some((name) => name.startsWith('filename*'))) {
    throw malformed(
      "A part has a filename* that cannot be read: write it as UTF-8''plan.pdf, with other characters percent-encoded.",
    )
  }
  return extended
}

/** Names are UTF-8 (RFC 7578), but some clients write them in the charset of the form, or of Windows. */
export function toText(latin1: string, charset: string | null): string {
  const bytes = Buffer.from(latin1, 'latin1')
  if (isUtf8(bytes)) return bytes.toString('utf8')
  const isAsciiBased = charset !== null && !/^utf-?16/i.test(charset)
  return (isAsciiBased ? decode(bytes, charset) : null) ?? decode(bytes, FALLBACK) ?? ''
}

/** `UTF-8''a%20b.pdf` (RFC 8187), in any charset. null: it cannot be read, or there is none. */
function extendedValue(value: string | undefined): string | null {
  const [, charset, encoded] = /^([^']+)'[^']*'(.*)$/.exec(value ?? '') ?? []
  return charset === undefined || encoded === undefined ? null : decode(percentDecoded(encoded), charset)
}

function fromAscii(name: string): string {
  if (/[^\0-\x7f]/.test(name)) return name
  const decoded = decodeWords(name)
  return decoded === name ? decodePercent(name) : decoded
}

/** Only names that would show percent signs instead of letters: browsers write a quote as `%22`. */
function decodePercent(name: string): string {
  const bytes = percentDecoded(name)
  return isUtf8(bytes) && bytes.some((byte) => byte > 0x7f) ? bytes.toString('utf8') : name
}

/** A percent sign without two digits stands for itself. */
function percentDecoded(latin1: string): Buffer {
  const decoded = latin1.replace(/%([\dA-Fa-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return Buffer.from(decoded, 'latin1')
}

/** `=?UTF-8?Q?Gr=C3=BC=C3=9Fe.md?=` (RFC 2047). White space between two words is none. */
const WORD = /=\?([\w-]{1,40})(?:\*[\w-]{0,40})?\?([bq])\?([^?\s]*)\?=/gi

/** One that cannot be read stays as it is. */
function decodeWords(name: string): string {
  let decoded = ''
  let end = 0
  let isAfterWord = false
  for (const match of name.matchAll(WORD)) {
    const [word, charset = '', kind = '', text = ''] = match
    const value = decode(wordBytes(kind, text), charset)
    const between = name.slice(end, match.index)
    if (!isAfterWord || value === null || between.trim() !== '') decoded += between
    decoded += value ?? word
    isAfterWord = value !== null
    end = match.index + word.length
  }
  return decoded + name.slice(end)
}

function wordBytes(kind: string, text: string): Buffer {
  if (kind.toLowerCase() === 'b') return Buffer.from(text, 'base64')
  const decoded = text
    .replaceAll('_', ' ')
    .replace(/=([\dA-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(decoded, 'latin1')
}
