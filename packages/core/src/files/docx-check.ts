import type { FileHandle } from 'node:fs/promises'
import { type Entry, getFileNameLowLevel, validateFileName, type ZipFile } from 'yauzl'
import { IntegrationError } from '../lib/errors.ts'
import { readContentTypes } from './docx-content-types.ts'
import { isWordDocument, readMainPartName } from './docx-main-part.ts'
import { isFromSystem } from './temporary-file.ts'
import { isUndamaged, openEntry, openZip } from './zip-file.ts'

const MIB = 1024 * 1024

/** Limits of a docx. Documents of thousands of pages stay far below them; zip bombs do not. */
export const DOCX_BOUNDS = Object.freeze({
  entries: 2000,
  /** Of the name of an entry. */
  nameBytes: 1024,
  /** Of the extra fields of an entry, which are parsed. */
  extraFieldBytes: 4096,
  /** Decompressed bytes of all entries. */
  inflatedBytes: 100 * MIB,
  /** The compression ratio allowed above `ratioAbove` bytes. Flat screenshots and long tables have up to 200. */
  ratio: 100,
  ratioAbove: 50 * MIB,
  /** Decompressed bytes of the list of content types, and of the relationships of the package. */
  packageXmlBytes: MIB,
})

const CONTENT_TYPES = '[content_types].xml'
const RELATIONSHIPS = '_rels/.rels'
const MAIN_DOCUMENT = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'
const MAIN_TEMPLATE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml'
/** Macros, and Office files that may contain them: the file itself, or an embedded one. */
const MACRO_TYPE = /macroEnabled|vbaProject|vbaData/i
/** In the last segment of the name. */
const MACRO_NAME = /vba(project|data)|\.(docm|dotm|xlsm|xltm|xlsb|xlam|pptm|potm|ppsm|ppam|sldm)$/i

const OLE_MAGIC = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const ZIP_MAGIC = Buffer.from('504b0304', 'hex')

const SAVE_AGAIN = 'save it again in Word or LibreOffice'
const NOT_A_DOCUMENT = 'must be a Word document (.docx)'
const TEMPLATE = 'must be a document, not a template: open it in Word and save it as .docx'
const BROKEN = 'must be a complete and well-formed Word document (.docx)'
const INCOMPLETE = `must be complete: the end of its zip is missing, or more than 512 bytes follow it; send the file unchanged, or ${SAVE_AGAIN}`
const DAMAGED = 'must be undamaged: a checksum in it is wrong; send the original file again'
const COMPRESSION = `must be compressed by deflate, which Word uses: ${SAVE_AGAIN}`
const ENCRYPTED = 'must not be encrypted'
const MACROS =
  'must not contain macros: remove them in Word, or save it as .docx there (LibreOffice keeps the macros of a .docm)'
const OUTSIDE = 'must not contain entries with paths outside the archive'
const SECOND_NAME = `must not contain an entry with a second, different name: ${SAVE_AGAIN}`
const NO_MAIN_PART = `must have a _rels/.rels that leads to its main part: ${SAVE_AGAIN}`
const MALFORMED =
  'must have a main part of well-formed XML: where a program fills it, escape & and <, and leave out control characters'

type Refuse = (allowed: string) => IntegrationError

/**
 * Checks that a file is a Word document which Word, LibreOffice and others open: a complete zip with a well-formed main
 * part, within DOCX_BOUNDS, not encrypted, without macros or paths outside the archive. Decompresses every entry, because
 * headers lie. Does not open embedded files.
 * @param refuse creates the error (`must …`)
 */
export async function checkDocx(file: FileHandle, refuse: Refuse): Promise<void> {
  const { buffer: head } = await file.read(Buffer.alloc(8), 0, 8, 0)
  // Word stores an encrypted document in the container of the old .doc format.
  if (head.equals(OLE_MAGIC)) throw refuse('must be an unencrypted .docx, not a .doc')
  // With a prefix, the file could also be a second kind of file, such as a program.
  if (!head.subarray(0, ZIP_MAGIC.length).equals(ZIP_MAGIC)) throw refuse(NOT_A_DOCUMENT)
  await orRefuse(refuse(BROKEN), async () => {
    const zip = await openZip(file)
    if (zip === null) throw refuse(INCOMPLETE)
    const entries = await readDirectory(zip, refuse)
    await checkEntries(zip, entries, refuse)
    await checkDocument(zip, new Map(entries.map((entry) => [nameOf(entry), entry])), refuse)
  })
}

/** Errors of the operating system stay as they are. */
async function orRefuse<T>(refusal: IntegrationError, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof IntegrationError || isFromSystem(error) ? error : refusal
  }
}

/** Names must differ in more than case (ECMA-376, part 2). */
function nameOf({ fileNameRaw }: Entry): string {
  return fileNameRaw.toString('utf8').toLowerCase()
}

