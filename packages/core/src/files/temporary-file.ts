import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Opens an empty temporary file (in `TMPDIR`) that only this process can reach. It is unlinked at once, so the system
 * frees its space when it is closed or the process dies.
 */
export async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `quickquote-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
  } catch (error) {
    await file.close()
    throw error
  }
  return file
}

/** Whether the operating system failed, and not the file. */
export function isFromSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
