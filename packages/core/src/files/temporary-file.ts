import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v4 as uuidv4 } from 'uuid'

/**
 * Opens an empty file that only this process can reach, in the folder for temporary files (`TMPDIR`). It loses its name
 * at once: when it is closed, and also when the process is killed, the system takes its space back.
 */
export async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `quickquote-${uuidv4()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
  } catch (error) {
    await file.close()
    throw error
  }
  return file
}
