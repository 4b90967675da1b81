const CRLF = Buffer.from('\r\n')
const [SPACE, TAB, CR] = [0x20, 0x09, 0x0d]
/** Bytes of white space in a line. */
const MAX_PADDING = 256

/**
 * Removes the white space that may follow a boundary in its line (RFC 2046, 5.1.1): Dicer would take it for a header. Holds
 * back only bytes that may belong to such a line.
 */
export async function* withoutPadding(
  chunks: AsyncIterable<Buffer>,
  boundary: string,
): AsyncGenerator<Buffer, void, undefined> {
  const delimiter = Buffer.concat([CRLF, Buffer.from(`--${boundary}`)])
  // The first boundary may be the first line: Dicer ignores what stands before it.
  let held: Buffer = CRLF
  for await (const chunk of chunks) {
    const data = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    let begin = 0
    let end = data.length
    for (let at = data.indexOf(delimiter); at !== -1; at = data.indexOf(delimiter, at + 1)) {
      const padding = at + delimiter.length
      const line = endOfBlanks(data, padding)
      if (line === data.length && line - padding <= MAX_PADDING) {
        end = at
        break
      }
      if (line > padding) {
        yield data.subarray(begin, padding)
        begin = line
      }
    }
    if (end === data.length) end = beginOfTail(data, delimiter)
    if (end > begin) yield data.subarray(begin, end)
    held = data.subarray(Math.max(begin, end))
  }
  if (held.length > 0) yield held
}

function endOfBlanks(data: Buffer, from: number): number {
  let end = from
  while (data[end] === SPACE || data[end] === TAB) end += 1
  return end
}

/** Where a delimiter begins that does not end in the data; the end of the data if none does. */
function beginOfTail(data: Buffer, delimiter: Buffer): number {
  const first = Math.max(0, data.length - delimiter.length + 1)
  for (let at = data.indexOf(CR, first); at !== -1; at = data.indexOf(CR, at + 1)) {
    if (delimiter.subarray(0, data.length - at).equals(data.subarray(at))) return at
  }
  return data.length
}
