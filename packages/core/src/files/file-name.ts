import { trimEndOf } from '../lib/text.ts'

/** Characters of a file name, including its extension. */
const MAX_CHARACTERS = 200
/** Characters that are read at each end of a name. */
const READ = 5 * MAX_CHARACTERS
/** The limit of common file systems. */
const MAX_BYTES = 255

/** Characters and names with a special meaning in Windows. */
const RESERVED_CHARACTERS = /[<>:"|?*\\]/g
const RESERVED_NAME = /^(?=(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$))/i
/** Trailing characters that Windows drops. */
const TRAILING = '. '

/**
 * Turns any file name into one that is safe to show, log and store: the last part of the path, one line, NFC, at most
 * 200 characters and 255 bytes, never empty, with its extension. Idempotent.
 */
export function sanitizeFileName(name: string): string {
  const base = printable(middleCut(lastOf(name))).normalize('NFC')
  const plain = trimEndOf(base.replace(RESERVED_CHARACTERS, '_').trim(), TRAILING)
  const { stem, extension } = splitExtension(plain)
  const named = (/^[. ]*$/.test(stem) ? 'file' : stem) + extension
  return shorten(named.replace(RESERVED_NAME, '_'))
}

/**
 * Without characters that do not belong in a line of text: control characters, line ends, lone surrogates, the byte order
 * mark, and direction marks, with which `exe.pdf` reads as something else. Within the function, because V8 takes 10 ms to
 * read these classes.
 */
function printable(name: string): string {
  return name.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
}

/** The last part of a path. A backslash separates only where a drive or a share comes first. */
function lastOf(path: string): string {
  const backslash = /^(?:[a-z]:\\|\\\\)/i.test(path) ? path.lastIndexOf('\\') : -1
  return path.slice(Math.max(path.lastIndexOf('/'), backslash) + 1)
}

/** Without the middle of a long name, which is not kept anyway: normalization takes quadratic time with many marks. */
function middleCut(name: string): string {
  return name.length > 2 * READ ? name.slice(0, READ) + name.slice(-READ) : name
}

/** The lower-case extension of a name without the dot; '' if it has none. */
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
  return kept.length === [...stem].length ? name : trimEndOf(kept.join(''), TRAILING) + extension
}
