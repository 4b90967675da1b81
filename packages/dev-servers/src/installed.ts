import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratchFolder } from './scratch-folder.ts'

const run = promisify(execFile)

/** A folder into which npm has installed packages that are no dependencies of the workspace. */
export async function installed(packages: readonly string[]) {
  const folder = await mkdtemp(join(scratchFolder(), 'quickquote-host-'))
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts']
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await run('npm', [...install, '--prefix', folder, ...packages])
  } catch (error) {
    await remove()
    throw error
  }
  return { folder, remove }
}
