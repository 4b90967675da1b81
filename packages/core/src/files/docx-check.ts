import type { FileHandle } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Entry, fromFdPromise, validateFileName, type ZipFile } from 'yauzl'
import { IntegrationError } from '../lib/errors.ts'
import { readContentTypes } from './docx-content-types.ts'
import { isFromSystem } from './temporary-file.ts'

/** Limits of a docx. Documents of thousands of pages stay far below them; zip bombs do not. */
export const DOCX_BOUNDS = Object.freeze({
  entries: 2000,
  /** Of the name of an entry. */
  nameBytes: 1024,
  /** Of the extra fields of an entry, which are parsed. */
  extraFieldBytes: 4096,
  /** Decompressed bytes of all entries. */
  inflatedBytes: 100 * 1024 * 1024,
  /** The compression ratio allowed above `ratioAbove` bytes. */
  ratio: 100,
  ratioAbove: 10 * 1024 * 1024,
  /** Decompressed bytes of the list of content types, the only entry that is read. */
  contentTypesBytes: 1024 * 1024,
})

const CONTENT_TYPES = '[Content_Types].xml'
const MAIN_DOCUMENT = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'
/** Macros, and Office files that may contain them: the file itself, or an embedded one. */
const MACRO_TYPE = /macroEnabled|vbaProject|vbaData/i
/** In the last segment of the name. */
const MACRO_NAME = /vba(project|data)|\.(docm|dotm|xlsm|xltm|xlsb|xlam|pptm|potm|ppsm|ppam|sldm)$/i

const OLE_MAGIC = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const ZIP_MAGIC = Buffer.from('504b0304', 'hex')

const NOT_A_DOCUMENT = 'must be a Word document (.docx)'
const BROKEN = 'must be a complete and well-formed Word document (.docx)'
const ENCRYPTED = 'must not be encrypted'
const MACROS = 'must not contain macros'

/**
 * Checks that a file is a Word document: a zip with a main document part, within DOCX_BOUNDS, not encrypted, without
 * macros or paths outside the archive. Decompresses every entry, because headers lie. Does not open embedded files.
 * @param refuse creates the error (`must …`)
 */
export async function checkDocx(
  file: FileHandle,
  refuse: (allowed: string) => IntegrationError,
): Promise<void> {
  const { buffer: head } = await file.read(Buffer.alloc(8), 0, 8, 0)
  // Word stores an encrypted document in the container of the old .doc format.
  if (head.equals(OLE_MAGIC)) throw refuse('must be an unencrypted .docx, not a .doc')
  // With a prefix, the file could also be a second kind of file, such as a program.
  if (!head.subarray(0, ZIP_MAGIC.length).equals(ZIP_MAGIC)) throw refuse(NOT_A_DOCUMENT)
  try {
    const { size } = await file.stat()
    const zip = await fromFdPromise(file.fd, { autoClose: false, decodeStrings: false })
    const entries = await readDirectory(zip, size, refuse)
    await checkParts(zip, entries, refuse)
  } catch (error) {
    throw error instanceof IntegrationError || isFromSystem(error) ? error : refuse(BROKEN)
  }
}

type Entries = ReadonlyMap<string, Entry>

/** Lists the entries, and stops at the first violation. */
async function readDirectory(
  zip: ZipFile,
  fileSize: number,
  refuse: (allowed: string) => IntegrationError,
): Promise<Entries> {
  const { entries: maximum, nameBytes, extraFieldBytes, inflatedBytes, ratio, ratioAbove } = DOCX_BOUNDS
  if (zip.entryCount > maximum) throw refuse(`must contain at most ${maximum} entries`)
  const entries = new Map<string, Entry>()
  let compressed = 0
  let inflated = 0
  for await (const entry of zip.eachEntry()) {
    if (entry.fileNameLength > nameBytes) {
      throw refuse(`must not contain entries with names of more than ${nameBytes} bytes`)
    }
    if (entry.extraFieldLength > extraFieldBytes) throw refuse(BROKEN)
    const name = entry.fileNameRaw.toString('utf8').toLowerCase()
    // Names must differ in more than case (ECMA-376, part 2): a reader might pick the other entry.
    if (entries.has(name)) throw refuse(BROKEN)
    entries.set(name, entry)
    if (pointsOutside(name, entry)) throw refuse('must not contain entries with paths outside the archive')
    if (isEncrypted(entry)) throw refuse(ENCRYPTED)
    if (MACRO_NAME.test(name.slice(name.lastIndexOf('/') + 1))) throw refuse(MACROS)
    compressed += entry.compressedSize
    // Entries that share bytes would be decompressed again and again.
    if (compressed > fileSize) throw refuse(BROKEN)
    inflated += entry.uncompressedSize
    if (inflated > inflatedBytes || (inflated > ratioAbove && inflated > ratio * fileSize)) {
      throw refuse(
        `must decompress to at most ${inflatedBytes / 1024 / 1024} MiB, and to at most ${ratio} times its size`,
      )
    }
  }
  return entries
}

const SYMBOLIC_LINK = 0o120000
const FILE_KIND = 0o170000
const UNICODE_PATH_FIELD = 0x7075

function pointsOutside(name: string, entry: Entry): boolean {
  const isLink = ((entry.externalFileAttributes >>> 16) & FILE_KIND) === SYMBOLIC_LINK
  const hasSecondName = entry.extraFields.some(({ id }) => id === UNICODE_PATH_FIELD)
  return isLink || hasSecondName || name.includes('\0') || validateFileName(name) !== null
}

function isEncrypted({ generalPurposeBitFlag }: { generalPurposeBitFlag: number }): boolean {
  return (generalPurposeBitFlag & 1) !== 0
}

async function checkParts(
  zip: ZipFile,
  entries: Entries,
  refuse: (allowed: string) => IntegrationError,
): Promise<void> {
  for (const entry of entries.values()) {
    const local = await zip.readLocalFileHeaderPromise(entry)
    // A reader that trusts the local headers would see another archive.
    if (!local.fileName.equals(entry.fileNameRaw)) throw refuse(BROKEN)
    if (isEncrypted(local)) throw refuse(ENCRYPTED)
    // yauzl fails if the size differs from the directory's.
    await pipeline(await zip.openReadStreamPromise(entry), discard())
  }
  const list = entries.get(CONTENT_TYPES.toLowerCase())
  if (list === undefined) throw refuse(NOT_A_DOCUMENT)
  if (list.uncompressedSize > DOCX_BOUNDS.contentTypesBytes) throw refuse(BROKEN)
  const types = await readContentTypes(await zip.openReadStreamPromise(list))
  if (types.declared.some((type) => MACRO_TYPE.test(type))) throw refuse(MACROS)
  const names = [...entries.keys()]
  if (!names.some((name) => types.of(name) === MAIN_DOCUMENT)) throw refuse(NOT_A_DOCUMENT)
}

function discard(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
