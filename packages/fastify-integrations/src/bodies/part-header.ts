/** The header of a part. */
export interface PartHeader {
  readonly name: string
  /** null: a plain field. '': a file without a name. */
  readonly fileName: string | null
}

const PLAIN_ENCODINGS = new Set(['7bit', '8bit', 'binary'])

/**
 * Parses the header of a part (RFC 7578), as browsers and libraries really write it: raw UTF-8, `filename*` beside
 * `filename`, with or without quotes.
 * @param header lower-case names; the bytes of the values as Latin-1
 * @returns null if it is invalid: the part must be refused, or a file would be lost silently
 */
export function readPartHeader(header: Readonly<Record<string, readonly string[]>>): PartHeader | null {
  const [disposition, ...more] = header['content-disposition'] ?? []
  const [encoding = '7bit'] = header['content-transfer-encoding'] ?? []
  if (disposition === undefined || more.length > 0 || !PLAIN_ENCODINGS.has(encoding.toLowerCase()))
    return null
  const parameters = readParameters(disposition)
  const name = parameters?.get('name')
  if (parameters === null || name === undefined) return null
  return { name, fileName: extendedValue(parameters.get('filename*')) ?? parameters.get('filename') ?? null }
}

/** Visits each character once: a client could choose ones that make a regular expression backtrack. */
function readParameters(disposition: string): Map<string, string> | null {
  const type = 'form-data'
  if (disposition.slice(0, type.length).toLowerCase() !== type) return null
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
  /** Backslashes of Windows paths stay: only quotes and backslashes are escaped. */
  function takeQuoted(): string | null {
    let isEscaped = false
    const quoted = take((character) => {
      const goesOn = isEscaped || character !== '"'
      isEscaped = !isEscaped && character === '\\'
      return goesOn
    })
    return takeOnly('"') ? quoted.replace(/\\(["\\])/g, '$1') : null
  }

  while (takeOnly(';')) {
    take(isSpace)
    const name = take(isTokenCharacter).toLowerCase()
    if (name === '' && at === disposition.length) break
    if (name === '' || parameters.has(name) || !takeOnly('=')) return null
    const value = takeOnly('"') ? takeQuoted() : take(isPlain).trim() || null
    if (value === null) return null
    parameters.set(name, Buffer.from(value, 'latin1').toString('utf8'))
  }
  return at === disposition.length ? parameters : null
}

const isSpace = (character: string) => character === ' ' || character === '\t'
const isTokenCharacter = (character: string) => /[!#$%&'*+.^_`|~\w-]/.test(character)
const isPlain = (character: string) => character !== ';' && character !== '"'

/** `UTF-8''a%20b.pdf` (RFC 8187). Other charsets are obsolete: their `filename` is used. */
function extendedValue(value: string | undefined): string | null {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(value ?? '') ?? []
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded)
  } catch {
    return null
  }
}
