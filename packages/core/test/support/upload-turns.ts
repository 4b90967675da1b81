import { randomUUID } from 'node:crypto'
import { longestTurn, MAX_DOCUMENT_TURN_MS } from '@quickquote/dev-servers/longest-turn'
import { createRequirementsFiles } from '../../src/files/requirements-file.ts'
import { IntegrationError } from '../../src/lib/errors.ts'
import { silentLogger } from '../../src/lib/logger.ts'
import { DEFAULT_LIMITS } from '../../src/model/limits.ts'
import type { FileStorage } from '../../src/storage/files.ts'
import { inPieces, useUploads } from './host-files.ts'

/** Joining the pieces of a file at its end would take a turn as long as our own. */
const files: FileStorage = {
  async put(_, bytes) {
    for await (const _piece of bytes);
  },
  async *get() {},
  async delete() {},
}

/**
 * What it returns receives a file, and measures the longest turn. Anything but an acceptance or a refusal fails the
 * test.
 */
export function useUploadTurns() {
  const storage = useUploads()
  return async (name: string, bytes: Uint8Array, pieces?: number): Promise<number> => {
    const received = createRequirementsFiles(
      { uploads: storage.uploads, files },
      {
        limits: DEFAULT_LIMITS,
        logger: silentLogger,
        now: () => new Date(),
        hookTimeoutMs: 10_000,
      },
    )
    const file = () => ({ organizationId: randomUUID(), index: 0, name, bytes: inPieces(bytes, pieces) })
    const { turnMs } = await longestTurn(
      () =>
        received.receive(file()).catch((error: unknown) => {
          if (!(error instanceof IntegrationError && error.status < 500)) throw error
        }),
      MAX_DOCUMENT_TURN_MS,
    )
    return turnMs
  }
}
