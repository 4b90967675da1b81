import type { Logger } from '../lib/logger.ts'
import { isOutage } from '../lib/outage.ts'

/** What is collected for each API key and written in batches, so that a request costs no write. */
export interface NotesByKey<Entry> {
  note(apiKeyId: string, entry: Entry): void
  /** Writes all of them. Does not reject: a failed write is repeated later. */
  flush(): Promise<void>
  /** Writes the rest and stops. */
  close(): Promise<void>
}

export interface NotesOptions<Notes, Entry> {
  /** For a key without notes. */
  empty(): Notes
  add(notes: Notes, entry: Entry): void
  /** Joins notes that could not be written with newer ones. */
  join(older: Notes, newer: Notes): Notes
  write(batch: readonly (readonly [apiKeyId: string, Notes])[]): Promise<void>
  /** Keys of a write. */
  readonly most: number
  /** From the first note to its write, after a pause. */
  readonly waitMs: number
  /** Between writes. */
  readonly restMs: number
  readonly logger: Logger
  /** Logged at the first of several failed writes. */
  readonly warning: string
}

/** The time before a failed write is retried. It doubles with each failure. */
const RETRY_MS = 1000
const LONGEST_RETRY_MS = 60_000

export function createNotesByKey<Notes, Entry>(options: NotesOptions<Notes, Entry>): NotesByKey<Entry> {
  const { most, waitMs, restMs, logger, warning } = options
  let noted = new Map<string, Notes>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let failures = 0
  let isClosed = false

  /** Writes the notes. Those added meanwhile are written afterwards. */
  async function write(): Promise<void> {
    const taken = [...noted]
    noted = new Map()
    while (taken.length > 0) {
      const batch = taken.slice(0, most)
      try {
        await options.write(batch)
        failures = 0
        taken.splice(0, most)
      } catch (error) {
        for (const [apiKeyId, older] of taken) {
          const newer = noted.get(apiKeyId)
          noted.set(apiKeyId, newer === undefined ? older : options.join(older, newer))
        }
        if (failures === 0 && !isOutage(error)) logger.warn({ err: error, keys: taken.length }, warning)
        failures += 1
        return
      }
    }
  }

  function flushAfter(ms: number): void {
    timer = setTimeout(() => {
      timer = undefined
      if (noted.size > 0) void flush()
    }, ms).unref()
  }

  async function flush(): Promise<void> {
    await writing
    // Only now: the write that has just ended has set it.
    clearTimeout(timer)
    timer = undefined
    writing ??= write().finally(() => {
      writing = undefined
      const retryMs = failures === 0 ? 0 : Math.min(RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS)
      if (!isClosed) flushAfter(Math.max(restMs, retryMs))
    })
    await writing
  }

  return {
    note(apiKeyId, entry) {
      let notes = noted.get(apiKeyId)
      if (notes === undefined) {
        notes = options.empty()
        noted.set(apiKeyId, notes)
      }
      options.add(notes, entry)
      if (timer !== undefined || writing !== undefined || isClosed) return
      if (waitMs === 0) void flush()
      else flushAfter(waitMs)
    },
    flush,
    async close() {
      isClosed = true
      await flush()
    },
  }
}
