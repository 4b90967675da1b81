import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'

const END_MAGIC = Buffer.from('504b0506', 'hex')
const END_LENGTH = 22
const MAX_COMMENT = 0xffff
/** Programs add a line end, or the rest of a block. LibreOffice opens no file with more. */
const MAX_BEHIND = 512

/**
 * Opens a zip file, which may have up to 512 bytes after its end.
 * @returns null if its end is missing, or too many bytes follow it
 * @throws Error if its end contradicts the rest
 */
export async function openZip(file: FileHandle): Promise<ZipFile | null> {
  const { size } = await file.stat()
  const tail = Buffer.alloc(Math.min(size, END_LENGTH + MAX_COMMENT + MAX_BEHIND))
  await file.read(tail, 0, tail.length, size - tail.length)
  const at = tail.lastIndexOf(END_MAGIC)
  if (at === -1 || at + END_LENGTH > tail.length) return null
  const behind = tail.length - at - END_LENGTH - tail.readUInt16LE(at + 20)
  if (behind < 0 || behind > MAX_BEHIND) return null
  const options = { autoClose: false, decodeStrings: false, lazyEntries: true }
  return fromRandomAccessReaderPromise(new FileReader(file), size - behind, options)
}

/**
 * Decompresses an entry.
 * @throws Error if its size is not that of the directory
 */
export function openEntry(zip: ZipFile, entry: Entry): Promise<Readable> {
  return zip.openReadStreamPromise(entry)
}

/**
 * Decompresses an entry and drops it.
 * @returns whether its checksum is that of the directory
 * @throws Error if its size is not that of the directory
 */
export async function isUndamaged(zip: ZipFile, entry: Entry): Promise<boolean> {
  let checksum = 0
  for await (const chunk of await openEntry(zip, entry)) checksum = crc32(chunk, checksum)
  return checksum === entry.crc32
}

const PIECE_LENGTH = 64 * 1024

class FileReader extends RandomAccessReader {
  readonly #file: FileHandle

  constructor(file: FileHandle) {
    super()
    this.#file = file
  }

  /** Holds one piece: the default one passes them through two more streams, which hold some each. */
  override createReadStream({ start, end }: { start: number; end: number }): Readable {
    return Readable.from(this.#pieces(start, end), { objectMode: false, highWaterMark: 1 })
  }

  override read(...[buffer, offset, length, position, done]: Parameters<RandomAccessReader['read']>): void {
    const told: (error: Error | null, bytesRead?: number) => void = done
    this.#file.read(buffer, offset, length, position).then(({ bytesRead }) => told(null, bytesRead), told)
  }

  async *#pieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const length = Math.min(PIECE_LENGTH, end - at)
      const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
}
