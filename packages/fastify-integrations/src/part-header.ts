/** What the header of a part says. */
export interface PartHeader {
  readonly name: string
  /** null: the part is a plain field. '': it is a file, and has no name. */
  readonly fileName: string | null
}

const PARAMETER = /;\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;"\s][^;"]*)/y
const PLAIN_ENCODINGS = new Set(['7bit', '8bit', 'binary'])

/**
 * Reads the header of a part (RFC 7578), in the dialect that browsers and libraries really write: UTF-8 as it is,
 * `filename*` beside `filename`, quotes or none.
 * @param header lower-case names; the bytes of the values as Latin-1
 * @returns null where the part cannot be told: it must be refused then, or a file would get lost without a word
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

function readParameters(disposition: string): Map<string, string> | null {
  const type = /^form-data\s*(?=;)/i.exec(disposition)
  if (type === null) return null
  const parameters = new Map<string, string>()
  let position = type[0].length
  while (!/^\s*;?\s*$/.test(disposition.slice(position))) {
    PARAMETER.lastIndex = position
    const [text, name = '', value = ''] = PARAMETER.exec(disposition) ?? []
    if (text === undefined || parameters.has(name.toLowerCase())) return null
    parameters.set(name.toLowerCase(), plainValue(value))
    position += text.length
  }
  return parameters
}

function plainValue(value: string): string {
  const isQuoted = value.startsWith('"')
  const text = isQuoted ? value.slice(1, -1).replace(/\\(["\\])/g, '$1') : value.trim()
  return Buffer.from(text, 'latin1').toString('utf8')
}

/** `UTF-8''a%20b.pdf` (RFC 8187). Other charsets are out of use: their `filename` is taken. */
function extendedValue(value: string | undefined): string | null {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(value ?? '') ?? []
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded)
  } catch {
    return null
  }
}
