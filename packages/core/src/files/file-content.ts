import { writeFile } from 'node:fs/promises'
import { IntegrationError } from '../lib/errors.ts'
import type { QuotationFile } from '../model/quotation.ts'
import { checkDocx, isFromSystem } from './docx-check.ts'
import { openTemporaryFile } from './temporary-file.ts'

type Bytes = AsyncIterable<Uint8Array>
type CheckedBytes = AsyncGenerator<Uint8Array, void, undefined>
/** Makes the error from what is allowed (`must …`). */
type Refuse = (allowed: string) => IntegrationError

/**
 * How the content of each type is told, while it passes by: a file that cannot be what its name says ends in an error.
 * The media type that a client names plays no part, for it proves nothing.
 */
export const CONTENT_CHECKS: Readonly<
  Record<QuotationFile['type'], (bytes: Bytes, refuse: Refuse) => CheckedBytes>
> = { docx: docxOnly, pdf: pdfOnly, txt: textOnly, md: textOnly }

/**
 * The directory of a zip is at its end, so nothing can be said before all of it is there. It waits on disk and not in
 * memory, because a slow client could hold ten megabytes of that for as long as it likes.
 */
async function* docxOnly(bytes: Bytes, refuse: Refuse): CheckedBytes {
  try {
    const file = await openTemporaryFile()
    try {
      await writeFile(file, bytes)
      await checkDocx(file, refuse)
      yield* file.createReadStream({ start: 0 })
    } finally {
      await file.close()
    }
  } catch (error) {
    // A folder for temporary files that is full or missing, or no file descriptors left: it may work again in a while.
    if (isFromSystem(error)) throw new IntegrationError('SERVICE_UNAVAILABLE', undefined, { cause: error })
    throw error
  }
}

const PDF_MAGIC = /^%PDF-\d/
const PDF_MAGIC_LENGTH = 6

async function* pdfOnly(bytes: Bytes, refuse: Refuse): CheckedBytes {
  let head: Uint8Array | null = Buffer.alloc(0)
  for await (const chunk of bytes) {
    if (head === null) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < PDF_MAGIC_LENGTH) continue
    if (!PDF_MAGIC.test(Buffer.from(head).toString('latin1', 0, PDF_MAGIC_LENGTH))) break
    yield head
    head = null
  }
  if (head !== null) throw refuse('must be a PDF document')
}

async function* textOnly(bytes: Bytes, refuse: Refuse): CheckedBytes {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const isText = (chunk?: Uint8Array) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined })
      return chunk?.includes(0) !== true
    } catch {
      return false
    }
  }
  for await (const chunk of bytes) {
    if (!isText(chunk)) throw refuse(TEXT)
    yield chunk
  }
  // A character that was begun and not finished.
  if (!isText()) throw refuse(TEXT)
}

const TEXT = 'must be text in UTF-8, without NUL'
