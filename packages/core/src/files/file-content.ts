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
  // The text ends within a character.
  if (!isText()) throw refuse(TEXT)
}

const TEXT = 'must be UTF-8 text without NUL characters'
