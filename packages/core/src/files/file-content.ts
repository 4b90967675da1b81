import { writeFile } from 'node:fs/promises'
import { IntegrationError } from '../lib/errors.ts'
import type { QuotationFile } from '../model/quotation.ts'
import { isFromSystem, openTemporaryFile } from './temporary-file.ts'

type Bytes = AsyncIterable<Uint8Array>
type CheckedBytes = AsyncGenerator<Uint8Array, void, undefined>
/** Creates the error from the rule (`must …`). */
type Refuse = (allowed: string) => IntegrationError

/** Checks content against the type while it streams. The client's media type is ignored: it proves nothing. */
export const CONTENT_CHECKS: Readonly<
  Record<QuotationFile['type'], (bytes: Bytes, refuse: Refuse) => CheckedBytes>
> = { docx: docxOnly, pdf: pdfOnly, txt: textOnly, md: textOnly }

/**
 * A zip has its directory at the end, so the whole file must arrive first. It waits on disk, because a slow client
 * could hold ten megabytes of memory for as long as it likes.
 */
async function* docxOnly(bytes: Bytes, refuse: Refuse): CheckedBytes {
  try {
    const file = await openTemporaryFile()
    try {
      await writeFile(file, bytes)
      // Loads the readers of zip and XML.
      const { checkDocx } = await import('./docx-check.ts')
      await checkDocx(file, refuse)
      yield* file.createReadStream({ start: 0 })
    } finally {
      await file.close()
    }
  } catch (error) {
    // The folder for temporary files is full or missing, or no file descriptors are left. This may pass.
    if (isFromSystem(error)) throw new IntegrationError('SERVICE_UNAVAILABLE', undefined, { cause: error })
    throw error
  }
}

/** Viewers accept other bytes before it, such as a byte order mark or the headers of a mail. */
const PDF_MAGIC = /%PDF-\d/
const PDF_HEAD_LENGTH = 1024

async function* pdfOnly(bytes: Bytes, refuse: Refuse): CheckedBytes {
  let head: Buffer | null = Buffer.alloc(0)
  for await (const chunk of bytes) {
    if (head === null) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (PDF_MAGIC.test(head.toString('latin1', 0, PDF_HEAD_LENGTH))) {
      yield head
      head = null
    } else if (head.length >= PDF_HEAD_LENGTH) {
      break
    }
  }
  if (head !== null) throw refuse(`must be a PDF document, with %PDF- in its first ${PDF_HEAD_LENGTH} bytes`)
}

async function* textOnly(bytes: Bytes, refuse: Refuse): CheckedBytes {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let head: Uint8Array = Buffer.alloc(0)
  let isBlank = true
  let fault: string | null = null
  for await (const chunk of bytes) {
    if (head.length < TEXT_HEAD_LENGTH)
      head = Buffer.concat([head, chunk.subarray(0, TEXT_HEAD_LENGTH - head.length)])
    fault ??= faultOf(chunk)
    // The advice depends on the whole head, which may arrive in several chunks.
    if (fault !== null && head.length >= TEXT_HEAD_LENGTH) break
    if (fault === null) yield chunk
  }
  // The text ends within a character.
  fault ??= decoded() === null ? EIGHT_BIT : null
  if (fault !== null) throw refuse(isUtf16(head) ? UTF_16 : fault)
  if (isBlank) throw refuse('must not be empty: it has only white space')

  function decoded(chunk?: Uint8Array): string | null {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      return null
    }
  }
  function faultOf(chunk: Uint8Array): string | null {
    const end = chunk.indexOf(0)
    const text = decoded(end === -1 ? chunk : chunk.subarray(0, end))
    if (text === null) return EIGHT_BIT
    isBlank &&= !/\S/.test(text)
    return end === -1 ? null : WITH_NUL
  }
}

const TEXT_HEAD_LENGTH = 64
const WITH_NUL = 'must be UTF-8 text without NUL characters'
const UTF_16 = 'must be UTF-8 text, and looks like UTF-16: save it as UTF-8'
const EIGHT_BIT = 'must be UTF-8 text, and looks like an 8-bit charset such as Windows-1252: save it as UTF-8'

/** By its byte order mark, or because most of its characters are Latin: each second byte is NUL. */
function isUtf16(head: Uint8Array): boolean {
  const [first, second] = head
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true
  const zeros = [0, 0]
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  return Math.min(...zeros) === 0 && head.length >= 4 && Math.max(...zeros) > head.length / 4
}
