/** Characters of a file name, its extension included. */
const MAX_CHARACTERS = 200
/** What common file systems take. */
const MAX_BYTES = 255

/**
 * What does not belong into a line of text: control characters, line ends, lone surrogates, the byte order mark, and the
 * marks that turn the direction of what follows, so that `exe.pdf` reads as something else.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu
/** Characters and names that Windows gives a meaning of its own. */
const RESERVED_CHARACTERS = /[<>:"|?*]/g
const RESERVED_NAME = /^(?=(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$))/i
/** The end of a name that Windows drops. */
const TRAILING = /[. ]+$/

/**
 * Turns whatever a client called its file into a name that is safe to show, to log and to give to a file system: the last
 * part of the path, on one line, in NFC, at most 200 characters and 255 bytes. The extension stays, and the name is never
 * empty. A name that came out of here comes out again unchanged.
 */
export function sanitizeFileName(name: string): string {
  const base = name.replace(UNPRINTABLE, '').normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const plain = base.replace(RESERVED_CHARACTERS, '_').trim().replace(TRAILING, '')
  const { stem, extension } = splitExtension(plain)
  const named = (/^[. ]*$/.test(stem) ? 'file' : stem) + extension
  return shorten(named.replace(RESERVED_NAME, '_'))
}

/** The extension of a name, in lower case and without its dot; '' when there is none. */
export function fileExtension(name: string): string {
  return splitExtension(name).extension.slice(1).toLowerCase()
}

function splitExtension(name: string): { stem: string; extension: string } {
  const extension = /\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? ''
  return { stem: name.slice(0, name.length - extension.length), extension }
}

function shorten(name: string): string {
  const { stem, extension } = splitExtension(name)
  const room = { characters: MAX_CHARACTERS - extension.length, bytes: MAX_BYTES - extension.length }
  const kept = [...stem].slice(0, room.characters)
  while (Buffer.byteLength(kept.join('')) > room.bytes) kept.pop()
  return kept.length === [...stem].length ? name : kept.join('').replace(TRAILING, '') + extension
}
