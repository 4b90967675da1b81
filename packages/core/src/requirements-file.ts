import { createHash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { IntegrationError, validationFailed } from './errors.ts'
import { CONTENT_CHECKS } from './file-content.ts'
import { fileExtension, sanitizeFileName } from './file-name.ts'
import type { FileId, FileStorage, UploadStorage } from './file-storage.ts'
import type { QuotationFile } from './quotation.ts'
import type { Settings } from './settings.ts'

/** A file on its way in. */
export interface IncomingFile {
  readonly organizationId: string
  /** Its place among the files of the quote, from 0. Refusals point at it: `/files/0`. */
  readonly index: number
  /** As the client called it. */
  readonly name: string
  /** Read at the pace of the storage, and never held whole. */
  readonly bytes: AsyncIterable<Uint8Array>
}

/** A file that is stored and waits for its quote. */
export interface ReceivedFile extends QuotationFile {
  /** Of the content, in lower-case hex: the same file has the same one. */
  readonly sha256: string
}

/** The requirements files of quotes: taken in before the quote is accepted, and read by its pipeline. */
export interface RequirementsFiles {
  /**
   * Checks a file while it streams into the storage: type by extension and by content, size, and how many there are. Its
   * name is made safe, never refused. Give it to `quotations.start`, or `discard` it. When this throws, nothing of the
   * file stays behind.
   * @throws IntegrationError VALIDATION_FAILED (type, content, an empty file, one file too many) or PAYLOAD_TOO_LARGE,
   * both pointing at the file; and whatever `bytes` throws
   */
  receive(file: IncomingFile): Promise<ReceivedFile>
  /** Reads a file of a quote. Throws when it is not (any more) there. */
  read(file: FileId): AsyncIterable<Uint8Array>
  /**
   * Removes files that no quote took. Files of an accepted quote stay, so it is safe to call when the outcome of a start
   * is not known. Never throws: what cannot be removed now is left to `deleteAbandoned`.
   */
  discard(files: readonly FileId[]): Promise<void>
  /**
   * Removes what was uploaded before `olderThan` and belongs to no quote, because its process died or the storage was
   * down. To be called now and then, from any number of processes; an hour ago is late enough for any upload.
   * @returns how many files were removed
   */
  deleteAbandoned(olderThan: Date): Promise<number>
}

/** Files that are removed at once. */
const BATCH = 100

export function createRequirementsFiles(
  { uploads, files }: { uploads: UploadStorage; files: FileStorage },
  { limits, logger, now }: Pick<Settings, 'limits' | 'logger' | 'now'>,
): RequirementsFiles {
  const remove = async (abandoned: readonly FileId[]) => {
    if (abandoned.length === 0) return
    await files.delete(abandoned)
    await uploads.forgetUploads(abandoned)
  }

  const discard = async (unwanted: readonly FileId[]) => {
    if (unwanted.length === 0) return
    try {
      await remove(await uploads.abandonUploads(unwanted, now()))
    } catch (error) {
      logger.warn({ err: error, files: unwanted.length }, 'files of no quote are left to be removed later')
    }
  }

  return {
    async receive({ organizationId, index, name: givenName, bytes }) {
      const refuse = refusalsOf(`/files/${index}`)
      if (index >= limits.files) throw refuse(`must not be there: a quote has at most ${limits.files} files`)
      const name = sanitizeFileName(givenName)
      const type = fileTypeOf(name)
      if (type === null) throw refuse(`must be of one of the types ${FILE_TYPES.join(', ')}`)
      const id = uuidv7()
      const file = { id, organization_id: organizationId }
      const measured = measure(bytes, limits.fileBytes, refuse)
      const checked = watch(CONTENT_CHECKS[type](measured.bytes, refuse))
      await uploads.recordUpload(file, now())
      try {
        await files.put(file, checked.bytes)
        if (!checked.isComplete())
          throw new Error('The file storage stored a file that it had not read to its end.')
      } catch (error) {
        await discard([file])
        // A storage may wrap what its source threw: the refusal is told as it was made.
        throw checked.failure() ?? error
      }
      return { id, name, type, size: measured.size(), sha256: measured.sha256() }
    },

    read: (file) => files.get(file),

    discard,

    async deleteAbandoned(olderThan) {
      let removed = 0
      let batch: readonly FileId[]
      do {
        batch = await uploads.abandonUploadsBefore(olderThan, BATCH, now())
        await remove(batch)
        removed += batch.length
      } while (batch.length === BATCH)
      return removed
    },
  }
}

type Refuse = (allowed: string, code?: 'PAYLOAD_TOO_LARGE') => IntegrationError

function refusalsOf(pointer: string): Refuse {
  return (detail, code) => {
    const errors = [{ pointer, detail }]
    return code === undefined
      ? validationFailed(errors)
      : new IntegrationError(code, `${pointer}: ${detail}`, { errors })
  }
}

/** Counts and hashes a file while it passes by, and ends it where it is too long, or empty. */
function measure(source: AsyncIterable<Uint8Array>, maximum: number, refuse: Refuse) {
  const hash = createHash('sha256')
  let size = 0
  async function* bytes() {
    for await (const chunk of source) {
      size += chunk.length
      if (size > maximum) throw refuse(`must have at most ${maximum} bytes`, 'PAYLOAD_TOO_LARGE')
      hash.update(chunk)
      yield chunk
    }
    if (size === 0) throw refuse('must not be empty')
  }
  return { bytes: bytes(), size: () => size, sha256: () => hash.digest('hex') }
}

/** Remembers how the reading of a source ended. */
function watch(source: AsyncIterable<Uint8Array>) {
  let isComplete = false
  let failure: unknown
  async function* bytes() {
    try {
      yield* source
      isComplete = true
    } catch (error) {
      failure = error
      throw error
    }
  }
  return { bytes: bytes(), isComplete: () => isComplete, failure: () => failure }
}

const FILE_TYPES = Object.keys(CONTENT_CHECKS) as QuotationFile['type'][]

function fileTypeOf(name: string): QuotationFile['type'] | null {
  return FILE_TYPES.find((type) => type === fileExtension(name)) ?? null
}
