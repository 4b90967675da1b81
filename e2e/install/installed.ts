import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const ROOT = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
}

/** The packages that hosts and partners install. */
export const published = readdirSync(join(ROOT, 'packages'))
  .map((folder) => ({
    folder: join(ROOT, 'packages', folder),
    manifest: readManifest(join(ROOT, 'packages', folder)),
  }))
  .filter(({ manifest }) => manifest.private !== true)

export function readManifest(folder: string): Manifest & Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** The workspace's compiler, to check another folder. */
export const tsc = join(ROOT, 'node_modules/.bin/tsc')

/** A folder into which npm has installed our packages from their tarballs, as from the registry. */
export interface Installed {
  readonly folder: string
  write(name: string, text: string): void
  remove(): void
}

/** What a host needs only for its tests. */
const FOR_TESTS = ['@quickquote/test-kit']

/** @param packages installed in addition */
export async function installPackages(packages: readonly string[]): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'quickquote-installed-'))
  const tarballs = join(folder, 'tarballs')
  // pnpm replaces `workspace:*` with the version.
  const filters = published.flatMap(({ manifest: { name } }) => ['--filter', name])
  const pack = ['-y', 'pnpm@12.21.0', '--recursive', ...filters, 'pack', '--pack-destination', tarballs]
  await run('npx', pack, { cwd: ROOT })
  const files = published.map(({ manifest: { name, version } }) => [
    name,
    `file:${join(tarballs, `${name.slice(1).replace('/', '-')}-${version}.tgz`)}`,
  ])
  const dependencies = (areForTests: boolean) =>
    Object.fromEntries(files.filter(([name = '']) => FOR_TESTS.includes(name) === areForTests))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      name: 'a-host',
      private: true,
      type: 'module',
      dependencies: dependencies(false),
      devDependencies: dependencies(true),
    }),
  )
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages], { cwd: folder })
  return {
    folder,
    write: (name, text) => writeFileSync(join(folder, name), text),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
