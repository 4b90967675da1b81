import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from './usage-error.ts'

/** The folder of files that only this user can read. An empty variable counts as unset, as XDG requires. */
function folder(): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env
  return join(XDG_STATE_HOME || LOCALAPPDATA || join(homedir(), '.local', 'state'), 'quickquote')
}

async function read(file: string): Promise<string | null> {
  try {
    return (await readFile(join(folder(), file), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Atomic, even if the process is killed. */
async function write(file: string, text: string): Promise<void> {
  await mkdir(folder(), { recursive: true, mode: 0o700 })
  const path = join(folder(), file)
  await writeFile(`${path}.new`, `${text}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** The position of `listen`, by address and key. The key itself is not stored. */
export function position(baseUrl: string, apiKey: string) {
  const file = `position-${createHash('sha256').update(`${baseUrl}\0${apiKey}`).digest('hex').slice(0, 32)}`
  return { read: () => read(file), write: (after: string) => write(file, after) }
}

const SECRET = /^whsec_[A-Za-z0-9+/]{24,}={0,2}$/

/** The secret in a file, or this user's, created if necessary. @throws UsageError */
export async function signingSecret(file: string | undefined): Promise<string> {
  if (file !== undefined) {
    const secret = (await readFile(file, 'utf8')).trim()
    if (!SECRET.test(secret)) {
      throw new UsageError(`${file} must contain the signing secret of your endpoint: whsec_ and its base64.`)
    }
    return secret
  }
  const known = await read('secret')
  if (known !== null && known !== '') return known
  const made = `whsec_${randomBytes(32).toString('base64')}`
  await write('secret', made)
  return made
}
