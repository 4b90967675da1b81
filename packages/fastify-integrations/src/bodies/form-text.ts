import { inTurns } from '@quickquote/core/internal'
import { decoderOf } from './charset.ts'

/** Bytes to decode in one turn of the event loop: two milliseconds at most. */
const TURN_BYTES = 64 * 1024

/**
 * Decodes the text of a field, with LF for each CRLF: form encoding puts CR before each LF.
 * @param charset declared for it; null means UTF-8
 * @param refuse creates the error (`must …`) for an unknown charset, or bytes that do not fit
 */
export async function textOf(
  bytes: Uint8Array,
  charset: string | null,
  refuse: (allowed: string) => Error,
): Promise<string> {
  const decoder = decoderOf(charset ?? 'utf-8')
  if (decoder === null)
    throw refuse(`must be in a known charset, such as UTF-8: ${shown(charset ?? '')} is unknown`)
  const pieces: string[] = []
  let held = ''
  const add = (more: string) => {
    const text = held + more
    held = text.endsWith('\r') ? '\r' : ''
    pieces.push(
      text
        .slice(0, text.length - held.length)
        .split('\r\n')
        .join('\n'),
    )
  }
  try {
    for await (const piece of inTurns([bytes], TURN_BYTES)) add(decoder.decode(piece, { stream: true }))
    add(decoder.decode())
  } catch {
    throw refuse(
      charset === null
        ? 'must be UTF-8 text, unless the Content-Type of its part declares another charset'
        : `must be text in the charset that it declares, ${shown(charset)}`,
    )
  }
  return pieces.join('') + held
}

function shown(charset: string): string {
  return JSON.stringify(charset.slice(0, 40))
}