/** Lists the entries, and stops at the first violation. */
async function readDirectory(zip: ZipFile, refuse: Refuse): Promise<readonly Entry[]> {
  const { entries: maximum, nameBytes, extraFieldBytes } = DOCX_BOUNDS
  if (zip.entryCount > maximum) throw refuse(`must contain at most ${maximum} entries`)
  const entries: Entry[] = []
  const names = new Set<string>()
  const size = { compressed: 0, inflated: 0 }
  for await (const entry of zip.eachEntry()) {
    if (entry.fileNameLength > nameBytes) {
      throw refuse(`must not contain entries with names of more than ${nameBytes} bytes`)
    }
    if (entry.extraFieldLength > extraFieldBytes) throw refuse(BROKEN)
    const name = nameOf(entry)
    // A reader might pick the other entry. Folders have nothing to read.
    if (names.has(name) && !name.endsWith('/')) throw refuse(BROKEN)
    names.add(name)
    entries.push(entry)
    if (pointsOutside(name, entry)) throw refuse(OUTSIDE)
    if (hasSecondName(entry)) throw refuse(SECOND_NAME)
    if (isEncrypted(entry)) throw refuse(ENCRYPTED)
    if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) throw refuse(COMPRESSION)
    if (MACRO_NAME.test(name.slice(name.lastIndexOf('/') + 1))) throw refuse(MACROS)
    size.compressed += entry.compressedSize
    size.inflated += entry.uncompressedSize
    checkSize(size, zip.fileSize, refuse)
  }
  return entries
}

function checkSize(
  { compressed, inflated }: { compressed: number; inflated: number },
  fileSize: number,
  refuse: Refuse,
): void {
  // Entries that share bytes would be decompressed again and again.
  if (compressed > fileSize) throw refuse(BROKEN)
  const { inflatedBytes, ratio, ratioAbove } = DOCX_BOUNDS
  if (inflated > inflatedBytes || (inflated > ratioAbove && inflated > ratio * fileSize)) {
    throw refuse(
      `must decompress to at most ${inflatedBytes / MIB} MiB, and above ${ratioAbove / MIB} MiB to at most ${ratio} times its size`,
    )
  }
}

const SYMBOLIC_LINK = 0o120000
const FILE_KIND = 0o170000

function pointsOutside(name: string, entry: Entry): boolean {
  const isLink = ((entry.externalFileAttributes >>> 16) & FILE_KIND) === SYMBOLIC_LINK
  return isLink || name.includes('\0') || validateFileName(name) !== null
}

const UNICODE_PATH_FIELD = 0x7075
/** Its version and the checksum of the first name, before the name itself. */
const UNICODE_PATH_AT = 5

/** JSZip adds each name again, in UTF-8. The first one may be in code page 437. */
function hasSecondName({ extraFields, fileNameRaw, generalPurposeBitFlag }: Entry): boolean {
  const names = [
    fileNameRaw.toString('utf8'),
    getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, [], true),
  ]
  return extraFields.some(
    ({ id, data }) =>
      id === UNICODE_PATH_FIELD && !names.includes(data.subarray(UNICODE_PATH_AT).toString('utf8')),
  )
}

function isEncrypted({ generalPurposeBitFlag }: { generalPurposeBitFlag: number }): boolean {
  return (generalPurposeBitFlag & 1) !== 0
}

async function checkEntries(zip: ZipFile, entries: readonly Entry[], refuse: Refuse): Promise<void> {
  for (const entry of entries) {
    const local = await zip.readLocalFileHeaderPromise(entry)
    // A reader that trusts the local headers would see another archive.
    if (!local.fileName.equals(entry.fileNameRaw)) throw refuse(BROKEN)
    if (isEncrypted(local)) throw refuse(ENCRYPTED)
    if (!(await isUndamaged(zip, entry))) throw refuse(DAMAGED)
  }
}

async function checkDocument(
  zip: ZipFile,
  entries: ReadonlyMap<string, Entry>,
  refuse: Refuse,
): Promise<void> {
  const packageXml = (entry: Entry) => {
    if (entry.uncompressedSize > DOCX_BOUNDS.packageXmlBytes) throw refuse(BROKEN)
    return openEntry(zip, entry)
  }
  const list = entries.get(CONTENT_TYPES)
  if (list === undefined) throw refuse(NOT_A_DOCUMENT)
  const typeOf = await readContentTypes(await packageXml(list))
  const types = [...entries.keys()].map((name) => typeOf(name) ?? '')
  if (types.some((type) => MACRO_TYPE.test(type))) throw refuse(MACROS)
  if (!types.includes(MAIN_DOCUMENT)) {
    throw refuse(types.includes(MAIN_TEMPLATE) ? TEMPLATE : NOT_A_DOCUMENT)
  }
  const relationships = entries.get(RELATIONSHIPS)
  if (relationships === undefined) throw refuse(NO_MAIN_PART)
  const name = (await readMainPartName(await packageXml(relationships))) ?? ''
  const main = entries.get(name)
  if (main === undefined || typeOf(name) !== MAIN_DOCUMENT) throw refuse(NO_MAIN_PART)
  const isWord = await orRefuse(refuse(MALFORMED), async () => isWordDocument(await openEntry(zip, main)))
  if (!isWord) throw refuse(NOT_A_DOCUMENT)
}
