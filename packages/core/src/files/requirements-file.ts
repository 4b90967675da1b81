import { createHash } from 'node:crypto'
import { answerInTime, type Turn } from '../lib/answer-in-time.ts'
import { callHost } from '../lib/call-host.ts'
import { IntegrationError, validationFailed } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { newId } from '../lib/new-id.ts'
import { isOutage } from '../lib/outage.ts'
import { checkOrganizationId } from '../model/ids.ts'
import type { Limits } from '../model/limits.ts'
import type { QuotationFile } from '../model/quotation.ts'
import { CONTENT_CHECKS } from './file-content.ts'
import { fileExtension, sanitizeFileName } from './file-name.ts'
import type { FileId, FileStorage, UploadStorage } from './file-storage.ts'

/** A file on its way in. */
export interface IncomingFile {
  readonly organizationId: string
  /** Its place among the files of the quote, from 0. Errors point at it: `/files/0`. */
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
   * both pointing at the file; SERVICE_UNAVAILABLE when the file store fails, or takes no bytes for `hookTimeoutMs`, or
   * when there is no room for temporary files; and whatever `bytes` throws
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
   * Removes what was last written to before `olderThan` and belongs to no quote, because its process died or the storage
   * was down. To be called now and then, from any number of processes, with a time at least an hour ago: an upload under
   * way is noted every ten minutes. Files that the store cannot delete hold up no others, and are tried again next time.
   * @returns how many files were removed
   * @throws what the store threw last, when all others were tried
   */
  deleteAbandoned(olderThan: Date): Promise<number>
}

/** Files that are removed at once. */
const BATCH = 100
/** What of the settings files need. */
interface FileSettings {
  readonly limits: Limits
  readonly logger: Logger
  readonly now: () => Date
  readonly hookTimeoutMs: number
}

/** How often an upload under way is noted anew. */
const NOTE_EVERY_MS = 10 * 60 * 1000

export function createRequirementsFiles(
  { uploads, files }: { uploads: UploadStorage; files: FileStorage },
  { limits, logger, now, hookTimeoutMs }: FileSettings,
): RequirementsFiles {
  const remove = async (abandoned: readonly FileId[]) => {
    if (abandoned.length === 0) return
    await answerInTime('files.delete', hookTimeoutMs, () => files.delete(abandoned))
    await uploads.forget(abandoned)
  }

  const discard = async (unwanted: readonly FileId[]) => {
    if (unwanted.length === 0) return
    try {
      await remove(await uploads.abandon(unwanted, now()))
    } catch (error) {
      if (isOutage(error)) return
      logger.warn({ err: error, files: unwanted.length }, 'files of no quote are left to be removed later')
    }
  }

  /** Notes a file that is about to arrive, and again while it does: what was not noted for long is removed. */
  async function* noted(file: FileId, bytes: AsyncIterable<Uint8Array>) {
    let notedAt = now()
    for await (const chunk of bytes) {
      if (now().getTime() - notedAt.getTime() >= NOTE_EVERY_MS) {
        notedAt = now()
        await uploads.record(file, notedAt)
      }
      yield chunk
    }
  }

  return {
    async receive({ organizationId, index, name: givenName, bytes }) {
      checkOrganizationId(organizationId)
      const refuse = fileErrors(`/files/${index}`)
      if (index >= limits.files) throw refuse(`must not be there: a quote has at most ${limits.files} files`)
      const name = sanitizeFileName(givenName)
      const type = fileTypeOf(name)
      if (type === null) throw refuse(`must be of one of the types ${FILE_TYPES.join(', ')}`)
      const id = newId(now())
      const file = { id, organization_id: organizationId }
      const measured = measure(noted(file, bytes), limits.fileBytes, refuse)
      const handover = handOver(CONTENT_CHECKS[type](measured.bytes, refuse), hookTimeoutMs)
      await uploads.record(file, now())
      try {
        await handover.to((checked) => files.put(file, checked))
      } catch (error) {
        const { sourceFailure } = handover
        await discard([file])
        // A storage may wrap what its source threw: that is passed on as it was thrown.
        throw sourceFailure === undefined ? error : sourceFailure.error
      }
      return { id, name, type, size: measured.size(), sha256: measured.sha256() }
    },

    read: (file) => files.get(file),

    discard,

    async deleteAbandoned(olderThan) {
      const tried = new Set<string>()
      let removed = 0
      let failure: { readonly error: unknown } | undefined
      await uploads.noteStrays?.(olderThan, now())
      for (;;) {
        const batch = await uploads.abandonBefore(olderThan, BATCH, now())
        const fresh = batch.filter(({ id }) => !tried.has(id))
        for (const { id } of fresh) tried.add(id)
        try {
          await remove(fresh)
          removed += fresh.length
        } catch {
          // One of them must not keep the others.
          const results = await Promise.allSettled(fresh.map((file) => remove([file])))
          for (const result of results) {
            if (result.status === 'fulfilled') removed += 1
            else failure = { error: result.reason }
          }
        }
        if (batch.length < BATCH || fresh.length === 0) break
      }
      if (failure !== undefined) throw failure.error
      return removed
    },
  }
}

type Refuse = (allowed: string, code?: 'PAYLOAD_TOO_LARGE') => IntegrationError

function fileErrors(pointer: string): Refuse {
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

interface Handover {
  /**
   * @throws IntegrationError SERVICE_UNAVAILABLE when the store throws, or takes too long; Error when it says that it is done
   * before it read all
   */
  to(put: (bytes: AsyncIterable<Uint8Array>) => Promise<void>): Promise<void>
  /** What the source threw, if it did. */
  readonly sourceFailure: { readonly error: unknown } | undefined
}

/**
 * Hands a source to a store that may throw, hang, or leave the source open. The store's time runs while it has all the
 * bytes that it asked for: a client may be slow, and a store may take long over a file, but not over a chunk.
 */
function handOver(source: AsyncGenerator<Uint8Array>, timeoutMs: number): Handover {
  let sourceFailure: Handover['sourceFailure']
  let isComplete = false

  async function* bytes(turn: Turn) {
    for (;;) {
      turn.stop()
      let step: IteratorResult<Uint8Array>
      try {
        step = await source.next()
      } catch (error) {
        sourceFailure = { error }
        throw error
      } finally {
        turn.start()
      }
      if (step.done) {
        isComplete = true
        return
      }
      yield step.value
    }
  }

  return {
    async to(put) {
      try {
        await callHost({ hook: 'files.put', timeoutMs, isAnswer: isToldByStore }, (turn) => put(bytes(turn)))
        if (!isComplete) throw new Error('The file storage stored a file that it had not read to its end.')
      } finally {
        // A store that failed may not have ended it, and a docx is an open file. Not waited for: a read may be under way.
        source.return(undefined).catch(() => {})
      }
    },
    get sourceFailure() {
      return sourceFailure
    },
  }
}

/** Our own store says itself what its errors are. */
function isToldByStore(error: unknown): boolean {
  return error instanceof IntegrationError || (error instanceof Error && 'statusCode' in error)
}

const FILE_TYPES = Object.keys(CONTENT_CHECKS) as QuotationFile['type'][]

function fileTypeOf(name: string): QuotationFile['type'] | null {
  return FILE_TYPES.find((type) => type === fileExtension(name)) ?? null
}
