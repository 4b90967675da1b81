import { charsetOf } from './content-type.ts'
import { malformed } from './read-body.ts'
import { sentFileName, toText } from './sent-name.ts'
import { type TransferEncoding, transferEncodingOf } from './transfer-encoding.ts'

/** The header of a part. */
export interface PartHeader {
  readonly name: string
  /** null: a plain field. '': a file without a name. */
  readonly fileName: string | null
  /** Whether its content is text, or of no declared type. */
  readonly isText: boolean
  /** Of its content. null: undeclared. */
  readonly charset: string | null
  readonly encoding: TransferEncoding
}

export const INVALID_HEADER = 'A part has no valid Content-Disposition: it must be form-data with a name.'

/**
 * Parses the header of a part (RFC 7578), as browsers and libraries really write it: `filename*` beside `filename`,
 * with or without quotes, names in any charset.
 * @param header lower-case names; the bytes of the values as Latin-1
 * @param charset of names that are not UTF-8; null if the form declares none
 * @throws IntegrationError MALFORMED_REQUEST: the part must be refused, or a file would be lost silently
 */
export function readPartHeader(
  header: Readonly<Record<string, readonly string[]>>,
  charset: string | null,
): PartHeader {
  const [disposition, ...more] = header['content-disposition'] ?? []
  if (disposition === undefined || more.length > 0) throw malformed(INVALID_HEADER)
  const parameters = readParameters(disposition)
  const name = parameters.get('name')
  if (name === undefined) throw malformed(INVALID_HEADER)
  const [contentType = ''] = header['content-type'] ?? []
  return {
    name: toText(name, charset),
    fileName: sentFileName(parameters, charset),
    isText: /^(?:text\/|$)/i.test(contentType.trim()),
    charset: charsetOf(contentType),
    encoding: transferEncodingOf(header['content-transfer-encoding'] ?? []),
  }
}

/**
 * The parameters as Latin-1, without quotes. Visits each character once: a client could choose ones that make a regular
 * expression backtrack.
 */
function readParameters(disposition: string): Map<string, string> {
  const type = 'form-data'
  if (disposition.slice(0, type.length).toLowerCase() !== type) throw malformed(INVALID_HEADER)
  const parameters = new Map<string, string>()
  let at = type.length

  function take(belongs: (character: string) => boolean): string {
    const from = at
    while (at < disposition.length && belongs(disposition.charAt(at))) at += 1
    return disposition.slice(from, at)
  }
  function takeOnly(character: string): boolean {
    take(isSpace)
    if (disposition.charAt(at) !== character) return false
    at += 1
    return true
  }
  function takeQuoted(): string | null {
    let isEscaped = false
    const quoted = take((character) => {
      const goesOn = isEscaped || character !== '"'
      isEscaped = !isEscaped && character === '\\'
      return goesOn
    })
    return takeOnly('"') ? unescaped(quoted) : null
  }

  while (takeOnly(';')) {
    take(isSpace)
    const name = take(isTokenCharacter).toLowerCase()
    if (name === '' && at === disposition.length) break
    if (name === '' || !takeOnly('=')) throw malformed(INVALID_HEADER)
    const value = takeOnly('"') ? takeQuoted() : take(isPlain).trim() || null
    if (value === null) throw malformed(INVALID_HEADER)
    if ((parameters.get(name) ?? value) !== value) {
      throw malformed(
        `A part's Content-Disposition has two different values of ${JSON.stringify(name.slice(0, 40))}.`,
      )
    }
    parameters.set(name, value)
  }
  if (at !== disposition.length) throw malformed(INVALID_HEADER)
  return parameters
}

/** Old browsers send whole Windows paths, and escape only quotes in them. */
function unescaped(quoted: string): string {
  return /^(?:[a-z]:\\|\\\\)/i.test(quoted) ? quoted.replace(/\\"/g, '"') : quoted.replace(/\\(.)/g, '$1')
}

const isSpace = (character: string) => character === ' ' || character === '\t'
const isTokenCharacter = (character: string) => /[!#$%&'*+.^_`|~\w-]/.test(character)
const isPlain = (character: string) => character !== ';' && character !== '"'
