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
import type { FileId, FileStorage } from '../storage/files.ts'
import type { UploadStorage } from '../storage/uploads.ts'
import { CONTENT_CHECKS } from './file-content.ts'
import { fileExtension, sanitizeFileName } from './file-name.ts'
import { inTurns } from './in-turns.ts'

export interface IncomingFile {
  readonly organizationId: string
  /** Its index among the files of the quote. Errors point at it: `/files/0`. */
  readonly index: number
  /** The client's name for it. */
  readonly name: string
  /** Streamed: never held in memory as a whole. */
  readonly bytes: AsyncIterable<Uint8Array>
}

/** A stored file that waits for its quote. */
export interface ReceivedFile extends QuotationFile {
  /** Of the content, in lower-case hex. */
  readonly sha256: string
}

/** Receives requirements files before their quote is accepted, and reads them for the pipeline. */
export interface RequirementsFiles {
  /**
   * Checks a file while it streams into the storage: type by extension and content, size, and number of files. Its name
   * is sanitized, never refused. Pass the result to `quotations.start` or `discard`. An error leaves nothing behind.
   * @throws IntegrationError VALIDATION_FAILED (type, content, empty, too many) or PAYLOAD_TOO_LARGE, both pointing at
   * the file; SERVICE_UNAVAILABLE if the file store fails or stalls for `hookTimeoutMs`, or there is no room for
   * temporary files; and any error of `bytes`
   */
  receive(file: IncomingFile): Promise<ReceivedFile>
  /** Streams a file of a quote. Throws if it does not exist. */
  read(file: FileId): AsyncIterable<Uint8Array>
  /**
   * Removes files that belong to no quote. Files of accepted quotes stay, so this is safe if the outcome of a start is
   * unknown. Never throws: `deleteAbandoned` removes the rest later.
   */
  discard(files: readonly FileId[]): Promise<void>
  /**
   * Removes abandoned files last written before `olderThan`. Call it regularly, in any number of processes, with a time
   * at least an hour ago: uploads in progress are recorded every ten minutes. A file that cannot be deleted does not
   * block others, and is tried again next time.
   * @returns how many files were removed
   * @throws the last error of the store, after trying all files
   */
  deleteAbandoned(olderThan: Date): Promise<number>
}

/** Files to remove at a time. */
const BATCH = 100

interface FileSettings {
  readonly limits: Limits
  readonly logger: Logger
  readonly now: () => Date
  readonly hookTimeoutMs: number
}

/** Bytes to hash and check in one turn of the event loop: one to two milliseconds. */
const TURN_BYTES = 256 * 1024

/** How often an upload in progress is recorded again. */
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
      logger.warn(
        { err: error, files: unwanted.length },
        'abandoned files could not be removed; trying again later',
      )
    }
  }

  /**
   * Files not recorded for long are removed: this one may be gone, or its bytes were deleted while others still arrived.
   */
  const renew = async (file: FileId, state: { readonly isReceived: boolean }, refuse: Refuse) => {
    if (await uploads.renew(file, state, now())) return
    await uploads.queueForDeletion([file], now())
    throw refuse('must be uploaded without long pauses')
  }

  /** Records a file during its upload. */
  async function* noted(file: FileId, bytes: AsyncIterable<Uint8Array>, refuse: Refuse) {
    let notedAt = now()
    for await (const chunk of bytes) {
      if (now().getTime() - notedAt.getTime() >= NOTE_EVERY_MS) {
        notedAt = now()
        await renew(file, { isReceived: false }, refuse)
      }
      yield chunk
    }
  }

  return {
    async receive({ organizationId, index, name: givenName, bytes }) {
      checkOrganizationId(organizationId)
      const refuse = fileErrors(`/files/${index}`)
      if (index >= limits.files)
        throw refuse(`is one file too many: a quotation has at most ${limits.files} files`)
      const name = sanitizeFileName(givenName)
      const type = fileTypeOf(name)
      if (type === null) throw refuse(`must be of one of the types ${FILE_TYPES.join(', ')}`)
      const id = newId(now())
      const file = { id, organization_id: organizationId }
      const measured = measure(noted(file, inTurns(bytes, TURN_BYTES), refuse), limits.fileBytes, refuse)
      const handover = handOver(CONTENT_CHECKS[type](measured.bytes, refuse), hookTimeoutMs)
      await uploads.record(file, now())
      try {
        await handover.to((checked) => files.put(file, checked))
        await renew(file, { isReceived: true }, refuse)
      } catch (error) {
        const { sourceFailure } = handover
        await discard([file])
        // A storage may wrap the error of its source: the original is thrown.
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
          // One failure must not keep the others from being removed.
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

/** Counts and hashes a file while it streams, and refuses it if it is too long or empty. */
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
   * @throws IntegrationError SERVICE_UNAVAILABLE if the store throws or times out; Error if it resolves before it has
   * read everything
   */
  to(put: (bytes: AsyncIterable<Uint8Array>) => Promise<void>): Promise<void>
  /** The error of the source, if any. */
  readonly sourceFailure: { readonly error: unknown } | undefined
}

/**
 * Passes a source to a store that may throw, hang, or leave the source open. The timeout runs only while the store has
 * all the bytes it asked for: a client may be slow, and a store may be slow with a file, but not with a chunk.
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
        await callHost({ hook: 'files.put', timeoutMs, isAnswer: isForClient }, (turn) => put(bytes(turn)))
        if (!isComplete) throw new Error('The file storage must read a file to its end before it stores it.')
      } finally {
        // A failed store may leave its source open, and a docx is an open file. Not awaited: a read may be in progress.
        source.return(undefined).catch(() => {})
      }
    },
    get sourceFailure() {
      return sourceFailure
    },
  }
}

/** Errors of our own store are already meant for clients. */
function isForClient(error: unknown): boolean {
  return error instanceof IntegrationError || (error instanceof Error && 'statusCode' in error)
}

const FILE_TYPES = Object.keys(CONTENT_CHECKS) as QuotationFile['type'][]

function fileTypeOf(name: string): QuotationFile['type'] | null {
  return FILE_TYPES.find((type) => type === fileExtension(name)) ?? null
}
